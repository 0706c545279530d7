// How a warpgroup gets rid of the results of a tile while it multiplies the next.
#pragma once

#include "rectangles.hpp"

namespace gemm {

// A warpgroup's share of all tiles: 64 rows of each. `tiles` gives indices, `place` tells where in C they are.
//
// When a tile is summed up the sums are rounded, into registers of their own, and the next tile begins at once. Its first step
// is under way when the left half of the results is written to shared memory, and its third when the right half is: by then the
// engine has read the left one, and nobody waits for it. The matrix units miss the rounding, and no more.
template <class T, class Consumer, class Place>
__device__ __forceinline__ void multiply_tiles(Consumer& consumer, HalfOfResults<T>& room, const MapC<T>& c,
                                               const tma::StaticTiles<>& tiles, const Place& place, int steps) {
  constexpr int               right_at = 2;  // the step
  constexpr int               none     = -1;
  tma::StoreRing              out(room, consumer);
  Accumulators<block_columns> sum;
  Rounded<T, block_columns>   results;             // of the tile before
  int                         row, column = none;  // where they go

  for (const int index : tiles) {
    int        step         = 0;
    const auto multiply_and = [&](auto&& meanwhile) {
      const auto stage = consumer.wait();
      begin(sum);
      multiply<T>(sum, rows_of(stage[tma::slot<0>], consumer.group() * 64), rows_of(stage[tma::slot<1>]), step > 0);
      commit();
      meanwhile();
      wait<0>(sum);
      ++step;
    };
    const auto nothing = [] {};
    const auto move_on = [&] {
      if (column != none) store_half<128>(out, c, results, row, column, consumer.rank());
      const auto tile = place(index);  // divisions: they too take their time beside the matrix units
      row             = tile.row * block_rows + consumer.group() * 64;
      column          = tile.column * block_columns;
    };
    if (column != none) multiply_and([&] { store_half<0>(out, c, results, row, column, consumer.rank()); });
    while (step < right_at && step < steps) multiply_and(nothing);
    if (step < steps) multiply_and(move_on);
    else move_on();
    while (step < steps) multiply_and(nothing);
    results.take(sum);
  }
  if (column != none) store(out, c, results, row, column, consumer.rank());
}

}  // namespace gemm
