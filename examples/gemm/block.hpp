// What the rungs without clusters have in common: a block's 128 x 256 results, of which two warpgroups have 64 rows each; the
// order of the blocks; and how sums are written by threads.
#pragma once

#include <tma/core/grouped_raster.hpp>

#include "gemm.hpp"
#include "wgmma.hpp"

namespace gemm {

constexpr int block_rows = 128, block_columns = 256;

template <class T> using TileA = OperandTile<T, block_rows>;
template <class T> using TileB = OperandTile<T, block_columns>;
template <class T> using MapA  = tma::TmaDescriptor<const T, 2, TileA<T>>;
template <class T> using MapB  = tma::TmaDescriptor<const T, 2, TileB<T>>;

// Neighbouring blocks share rows and columns in L2.
using Raster = tma::GroupedRaster<8>;

template <class T> Raster raster_of(const Problem<T>& p) {
  return {(p.m + block_rows - 1) / block_rows, (p.n + block_columns - 1) / block_columns};
}
template <class T> int                         steps_of(const Problem<T>& p) { return (p.k + depth - 1) / depth; }
template <class T> tma::TensorView<const T, 2> view_a(const Problem<T>& p) { return {p.a, {p.m, p.k}, {p.pitch_a, 1}}; }
template <class T> tma::TensorView<const T, 2> view_b(const Problem<T>& p) { return {p.b, {p.n, p.k}, {p.pitch_b, 1}}; }

template <class T> struct Output {
  T*  c;
  int m, n, pitch;
};
template <class T> Output<T> output_of(const Problem<T>& p) { return {p.c, p.m, p.n, p.pitch_c}; }

// Two sums as neighbouring elements.
template <class T> __device__ __forceinline__ unsigned two(float x, float y) {
  if constexpr (__is_same(T, __half)) {
    const __half2 pair = __floats2half2_rn(x, y);
    return reinterpret_cast<const unsigned&>(pair);
  } else {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    return reinterpret_cast<const unsigned&>(pair);
  }
}

// Four lanes have two neighbours each of eight columns, four times: afterwards each has eight neighbours, to store at once.
__device__ __forceinline__ void exchange(unsigned (&pairs)[4], int lane) {
#pragma unroll
  for (int apart = 1; apart < 4; apart *= 2)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (j & apart) continue;
      const bool     upper                  = lane & apart;
      const unsigned got                    = __shfl_xor_sync(0xffffffffu, upper ? pairs[j] : pairs[j + apart], apart);
      (upper ? pairs[j] : pairs[j + apart]) = got;
    }
}

// A warpgroup's sums to C, from `row` and `column` on. `rank` is the thread's in its warpgroup.
template <class T, int N>
__device__ __forceinline__ void write(const Output<T>& out, const Accumulators<N>& sum, int row, int column, int rank) {
  const int lane = rank % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int at = row + rank / 32 * 16 + lane / 4 + half * 8;
    T* const  c  = out.c + std::size_t(at) * out.pitch;
#pragma unroll
    for (int j = 0; j < N; j += 32) {
      unsigned pairs[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float* v = sum.value + j / 2 + i * 4 + half * 2;
        pairs[i]       = two<T>(v[0], v[1]);
      }
      exchange(pairs, lane);
      const int first = column + j + lane % 4 * 8;
      if (at < out.m && first + 8 <= out.n) {
        *reinterpret_cast<uint4*>(c + first) = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
      } else if (at < out.m) {
#pragma unroll
        for (int i = 0; i < 8; ++i)
          if (first + i < out.n)
            reinterpret_cast<unsigned short*>(c)[first + i] = static_cast<unsigned short>(pairs[i / 2] >> i % 2 * 16);
      }
    }
  }
}

}  // namespace gemm
