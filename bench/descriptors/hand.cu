// The same by hand: PTX, the driver's calls, <<<>>>.
#include "descriptors.cuh"

#include "../harness/ptx.cuh"
#include "graphs.cuh"

#include <memory>

namespace descriptors {
namespace {

using harness::require;
using namespace by_hand;

struct Shared {
  alignas(128) unsigned tile[tile_rows * columns];
  unsigned long long barrier;
};

__device__ __forceinline__ void init(Shared& s) {
  if (threadIdx.x == 0) {
    by_hand::init(s.barrier, 1);
    fence_init();
  }
  __syncthreads();
}
__device__ __forceinline__ void load(Shared& s, const CUtensorMap* map) {
  load_box(address(s.tile), map, int(blockIdx.x) * tile_rows, 0, address(&s.barrier));
  arm(s.barrier, sizeof s.tile);
}
__device__ __forceinline__ void wait(Shared& s) { by_hand::wait(s.barrier, 0); }
__device__ __forceinline__ void sum(const Shared& s, unsigned* sums) {
  unsigned all = 0;
  for (int i = 0; i < per_thread; ++i) all += s.tile[int(threadIdx.x) + i * threads];
  sums[int(blockIdx.x) * threads + int(threadIdx.x)] = all;
}
template <bool System> __device__ __forceinline__ void acquire(const CUtensorMap* map) {
  if constexpr (System) asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(map) : "memory");
  else asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

__global__ void __launch_bounds__(threads) by_value(const __grid_constant__ CUtensorMap in, unsigned* sums) {
  __shared__ Shared s;
  init(s);
  if (threadIdx.x < 32 && elect()) load(s, &in);
  wait(s);
  sum(s, sums);
}

__global__ void __launch_bounds__(threads) in_memory(const CUtensorMap* in, unsigned* sums) {
  __shared__ Shared s;
  init(s);
  if (threadIdx.x < 32 && elect()) {
    acquire<true>(in);
    load(s, in);
  }
  wait(s);
  sum(s, sums);
}

__global__ void __launch_bounds__(threads)
    edited(const __grid_constant__ CUtensorMap pattern, CUtensorMap* slots, const unsigned* matrix, unsigned* sums) {
  __shared__ Shared                s;
  __shared__ alignas(128) unsigned scratch[32];
  CUtensorMap*                     slot = slots + blockIdx.x;
  init(s);
  if (threadIdx.x < 32) {
    scratch[threadIdx.x] = reinterpret_cast<const unsigned*>(&pattern)[threadIdx.x];
    __syncwarp();
    const bool one = elect();
    if (one)
      asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(address(scratch)),
                   "l"(matrix)
                   : "memory");
    __syncwarp();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
            __cvta_generic_to_global(slot)),
        "r"(address(scratch))
        : "memory");
    __syncwarp();
    if (one) {
      acquire<false>(slot);
      load(s, slot);
    }
  }
  wait(s);
  sum(s, sums);
}

template <bool Prefetch, bool InMemory>
__device__ __forceinline__ void time_first_tile(const CUtensorMap* map, int prologue, long long* cycles, unsigned* sums) {
  const long long   start = clock64();
  __shared__ Shared s;
  if (Prefetch && threadIdx.x < 32 && elect()) {
    if (InMemory) acquire<true>(map);
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
  }
  init(s);
  if (threadIdx.x < 32 && elect()) {
    work_until(start + prologue);
    if (InMemory) acquire<true>(map);
    load(s, map);
  }
  wait(s);
  if (threadIdx.x == 0) *cycles = clock64() - start;
  sum(s, sums);
}
template <bool Prefetch>
__global__ void __launch_bounds__(threads)
    first_tile(const __grid_constant__ CUtensorMap map, int prologue, long long* cycles, unsigned* sums) {
  time_first_tile<Prefetch, false>(&map, prologue, cycles, sums);
}
template <bool Prefetch>
__global__ void __launch_bounds__(threads)
    first_tile(const CUtensorMap* map, int prologue, long long* cycles, unsigned* sums) {
  time_first_tile<Prefetch, true>(map, prologue, cycles, sums);
}

