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

// Columns `First` to `First` + 63 of the sums, by all threads of the warpgroup. One instruction writes four matrices of 8 x 8
// elements: lane l says where row l % 8 of matrix l / 8 begins, and has of each what its accumulators have.
template <int First, class T, int N>
__device__ __forceinline__ void write(TileC<T>& tile, const Accumulators<N>& sum, int rank) {
  const unsigned begin = unsigned(__cvta_generic_to_shared(tile.storage()));
  const int      row = rank / 32 * 16 + rank % 16, column = rank / 16 % 2 * 8;
#pragma unroll
  for (int j = 0; j < 64; j += 16) {
    const float* v = sum.value + (First + j) / 2;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     begin + TileC<T>::offset_of(row, column + j)),
                 "r"(two<T>(v[0], v[1])), "r"(two<T>(v[2], v[3])), "r"(two<T>(v[4], v[5])), "r"(two<T>(v[6], v[7]))
                 : "memory");
  }
}

// The sums to C, from `row` and `column` on, 128 columns at a time.
template <int First = 0, class Ring, class T, int N>
__device__ __forceinline__ void store(Ring& ring, const MapC<T>& c, const Accumulators<N>& sum, int row, int column,
                                      int rank) {
  ring.next(
      [&](TileC<T>& left, TileC<T>& right) {
        write<First>(left, sum, rank);
        write<First + 64>(right, sum, rank);
      },
      [&](auto& stores) {
        stores.store(c, {row, column + First}, tma::slot<0>);
        stores.store(c, {row, column + First + 64}, tma::slot<1>);
      });
  if constexpr (First + 128 < N) store<First + 128>(ring, c, sum, row, column, rank);
}

}  // namespace gemm
