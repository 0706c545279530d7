// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include "descriptors.hpp"

__global__ void kernel(tma::DescriptorSlots<ConstMap> slots, unsigned long i) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), {0, 0}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, int(i)), {0, 0}, tile, arrived);
#endif
  arrived.wait();
}