void* entry(const char* name) {
  void*                           found = nullptr;
  cudaDriverEntryPointQueryResult result;
  require(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), name);
  return found;
}

CUtensorMap replace(CUtensorMap map, const unsigned* matrix) {
  static const auto call = reinterpret_cast<decltype(&cuTensorMapReplaceAddress)>(entry("cuTensorMapReplaceAddress"));
  call(&map, const_cast<unsigned*>(matrix));
  return map;
}

template <bool Prefetch> void add_first_tiles(std::vector<FirstTile>& all, const Problem& p, int prologue) {
  const CUtensorMap kept = encode(p.matrix[0]);
  all.push_back({"by value", true, Prefetch, prologue,
                 [=](long long* cycles) { first_tile<Prefetch><<<1, threads>>>(kept, prologue, cycles, p.sums); }});
  all.push_back({"in memory", true, Prefetch, prologue, [=](long long* cycles) {
                   first_tile<Prefetch><<<1, threads>>>(static_cast<const CUtensorMap*>(p.map), prologue, cycles, p.sums);
                 }});
}

}  // namespace

CUtensorMap encode(const unsigned* matrix, bool anew) {
  static void* const      kept      = entry("cuTensorMapEncodeTiled");
  void* const             call      = anew ? entry("cuTensorMapEncodeTiled") : kept;
  const cuuint64_t        extents[] = {columns, rows}, strides[] = {columns * 4};
  const cuuint32_t        box[] = {columns, tile_rows}, ones[] = {1, 1};
  alignas(64) CUtensorMap map;
  const CUresult          status = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(call)(
      &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<unsigned*>(matrix), extents, strides, box, ones,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  require(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "cuTensorMapEncodeTiled");
  return map;
}

std::vector<Way> hand(const Problem& p) {
  std::vector<Way>  ways;
  const CUtensorMap kept = encode(p.matrix[0]);
  const auto        sums = p.sums;
  ways.push_back({"by value", true, false, [=](int) { by_value<<<blocks, threads>>>(kept, sums); }});
  ways.push_back({"in memory", true, false, [=](int) { in_memory<<<blocks, threads>>>(p.map, sums); }});
  ways.push_back({"made for each launch", true, true,
                  [=](int round) { by_value<<<blocks, threads>>>(encode(p.matrix[round % 2]), sums); }});
  ways.push_back({"with_address for each launch", true, true,
                  [=](int round) { by_value<<<blocks, threads>>>(replace(kept, p.matrix[round % 2]), sums); }});
  ways.push_back({"uploaded for each launch", true, true, [=](int round) {
                    const CUtensorMap map = encode(p.matrix[round % 2]);
                    require(cudaMemcpyAsync(p.edits, &map, sizeof map, cudaMemcpyHostToDevice, nullptr), "an upload");
                    in_memory<<<blocks, threads>>>(p.edits, sums);
                  }});
  ways.push_back({"edited by the kernel", true, true,
                  [=](int round) { edited<<<blocks, threads>>>(kept, p.edits, p.matrix[round % 2], sums); }});
  const auto graph =
      std::make_shared<Graph>([=](cudaStream_t stream) { by_value<<<blocks, threads, 0, stream>>>(kept, sums); });
  ways.push_back({"a graph", true, false, [=](int) { graph->replay(); }});
  return ways;
}

std::vector<Call> hand_calls(const Problem& p) {
  const CUtensorMap kept = encode(p.matrix[0]);
  const auto        keep = [](const CUtensorMap& map) { asm volatile("" ::"r"(&map) : "memory"); };
  return {{"cuTensorMapEncodeTiled", true, [=] { keep(encode(p.matrix[0])); }},
          {"cuTensorMapEncodeTiled looked up anew", true, [=] { keep(encode(p.matrix[0], true)); }},
          {"cuTensorMapReplaceAddress", true, [=] { keep(replace(kept, p.matrix[1])); }}};
}

std::vector<FirstTile> hand_first_tiles(const Problem& p) {
  std::vector<FirstTile> all;
  for (const int prologue : prologues) {
    add_first_tiles<false>(all, p, prologue);
    add_first_tiles<true>(all, p, prologue);
  }
  return all;
}

}  // namespace descriptors
