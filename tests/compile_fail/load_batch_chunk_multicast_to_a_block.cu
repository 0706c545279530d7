// expect: tma: a multicast completes on barriers of a cluster, whose phases acquire at its scope
#include "cluster.hpp"

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto [block, phase] = tma::this_block(s.barrier);
#else
  auto& phase = arrived;
#endif
  if (auto issuer = cluster.elect()) tma::LoadBatch(issuer, phase).load(in.chunk<64>(0), s.floats, cluster.everyone());
}
