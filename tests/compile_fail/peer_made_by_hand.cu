// expect: a_peer_comes_from_cluster_peer
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  tma::Peer<Tile> there(s.tile);
  there.get();
#else
  cluster.peer(s.tile, 1).get();
#endif
}
