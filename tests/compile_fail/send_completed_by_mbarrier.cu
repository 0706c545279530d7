// expect: tma: what is sent completes on a tma::LoadBarrier of the peer
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
  auto ready                    = cluster.block().publish(s.tile);
#ifndef FIXED
  if (auto issuer = cluster.elect()) issuer.send(ready, cluster.peer(s.other, 1), cluster.peer(free, 1));
#else
  if (auto issuer = cluster.elect()) issuer.send(ready, cluster.peer(s.other, 1), cluster.peer(arrived, 1));
#endif
}
