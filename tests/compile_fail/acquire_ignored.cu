// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "descriptors.hpp"

__global__ void kernel(tma::DescriptorSlots<ConstMap> slots) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
#ifndef FIXED
    tma::acquire(slots, 0);
#else
    issuer.load(tma::acquire(slots, 0), {0, 0}, tile, arrived);
#endif
  }
  arrived.wait();
}
