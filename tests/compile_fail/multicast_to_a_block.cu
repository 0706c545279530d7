// expect: tma: a multicast completes on barriers of a cluster, whose phases acquire at its scope
#include "cluster.hpp"

__global__ void kernel(const __grid_constant__ ConstMap in) {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto [block, phase] = tma::this_block(s.barrier);
  if (auto issuer = cluster.elect()) issuer.load(in, {0, 0}, s.tile, phase, cluster.everyone());
#else
  if (auto issuer = cluster.elect()) issuer.load(in, {0, 0}, s.tile, arrived, cluster.everyone());
#endif
}
