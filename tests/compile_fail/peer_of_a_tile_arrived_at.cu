// expect: tma::Peer: only barriers are arrived at
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(s.tile, 1).arrive();
#else
  cluster.peer(s.counter, 1).arrive();
#endif
}
