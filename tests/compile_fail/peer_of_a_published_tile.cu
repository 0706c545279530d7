// expect: tma: only what lies in shared memory has a peer
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto ready = cluster.block().publish(s.tile);
  cluster.peer(ready, 0).get();
#else
  cluster.peer(s.tile, 0).get();
#endif
}
