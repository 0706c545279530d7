// expect: tma::DescriptorEdit: a copy in shared memory is published to a slot, once no copy uses that: edit.publish(slots, i,
// expect: tma::drain(block)), or tma::no_copy_uses_it()
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern, tma::DescriptorSlots<Map> slots, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, pattern);
  edit.address(data);
#ifndef FIXED
  edit.publish();
#else
  edit.publish(slots, 0, tma::no_copy_uses_it());
#endif
}
