// expect: tma: copies to another block are those of a cluster: #include <tma/device/cluster.hpp>
#include "common.hpp"

__global__ void kernel() {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.send(ready, tile, arrived);
#else
  arrived.wait();
#endif
}
