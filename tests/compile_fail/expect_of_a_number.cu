// expect: tma: expect() takes what is to come: a tma::Tile, a tma::Buffer, a chunk or a descriptor
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  if (auto issuer = cluster.elect()) issuer.expect(4096, arrived);
#else
  if (auto issuer = cluster.elect()) issuer.expect(s.tile, arrived);
#endif
}
