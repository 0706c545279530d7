// expect: tma: a multicast completes on barriers of a cluster, whose phases acquire at its scope
#include "cluster.hpp"
#include <tma/device/bulk_copy.hpp>

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  auto [block, phase] = tma::this_block(s.barrier);
#else
  auto& phase = arrived;
#endif
  if (auto issuer = cluster.elect()) tma::BulkCopy1D<64>().load(issuer, s.floats, in, phase, cluster.everyone());
}
