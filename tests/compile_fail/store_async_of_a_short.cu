// expect: tma::Peer: an asynchronous store writes a value of 4, 8 or 16 bytes
#include "cluster.hpp"

__global__ void kernel() {
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, free] = tma::this_cluster<2>(s.barrier, s.counter);
  struct Value {
    short small;
    int   large;
  };
  auto& value = tma::shared<Value>();
#ifndef FIXED
  cluster.peer(value.small, 1).store_async(3, cluster.peer(arrived, 1));
#else
  cluster.peer(value.large, 1).store_async(3, cluster.peer(arrived, 1));
#endif
}
