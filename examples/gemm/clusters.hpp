// What the rungs have in common whose blocks are clusters of two, one above the other.
#pragma once

#include <tma/pipeline/cluster_parts.hpp>

#include "persistent.hpp"

namespace gemm {

using Cluster    = tma::ClusterShape<2, 1>;
using PairRaster = tma::GroupedRaster<8, tma::RasterGroup::rows, Cluster::rows, Cluster::columns>;

template <class T> using HalfB    = tma::slice_t<TileB<T>, Cluster::rows>;  // what each of them loads of B, for both
template <class T> using MapHalfB = tma::TmaDescriptor<const T, 2, HalfB<T>>;
template <class T> using PairPipe = tma::Pipeline<4, TileA<T>, tma::SharedInColumn<TileB<T>, Cluster>, tma::MatrixReads>;

// The producer's part. Half a tile of B has the type of a tile of A: the slot tells them apart.
template <class T, class Producer>
__device__ __forceinline__ void load_tiles(Producer& producer, const tma::StaticTiles<Cluster::size>& tiles,
                                           const PairRaster& raster, const MapA<T>& a, const MapHalfB<T>& b, int steps) {
  for (const int index : tiles) {
    const auto tile = raster(index);
    for (int step = 0; step < steps; ++step)
      producer.next([&](auto& stage) {
        stage.load(a, {tile.row * block_rows, step * depth}, tma::slot<0>);
        stage.load(b, {tile.column * block_columns, step * depth}, tma::slot<1>);
      });
  }
}

template <class T> PairRaster pair_raster_of(const Problem<T>& p) {
  return {(p.m + block_rows - 1) / block_rows, (p.n + block_columns - 1) / block_columns};
}

}  // namespace gemm
