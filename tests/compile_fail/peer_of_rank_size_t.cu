// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include "cluster.hpp"

__global__ void kernel(unsigned long rank) {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(s.counter, rank).arrive();
#else
  cluster.peer(s.counter, int(rank)).arrive();
#endif
}
