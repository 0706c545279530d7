// A warpgroup's sums as tiles in shared memory that the engine stores.
#pragma once

#include <tma/pipeline/store_ring.hpp>

#include "block.hpp"

namespace gemm {

// 64 rows of 64 elements: 128 bytes, the swizzle's span. With it the eight rows that a matrix of 8 x 8 has meet every bank once.
template <class T> using TileC = tma::Tile<T, tma::Shape<64, 64>, tma::Swizzle::bytes_128>;
template <class T> using MapC  = tma::TmaDescriptor<T, 2, TileC<T>>;

// What a warpgroup writes at a time, half of its 256 columns: it then waits for the engine once a tile, between the halves.
template <class T> using HalfOfResults = tma::StoreStages<1, TileC<T>, TileC<T>>;

// Whole pieces of 16 bytes are stored: up to seven elements of the gap behind a row are written, which belong to nobody.
template <class T> tma::TensorView<T, 2> view_c(const Problem<T>& p) {
  return {p.c, {p.m, (p.n + 7) / 8 * 8}, {p.pitch_c, 1}};
}

// Sums `2 i` and `2 i + 1` of a thread as neighbouring elements.
template <class T, int N> __device__ __forceinline__ unsigned pair_of(const Accumulators<N>& sum, int i) {
  return two<T>(sum.value[2 * i], sum.value[2 * i + 1]);
}

// A thread's share of 64 x N sums, rounded: half as many registers.
template <class T, int N> struct Rounded {
  unsigned pair[N / 4];

  __device__ __forceinline__ void take(const Accumulators<N>& sum) {
#pragma unroll
    for (int i = 0; i < N / 4; ++i) {
      pair[i] = pair_of<T>(sum, i);
      asm volatile("" : "+r"(pair[i]));  // now, and not where it is used: the sums' registers are needed
    }
  }
};
template <class T, int N> __device__ __forceinline__ unsigned pair_of(const Rounded<T, N>& rounded, int i) {
  return rounded.pair[i];
}

// Columns `First` to `First` + 63 of the sums, by all threads of the warpgroup. One instruction writes four matrices of 8 x 8
// elements: lane l says where row l % 8 of matrix l / 8 begins, and has of each what its accumulators have.
template <int First, class T, class Sums> __device__ __forceinline__ void write(TileC<T>& tile, const Sums& sums, int rank) {
  const unsigned begin = unsigned(__cvta_generic_to_shared(tile.storage()));
  const int      row = rank / 32 * 16 + rank % 16, column = rank / 16 % 2 * 8;
#pragma unroll
  for (int j = 0; j < 64; j += 16) {
    const int i = (First + j) / 4;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     begin + TileC<T>::offset_of(row, column + j)),
                 "r"(pair_of<T>(sums, i)), "r"(pair_of<T>(sums, i + 1)), "r"(pair_of<T>(sums, i + 2)),
                 "r"(pair_of<T>(sums, i + 3))
                 : "memory");
  }
}

// 128 columns of the sums, from `First` on, to C.
template <int First, class Ring, class T, class Sums>
__device__ __forceinline__ void store_half(Ring& ring, const MapC<T>& c, const Sums& sums, int row, int column, int rank) {
  ring.next(
      [&](TileC<T>& left, TileC<T>& right) {
        write<First>(left, sums, rank);
        write<First + 64>(right, sums, rank);
      },
      [&](auto& stores) {
        stores.store(c, {row, column + First}, tma::slot<0>);
        stores.store(c, {row, column + First + 64}, tma::slot<1>);
      });
}

// The sums to C, from `row` and `column` on, 128 columns at a time.
template <class Ring, class T, class Sums>
__device__ __forceinline__ void store(Ring& ring, const MapC<T>& c, const Sums& sums, int row, int column, int rank) {
  store_half<0>(ring, c, sums, row, column, rank);
  store_half<128>(ring, c, sums, row, column, rank);
}

}  // namespace gemm
