// expect: tma::this_cluster: a cluster has at most 8 blocks
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto again = tma::this_cluster<17>();
#else
  auto again = tma::this_cluster<16>();
  again.sync();
#endif
}
