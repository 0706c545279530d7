// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "descriptors.hpp"

__global__ void kernel(tma::DescriptorSlots<Map> slots, float* data) {
  auto block = tma::this_block();
#ifndef FIXED
  tma::drain(block);
#else
  tma::edit(slots, 0, tma::drain(block)).address(data).publish();
#endif
}
