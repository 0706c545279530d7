// expect: tma::Peer: what is written into a peer's shared memory completes on a tma::LoadBarrier of the same peer
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(s.ints, 1).element(2).store_async(3, cluster.peer(free, 1));
#else
  cluster.peer(s.ints, 1).element(2).store_async(3, cluster.peer(arrived, 1));
#endif
}
