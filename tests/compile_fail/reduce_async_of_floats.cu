// expect: tma: into a peer's shared memory the copy engine adds u32, i32, u64 and i64
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
#ifndef FIXED
  cluster.peer(s.floats, 1).element(2).reduce_async<tma::Reduction::add>(3, cluster.peer(arrived, 1));
#else
  cluster.peer(s.ints, 1).element(2).reduce_async<tma::Reduction::add>(3, cluster.peer(arrived, 1));
#endif
}
