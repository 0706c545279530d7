// expect: tma::this_cluster: takes tma::LoadBarrier and tma::Mbarrier objects in shared memory
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto [again, phase] = tma::this_cluster(s.tile);
#else
  auto [again, phase] = tma::this_cluster(s.barrier);
  phase.wait();
#endif
}
