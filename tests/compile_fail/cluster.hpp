// The program around the mistakes with clusters.
#pragma once

#include <tma/tma.hpp>

#include <tma/device/cluster.hpp>

using Tile     = tma::Tile<float, tma::Shape<32, 32>>;
using ConstMap = tma::TmaDescriptor<const float, 2, Tile>;

struct Shared {
  Tile                   tile, other;
  tma::Buffer<int, 64>   ints;
  tma::Buffer<float, 64> floats;
  tma::LoadBarrier       barrier;
  tma::Mbarrier<32>      counter;
};
