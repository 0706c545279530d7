// expect: tma: only what lies in shared memory has a peer
#include "cluster.hpp"

__global__ void kernel(const __grid_constant__ ConstMap in) {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(in, 1).get();
#else
  cluster.peer(s.tile, 1).get();
#endif
}
