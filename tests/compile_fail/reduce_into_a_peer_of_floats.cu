// expect: tma: into a peer's shared memory the copy engine adds u32, i32, u64 and i64
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
  auto [floats, ints]           = cluster.block().publish(s.floats, s.ints);
#ifndef FIXED
  if (auto issuer = cluster.elect())
    issuer.reduce<tma::Reduction::add>(cluster.peer(s.floats, 1), floats, cluster.peer(arrived, 1));
#else
  if (auto issuer = cluster.elect())
    issuer.reduce<tma::Reduction::add>(cluster.peer(s.ints, 1), ints, cluster.peer(arrived, 1));
#endif
}
