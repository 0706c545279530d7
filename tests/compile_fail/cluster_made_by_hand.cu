// expect: a_cluster_comes_from_this_cluster
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  tma::Cluster<2> again;
#else
  auto again = tma::this_cluster<2>();
  again.sync();
#endif
}
