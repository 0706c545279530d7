// expect: tma::DescriptorEdit: copies that are still under way read the old descriptor while it changes. Say what they have
// expect: done: edit.publish(slots, i, tma::drain(block)), or tma::no_copy_uses_it()
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern, tma::DescriptorSlots<Map> slots, float* data) {
  auto&      scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto       block   = tma::this_block();
  const auto drained = tma::drain(block);
  auto       edit    = tma::edit(scratch, pattern);
  edit.address(data);
#ifndef FIXED
  edit.publish(slots, 0);
#else
  edit.publish(slots, 0, drained);
#endif
}
