// expect: tma: only what lies in shared memory has a peer
// expect: This is a temporary
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(3, 1);
#else
  (void)cluster.peer(s.tile, 1);
#endif
}
