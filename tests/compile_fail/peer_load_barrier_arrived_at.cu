// expect: tma: the one arrival of a LoadBarrier is that of the loads or of issuer.send
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(arrived, 1).arrive();
#else
  cluster.peer(free, 1).arrive();
#endif
}
