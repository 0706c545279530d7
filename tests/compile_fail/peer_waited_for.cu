// expect: tma::Peer: a thread waits for a barrier of its own block alone
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(s.counter, 1).wait();
#else
  free.wait();
#endif
}
