// expect: tma: a thread waits with its phase of the barrier, which knows the parity
// expect: auto [block, arrived] = tma::this_block(barrier), then arrived.wait()
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#ifndef FIXED
  barrier.wait();
#else
  arrived.wait();
#endif
}
