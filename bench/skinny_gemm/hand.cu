// The ring by hand: the same kernel, copies and barriers in PTX, no library.
#include <cuda.h>
#include <tma/tma.hpp>

#include <cstring>

#include "../harness/ptx.cuh"
#include "../harness/require.hpp"
#include "ways.hpp"
#include "work.cuh"

namespace skinny {
namespace {

template <class S> struct Shared {
  alignas(1024) unsigned char w[S::stages][S::depth][S::rows * 128];
  alignas(1024) unsigned char x[S::stages][S::depth][S::columns * 128];
  unsigned long long full[S::stages], empty[S::stages];
};

using namespace by_hand;
using by_hand::wait;

__device__ __forceinline__ gemm::Operand operand(const void* tile) { return {(shared_address(tile) & 0x3ffff) >> 4}; }

template <class S> struct Position {
  int      stage  = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == S::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <class S>
__global__ void __launch_bounds__(S::consumers + 32, 1)
    multiply(const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap x, const __grid_constant__ Job job) {
  extern __shared__ unsigned char memory[];
  const unsigned                  low = shared_address(memory);
  auto&                           s   = *reinterpret_cast<Shared<S>*>(memory + (-low & 1023));
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::stages; ++i) {
      init(shared_address(&s.full[i]), 1);
      init(shared_address(&s.empty[i]), S::consumers / 32);
    }
    fence_init();
  }
  __syncthreads();
  const auto  run = Run<S>::of(job, Run<S>::index());
  Position<S> at;
  if (threadIdx.x >= S::consumers) {
    if (!elect()) return;
    const auto once = evict_first(), often = evict_last();
    for_each_strip(job, run, [&](int strip, int first, int count) {
      for (int k = first; k < first + count; ++k, at.advance()) {
        wait(shared_address(&s.empty[at.stage]), at.parity ^ 1);
        const unsigned full = shared_address(&s.full[at.stage]);
#pragma unroll
        for (int d = 0; d < S::depth; ++d) {
          load_box(shared_address(s.w[at.stage][d]), &w, first_row<S>(strip), (k * S::depth + d) * 64, full, once);
          load_box(shared_address(s.x[at.stage][d]), &x, 0, (k * S::depth + d) * 64, full, often);
        }
        arm(full, S::stage_bytes);
      }
    });
    return;
  }
  const int group = int(__shfl_sync(0xffffffffu, threadIdx.x / 128, 0)), rank = int(threadIdx.x % 128);
  for_each_strip(job, run, [&](int strip, int first, int count) {
    Sums<S> sums;
    for (int k = 0; k < count; ++k, at.advance()) {
      wait(shared_address(&s.full[at.stage]), at.parity);
      gemm::Operand w[S::depth], x[S::depth];
#pragma unroll
      for (int d = 0; d < S::depth; ++d) w[d] = operand(s.w[at.stage][d]), x[d] = operand(s.x[at.stage][d]);
      take<S>(sums, w, x, group, k > 0);
      skinny::wait<0>(sums);
      __syncwarp();
      if (rank % 32 == 0) arrive(shared_address(&s.empty[at.stage]));
    }
    finish<S>(job, sums, strip, first, count, group, rank, [&] {
      asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    });
  });
}

template <int Rows> CUtensorMap map_of(const Element* data, int rows, int columns) {
  using Tile     = tma::Tile<Element, tma::Shape<Rows, 64>, tma::Swizzle::bytes_128>;
  const auto  in = tma::make_descriptor<Tile>(tma::TensorView<const Element, 2>{data, {rows, columns}});
  CUtensorMap map;
  std::memcpy(&map, tma::tensor_map(in), sizeof map);
  return map;
}

template <class S> auto prepare(const Problem& p) {
  constexpr std::size_t shared = sizeof(Shared<S>) + 1024;
  harness::require(cudaFuncSetAttribute(multiply<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)), "by hand");
  const CUtensorMap w = map_of<S::rows>(p.w, p.n, p.k), x = map_of<S::columns>(p.x, p.m, p.k);
  const Plan        plan = plan_of<S>(p);
  return [w, x, plan] {
    multiply<S><<<unsigned(plan.blocks), S::consumers + 32, shared>>>(w, x, plan.job);
    harness::require(cudaGetLastError(), "by hand");
  };
}

}  // namespace

Prepared by_hand(const Problems& problems) {
  return with_shape<16>(problems.front(),
                        [&]<class S>(S) -> Prepared { return {each_in_turn(problems, prepare<S>), double(S::in_flight)}; });
}

}  // namespace skinny
