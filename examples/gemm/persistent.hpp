// What the rungs have in common whose blocks stay, one for each multiprocessor: the main loop of rung 4 as a function, and how
// many blocks there are.
#pragma once

#include <algorithm>

#include <tma/device/register_budget.hpp>
#include <tma/pipeline/static_tiles.hpp>

#include "block.hpp"

namespace gemm {

constexpr int persistent_threads = 384;  // a producer's warpgroup, and two that multiply

// Adds up `steps` steps of a tile, in a warpgroup of consumers: 64 rows of its own, all columns. A stage is held until the
// products of the next are under way.
template <class T, class Consumer, int N>
__device__ __forceinline__ void accumulate(Consumer& consumer, Accumulators<N>& sum, int steps) {
  auto previous = consumer.none();
  for (int step = 0; step < steps; ++step) {
    auto stage = consumer.wait();
    begin(sum);
    multiply<T>(sum, rows_of(stage[tma::slot<0>], consumer.group() * 64), rows_of(stage[tma::slot<1>]), step > 0);
    commit();
    wait<1>(sum);
    previous = std::move(stage);  // frees the one before, which the units have read
  }
  wait<0>(sum);
}

// As many blocks as there are multiprocessors, in whole clusters, and not more than tiles.
inline int blocks_of(int tiles, int cluster = 1) {
  int device = 0, multiprocessors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  return std::min(multiprocessors / cluster * cluster, tiles);
}

}  // namespace gemm
