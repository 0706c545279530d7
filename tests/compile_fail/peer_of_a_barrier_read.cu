// expect: tma::Peer: no thread reads or writes a barrier's bytes
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(s.counter, 1).get();
#else
  cluster.peer(s.counter, 1).arrive();
#endif
}
