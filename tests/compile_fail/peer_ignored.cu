// expect: ignor
// flags: -Werror=all-warnings
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(s.tile, 1);
#else
  (void)cluster.peer(s.tile, 1);
#endif
}
