// What the rungs without clusters have in common whose results the engine stores: four stages, and rounds of tiles that are
// rectangles.
#pragma once

#include "persistent.hpp"
#include "results.hpp"

namespace gemm {

template <class T> using Pipe = tma::Pipeline<4, TileA<T>, TileB<T>, tma::MatrixReads>;

template <class T> struct Shared {
  typename Pipe<T>::Shared ring;
  HalfOfResults<T>         results[2];  // of each warpgroup
};

// Bands of 16 rows of tiles: 128 blocks have 16 x 8, as many rows of A as of B.
constexpr int band = 16;
using Rectangles   = tma::GroupedRaster<band>;

template <class T> Rectangles rectangles_of(const Problem<T>& p) {
  return {(p.m + block_rows - 1) / block_rows, (p.n + block_columns - 1) / block_columns};
}

// The producer's part: every tile's steps in their order.
template <class T, class Producer>
__device__ __forceinline__ void load_tiles(Producer& producer, const tma::StaticTiles<>& tiles, const Rectangles& order,
                                           const MapA<T>& a, const MapB<T>& b, int steps) {
  for (const int index : tiles) {
    const auto tile = order(index);
    for (int step = 0; step < steps; ++step)
      producer.next([&](auto& stage) {
        stage.load(a, {tile.row * block_rows, step * depth});
        stage.load(b, {tile.column * block_columns, step * depth});
      });
  }
}

// No more blocks than it takes to be done in as many rounds.
inline int blocks_in_rounds(int tiles) {
  const int most = blocks_of(tiles), rounds = (tiles + most - 1) / most;
  return (tiles + rounds - 1) / rounds;
}

}  // namespace gemm
