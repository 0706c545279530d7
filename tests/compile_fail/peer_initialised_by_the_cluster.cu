// expect: tma: a barrier is initialised by the block it lies in, and not by its peers
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto there          = cluster.peer(s.counter, 1);
  auto [again, phase] = tma::this_cluster(there);
#else
  auto [again, phase] = tma::this_cluster(s.counter);
#endif
}
