// Descriptors in memory: acquired, edited in shared memory and in place, drained.
#include <tma/tma.hpp>

#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/edit.hpp>

#include "raw.hpp"

using Tile = tma::Tile<float, tma::Shape<16, 16>>;
using Map  = tma::TmaDescriptor<const float, 2, Tile>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier barrier;
};

struct alignas(128) RawShared {
  float    tile[256];
  raw::u64 barrier;
};

// --- what only these need ---

__device__ __forceinline__ void acquire_sys(const CUtensorMap* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" : : "l"(map) : "memory");
}

__device__ __forceinline__ void replace_address(raw::u32 map, const void* value) {
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" : : "r"(map), "l"(value) : "memory");
}
template <int D> __device__ __forceinline__ void replace_extent(raw::u32 map, raw::u32 value) {
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], %2, %1;"
               :
               : "r"(map), "r"(value), "n"(D)
               : "memory");
}
template <int D> __device__ __forceinline__ void replace_stride(raw::u32 map, raw::u64 value) {
  asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], %2, %1;"
               :
               : "r"(map), "l"(value), "n"(D)
               : "memory");
}

__device__ __forceinline__ void cp_fenceproxy(CUtensorMap* slot, raw::u32 map) {
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
               :
               : "l"(__cvta_generic_to_global(slot)), "r"(map)
               : "memory");
}

// --- loads ---

extern "C" __global__ void tma_load_slot(tma::DescriptorSlots<Map> slots, int i, float* out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), {0, 0}, tile, arrived);
  arrived.wait();
  out[block.rank()] = tile[block.rank()];
}
struct RawSlots {
  CUtensorMap* first;
  int          count;
};
extern "C" __global__ void raw_load_slot(RawSlots slots, int i, float* out) {
  __shared__ RawShared s;
  const unsigned       rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    const CUtensorMap* const map = slots.first + i;
    acquire_sys(map);
    raw::load(s.tile, *map, &s.barrier, 0, 0);
    raw::arrive_expect_tx(&s.barrier, 1024);
  }
  raw::wait(&s.barrier, 0);
  out[int(rank)] = s.tile[int(rank)];
}

__constant__ Map in_constant[4];  // of both

extern "C" __global__ void tma_load_constant(int i, float* out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in_constant[i], {0, 0}, tile, arrived);
  arrived.wait();
  out[block.rank()] = tile[block.rank()];
}
extern "C" __global__ void raw_load_constant(int i, float* out) {
  __shared__ RawShared s;
  const unsigned       rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, *static_cast<const CUtensorMap*>(tma::tensor_map(in_constant[i])), &s.barrier, 0, 0);
    raw::arrive_expect_tx(&s.barrier, 1024);
  }
  raw::wait(&s.barrier, 0);
  out[int(rank)] = s.tile[int(rank)];
}

// --- edits by the one warp of the block ---

extern "C" __global__ void tma_edit(const __grid_constant__ Map pattern, tma::DescriptorSlots<Map> slots, const float* data,
                                    int rows, int columns) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, pattern);
  edit.address(data).extents({rows, columns}).strides({columns, 1});
  edit.publish(slots, int(blockIdx.x), tma::no_copy_uses_it());
}
extern "C" __global__ void raw_edit(const __grid_constant__ CUtensorMap pattern, RawSlots slots, const float* data, int rows,
                                    int columns) {
  __shared__ CUtensorMap scratch;
  const raw::u32         map     = raw::smem(&scratch);
  const raw::u32         lane    = raw::thread_rank() % 32;
  const bool             elected = raw::elect_sync();
  __syncwarp();
  if (lane < 16) reinterpret_cast<raw::u64*>(&scratch)[lane] = reinterpret_cast<const raw::u64*>(&pattern)[lane];
  __syncwarp();
  if (elected) {
    replace_address(map, data);
    replace_extent<1>(map, raw::u32(rows));
    replace_extent<0>(map, raw::u32(columns));
    replace_stride<0>(map, raw::u64(columns * 4ll));
  }
  __syncwarp();
  cp_fenceproxy(slots.first + int(blockIdx.x), map);
  __syncwarp();
}

extern "C" __global__ void tma_edit_in_place(tma::DescriptorSlots<Map> slots, int i, const float* data) {
  auto       block   = tma::this_block();
  const auto drained = tma::drain(block);
  if (block.rank() < 32) tma::edit(slots, i, drained).address(data).publish();
}
extern "C" __global__ void raw_edit_in_place(RawSlots slots, int i, const float* data) {
  const raw::u32 rank = raw::thread_rank();
  if (raw::elect_sync() & (rank < 32)) {
    raw::commit_group();
    raw::wait_group_read<0>();
  }
  __syncthreads();
  if (int(rank) < 32) {
    CUtensorMap* const slot = slots.first + i;
    if (raw::elect_sync()) {
      asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;"
                   :
                   : "l"(__cvta_generic_to_global(slot)), "l"(data)
                   : "memory");
      asm volatile("fence.proxy.tensormap::generic.release.gpu;" : : : "memory");
    }
    __syncwarp();
  }
}
