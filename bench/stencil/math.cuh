// What is computed, whoever brings the values: layer by layer, a row of a matrix or a plane of a volume, four columns a thread.
#pragma once

#include "stencil.hpp"

namespace stencil {

constexpr int columns = 128, piece = 4;  // a warp's columns; of them, a thread's

struct Weights {
  float centre, edge, corner;
};
__host__ __device__ constexpr Weights weights_of(Points p) {
  if (p == Points::five) return {0.5f, 0.125f, 0};
  if (p == Points::nine) return {0.5f, 0.075f, 0.05f};
  return {0.4f, 0.1f, 0};
}

// A value, or zero outside.
__device__ __forceinline__ float value_at(const Work& w, int plane, int row, int column) {
  const bool inside = plane >= 0 && plane < w.depth && row >= 0 && row < w.height && column >= 0 && column < w.width;
  return inside ? __ldg(w.in + ((long long)plane * w.height + row) * w.pitch + column) : 0.f;
}

// Writes four columns, or as many as the row has.
__device__ __forceinline__ void put(const Work& w, int plane, int row, int column, const float4& y) {
  float* const to = w.out + ((long long)plane * w.height + row) * w.pitch + column;
  if (column + 3 < w.width) {
    *reinterpret_cast<float4*>(to) = y;
  } else {
    if (column < w.width) to[0] = y.x;
    if (column + 1 < w.width) to[1] = y.y;
    if (column + 2 < w.width) to[2] = y.z;
  }
}

// Four columns of a layer, and what is beside them in it.
struct Layer {
  float4 x;
  float  left, right;
  float4 above = {}, below = {};  // of a plane
};

// Neighbouring lanes have neighbouring columns. What lies beside the warp's is `side`, of its first and of its last lane.
__device__ __forceinline__ Layer layer_of(const float4& x, float side) {
  const int lane = int(threadIdx.x) % 32;
  Layer     l{x, __shfl_up_sync(~0u, x.w, 1), __shfl_down_sync(~0u, x.x, 1)};
  if (lane == 0) l.left = side;
  if (lane == 31) l.right = side;
  return l;
}
__device__ __forceinline__ float side_of(const Work& w, int plane, int row, int column) {
  const int lane = int(threadIdx.x) % 32;
  if (lane != 0 && lane != 31) return 0;
  return value_at(w, plane, row, lane == 0 ? column - 1 : column + columns);
}

// Takes layers in turn, and gives the result of the one before.
template <Points P> class March {
public:
  __device__ float4 take(const Layer& l) {
    constexpr Weights w       = weights_of(P);
    const float       side[6] = {l.left, l.x.x, l.x.y, l.x.z, l.x.w, l.right};
    const float       a[4]    = {l.above.x, l.above.y, l.above.z, l.above.w};
    const float       b[4]    = {l.below.x, l.below.y, l.below.z, l.below.w};
    float             result[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float x = side[k + 1], sides = side[k] + side[k + 2];
      float       beside = w.edge * x;
      if constexpr (P == Points::nine) beside = fmaf(w.corner, sides, beside);
      const float around = P == Points::seven ? sides + (a[k] + b[k]) : sides;
      result[k]          = pending_[k] + beside;
      pending_[k]        = beside_[k] + fmaf(w.edge, around, w.centre * x);
      beside_[k]         = beside;
    }
    return {result[0], result[1], result[2], result[3]};
  }

private:
  float pending_[4] = {}, beside_[4] = {};
};

inline int over(int n, int by) { return (n + by - 1) / by; }

}  // namespace stencil
