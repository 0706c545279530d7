// expect: tma: this phase sees what its own block's threads released, and not what other blocks do
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<2>(s.barrier);
#ifndef FIXED
  auto [block, free] = tma::this_block(s.counter);
#else
  auto [again, free] = tma::this_cluster<2>(s.counter);
#endif
  cluster.peer(free, 1).arrive();
  free.wait();
}
