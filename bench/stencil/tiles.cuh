// What a block does with its tiles, whoever loads them. A tile has a row more on either side, which may lie outside: the engine
// fills it with zeros. It has no columns more. A box that begins 16 bytes before a line of the cache, as one with columns does,
// costs 5 % of the bandwidth; two values a row, loaded by a warp's first and last lane, cost nothing.
#pragma once

#include "math.cuh"

namespace stencil {

__device__ __forceinline__ float4 four_of(const float* tile, int row) {
  return reinterpret_cast<const float4*>(tile)[row * (columns / piece) + int(threadIdx.x) % 32];
}

// Of a matrix: a block computes `Rows` rows of 128 columns, a warp some of them.
template <int Rows, int Warps> struct Box {
  static constexpr int rows = Rows, each = Rows / Warps, threads = 32 * Warps, tile_rows = Rows + 2;
};

template <Points P, class S> class TileWork {
public:
  const int row, column;

  __device__ explicit TileWork(const Work& w)
      : row(int(blockIdx.y) * S::rows),
        column(int(blockIdx.x) * columns),
        w_(w),
        first_(int(threadIdx.x) / 32 * S::each) {
#pragma unroll
    for (int j = 0; j < S::each + 2; ++j) side_[j] = side_of(w, 0, row + first_ + j - 1, column);
  }
  __device__ void compute(const float* tile) const {
    March<P> march;
#pragma unroll
    for (int j = 0; j < S::each + 2; ++j) {
      const float4 y = march.take(layer_of(four_of(tile, first_ + j), side_[j]));
      const int    r = row + first_ + j - 2;
      if (j >= 2 && r < w_.height) put(w_, 0, r, column + int(threadIdx.x) % 32 * piece, y);
    }
  }

private:
  const Work& w_;
  const int   first_;
  float       side_[S::each + 2];
};

// Of a volume: a block walks through `Length` planes, of which it computes `Rows` rows, a warp `Each` of them.
template <int Rows, int Each, int Length, int Stages> struct Column {
  static constexpr int rows = Rows, each = Each, length = Length, stages = Stages, threads = 32 * Rows / Each;
  static constexpr int tile_rows = Rows + 2;
};

template <class S> class ColumnWork {
public:
  const int plane, row, column;

  __device__ explicit ColumnWork(const Work& w)
      : plane(int(blockIdx.z) * S::length),
        row(int(blockIdx.y) * S::rows),
        column(int(blockIdx.x) * columns),
        w_(w),
        first_(int(threadIdx.x) / 32 * S::each) {
    load_sides(0);
  }
  __device__ int steps() const { return min(S::length, w_.depth - plane) + 2; }

  // The i-th plane from the one before the first on.
  __device__ void take(const float* tile, int i) {
    float side[S::each];
#pragma unroll
    for (int j = 0; j < S::each; ++j) side[j] = side_[j];
    load_sides(i + 1);
    float4 above = four_of(tile, first_), x = four_of(tile, first_ + 1);
#pragma unroll
    for (int j = 0; j < S::each; ++j) {
      Layer l        = layer_of(x, side[j]);
      l.above        = above;
      l.below        = four_of(tile, first_ + 2 + j);
      above          = x;
      x              = l.below;
      const float4 y = march_[j].take(l);
      const int    r = row + first_ + j;
      if (i >= 2 && r < w_.height) put(w_, plane + i - 2, r, column + int(threadIdx.x) % 32 * piece, y);
    }
  }

private:
  __device__ void load_sides(int i) {
#pragma unroll
    for (int j = 0; j < S::each; ++j) side_[j] = side_of(w_, plane - 1 + i, row + first_ + j, column);
  }

  const Work&          w_;
  const int            first_;
  float                side_[S::each];
  March<Points::seven> march_[S::each];
};

}  // namespace stencil
