// expect: tma: a multicast goes into the tile at the same place in each block
#include "cluster.hpp"

__global__ void kernel(const __grid_constant__ ConstMap in) {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  if (auto issuer = cluster.elect())
    issuer.load(in, {0, 0}, cluster.peer(s.tile, 1), cluster.peer(arrived, 1), cluster.everyone());
#else
  if (auto issuer = cluster.elect()) issuer.load(in, {0, 0}, cluster.peer(s.tile, 1), cluster.peer(arrived, 1));
#endif
}
