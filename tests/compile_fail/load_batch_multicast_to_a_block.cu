// expect: tma: a multicast completes on barriers of a cluster, whose phases acquire at its scope
#include "cluster.hpp"

__global__ void kernel(const __grid_constant__ ConstMap in) {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto [block, phase] = tma::this_block(s.barrier);
#else
  auto& phase = arrived;
#endif
  if (auto issuer = cluster.elect()) {
    tma::LoadBatch batch(issuer, phase);
    batch.load(in, {0, 0}, s.tile, cluster.everyone());
  }
}
