// expect: no instance of overloaded function "tma::Issuer::load" matches the argument list
// expect: argument types are: (tma::DescriptorSlots<ConstMap>
#include "descriptors.hpp"

__global__ void kernel(tma::DescriptorSlots<ConstMap> slots) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(slots, {0, 0}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, 0), {0, 0}, tile, arrived);
#endif
  arrived.wait();
}
