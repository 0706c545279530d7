// expect: tma: a barrier is initialised by the block it lies in, and not by its peers
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto there          = cluster.peer(s.counter, 1);
  auto [block, phase] = tma::this_block(there);
#else
  auto [block, phase] = tma::this_block(s.counter);
#endif
}
