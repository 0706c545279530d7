// expect: tma: only what lies in shared memory has a peer
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  int* values = s.ints.data();
  cluster.peer(values, 1).get();
#else
  cluster.peer(s.ints, 1).get();
#endif
}
