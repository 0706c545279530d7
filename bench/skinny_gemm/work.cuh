// What every twin of the kernel has in common: which part of the weights is a block's, what a stage is multiplied by, and how
// results are put together. Everything but the ring.
//
// The weights are cut into strips of rows, and these into steps of 64 columns. All steps of all strips, one after another, are
// shared out evenly: a block has a run of neighbouring ones, which begins and ends anywhere. Whoever has the begin of a strip
// finishes it. It comes to it last, when those who have the rest of that strip, which is what they began with, have long left
// their sums in memory; where a block's run is shorter than a strip it may have to wait for them.
#pragma once

#include <cuda_bf16.h>

#include "matrix.cuh"
#include "shapes.hpp"

namespace skinny {

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// A run of neighbouring steps: a block's, or a cluster's. The first blocks have the last runs: a block waits only for such as were
// started before it.
template <class S> struct Run {
  int begin, end;

  static __device__ __forceinline__ Run of(const Job& job, int i) { return {start(job, i), start(job, i + 1)}; }
  static __device__ __forceinline__ int index() { return int(gridDim.x / S::blocks - 1 - blockIdx.x / S::blocks); }

private:
  static __device__ __forceinline__ int start(const Job& job, int i) { return i * job.each + min(i, job.more); }
};

// Calls f(strip, first step, number of steps) for each strip of a run.
template <class R, class F> __device__ __forceinline__ void for_each_strip(const Job& job, R run, F f) {
  int strip = run.begin / job.steps, first = run.begin % job.steps;
  for (int left = run.end - run.begin; left > 0; ++strip, first = 0) {
    const int count = min(left, job.steps - first);
    f(strip, first, count);
    left -= count;
  }
}

// A warpgroup's sums: 64 rows of the weights by `S::columns` rows of x.
template <class S> using Sums = Accumulators<S::columns>;

// Adds the product of a stage's tiles, or begins with it, and leaves it under way: one group of the matrix units.
template <class S>
__device__ __forceinline__ void take(Sums<S>& sums, const gemm::Operand (&w)[S::depth], const gemm::Operand (&x)[S::depth],
                                     int group, bool add) {
  begin(sums);
#pragma unroll
  for (int d = 0; d < S::depth; ++d) multiply<Element>(sums, w[d] + unsigned(group) * (64 * 128 / 16), x[d], add || d > 0);
  gemm::commit();
}

// The first row of a block's strip.
template <class S> __device__ __forceinline__ int first_row(int strip) {
  return (strip * S::blocks + int(blockIdx.x) % S::blocks) * S::rows;
}

// Where warpgroup `group` of a block of run `i` leaves the sums of a strip that another block finishes; and its flag.
template <class S> __device__ __forceinline__ int place(int i, int group) {
  return (i * S::blocks + int(blockIdx.x) % S::blocks) * S::groups + group;
}
template <class S> __device__ __forceinline__ float4* partial(const Job& job, int i, int group, int rank) {
  return reinterpret_cast<float4*>(job.partials) + place<S>(i, group) * (S::columns * 16) + rank;
}

// A thread's sums, four at a time, and where they lie among those of all.
template <class S, class F> __device__ __forceinline__ void for_each_quad(Sums<S>& sums, F f) {
#pragma unroll
  for (int q = 0; q < S::columns / 8; ++q) f(&sums.value[4 * q], q * 128);
}

// The end of a strip, by a warpgroup of rank `rank`; `meet` is its barrier. `first` and `count` as for_each_strip has them.
template <class S, class Meet>
__device__ __forceinline__ void finish(const Job& job, Sums<S>& sums, int strip, int first, int count, int group, int rank,
                                       Meet meet) {
  const int run = Run<S>::index();
  if (first != 0) {
    float4* const to = partial<S>(job, run, group, rank);
    for_each_quad<S>(sums, [&](const float* v, int at) { to[at] = {v[0], v[1], v[2], v[3]}; });
    meet();
    if (rank == 0)
      asm volatile("fence.acq_rel.gpu;\n\tst.relaxed.gpu.global.u32 [%0], 1;" ::"l"(job.ready + place<S>(run, group))
                   : "memory");
    return;
  }
  if (count < job.steps) {
    // How many runs have the rest of the strip.
    int others = 0;
    while (Run<S>::of(job, run + others).end < (strip + 1) * job.steps) ++others;
    for (int i = rank + 1; i <= others; i += 128) {
      unsigned* const flag  = job.ready + place<S>(run + i, group);
      unsigned        ready = 0;
      while (!ready) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(flag) : "memory");
      *flag = 0;  // for the next launch; nobody else reads it
    }
    meet();
    for (int i = 1; i <= others; ++i) {
      const float4* const from = partial<S>(job, run + i, group, rank);
      for_each_quad<S>(sums, [&](float* v, int at) {
        const float4 x = __ldcg(from + at);
        v[0] += x.x, v[1] += x.y, v[2] += x.z, v[3] += x.w;
      });
    }
  }
  // Of eight columns a thread has two neighbouring ones, in two rows of weights 8 apart. Two threads whose rows are neighbours
  // change one column for another, and each writes a pair.
  const int lane = rank % 32, odd = lane / 4 % 2;
  const int end = min(S::rows, job.n - first_row<S>(strip));
  Element*  y   = job.y + first_row<S>(strip);
#pragma unroll
  for (int i = 0; i < S::columns / 2; i += 2) {
    const float* v    = &sums.value[i];
    const float  keep = odd ? v[1] : v[0], got = __shfl_xor_sync(0xffffffffu, odd ? v[0] : v[1], 4);
    const int    row = group * 64 + rank / 32 * 16 + lane / 4 - odd + i % 4 / 2 * 8, m = i / 4 * 8 + lane % 4 * 2 + odd;
    if (m < job.m && row < end)
      *reinterpret_cast<__nv_bfloat162*>(y + std::size_t(m) * std::size_t(job.n) + row) =
          odd ? __floats2bfloat162_rn(got, keep) : __floats2bfloat162_rn(keep, got);
  }
}

}  // namespace skinny
