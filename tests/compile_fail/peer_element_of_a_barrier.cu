// expect: tma::Peer: element() is of a tma::Tile or a tma::Buffer
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  (void)cluster.peer(s.counter, 1).element(3);
#else
  (void)cluster.peer(s.tile, 1).element(3);
#endif
}
