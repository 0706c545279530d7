// expect: a_cluster_is_one_threads_view__pass_it_by_reference
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto again = cluster;
#else
  auto& again = cluster;
  again.sync();
#endif
}
