// The sum of a * b: nothing but two arrays is read.
#pragma once

#include "rings.cuh"

namespace stream {

// What the blocks of a dot product leave for the last of them.
struct Partials {
  float*    sum;     // one a block
  unsigned* ended;   // blocks, 0 before and after
  float*    result;  //
};

// The sum over the block, in its first thread.
template <int Threads> __device__ float block_sum(float mine) {
  __shared__ float warps[Threads / 32];
  for (int k = 16; k > 0; k /= 2) mine += __shfl_xor_sync(0xffffffff, mine, k);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  float all = 0;
  if (threadIdx.x == 0)
    for (const float w : warps) all += w;
  return all;
}

template <int Threads> __device__ void finish(float mine, const Partials& p) {
  __shared__ bool last;
  const float     all = block_sum<Threads>(mine);
  if (threadIdx.x == 0) {
    p.sum[blockIdx.x] = all;
    __threadfence();
    last = atomicInc(p.ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  float rest = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += Threads) rest += __ldcg(p.sum + i);
  const float sum = block_sum<Threads>(rest);
  if (threadIdx.x == 0) *p.result = sum;
}

__device__ __forceinline__ void add_products(float& sum, const tma::Vec<float, 4>& a, const tma::Vec<float, 4>& b) {
#pragma unroll
  for (int k = 0; k < 4; ++k) sum = fmaf(a[k], b[k], sum);
}

template <class Tile, int Stages, int Threads>
__global__ void __launch_bounds__(Threads)
    dot(tma::AlignedPointer<const float> a, tma::AlignedPointer<const float> b, Partials partials, int tiles) {
  using Pipe = tma::Pipeline<Stages, Tile, Tile>;
  const Share share(tiles);
  float       sum = 0;
  Pipe        pipe(tma::shared<typename Pipe::Shared>());
  pipe.for_each(
      share.count, [&](auto loads, int i) { load_step<Tile, Add<float>>(loads, a, b, share.tile(i)); },
      [&](const Tile& x, const Tile& z, int) {
#pragma unroll
        for (int v = int(threadIdx.x); v < Tile::size / 4; v += Threads)
          add_products(sum, x.template vector<4>(v), z.template vector<4>(v));
      });
  finish<Threads>(sum, partials);
}

template <int Vectors, int Threads>
__global__ void __launch_bounds__(Threads) plain_dot(const float* a, const float* b, Partials partials, long long n) {
  using V   = tma::Vec<float, 4>;
  float sum = 0;
  for (long long at = (long long)(blockIdx.x) * Threads * Vectors + threadIdx.x; at < n / 4;
       at += (long long)(gridDim.x) * Threads * Vectors) {
    V x[Vectors], z[Vectors];
#pragma unroll
    for (int k = 0; k < Vectors; ++k) {
      x[k] = reinterpret_cast<const V*>(a)[at + k * Threads];
      z[k] = reinterpret_cast<const V*>(b)[at + k * Threads];
    }
#pragma unroll
    for (int k = 0; k < Vectors; ++k) add_products(sum, x[k], z[k]);
  }
  finish<Threads>(sum, partials);
}

}  // namespace stream
