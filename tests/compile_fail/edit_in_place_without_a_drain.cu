// expect: tma::edit: copies that are still under way read the descriptor while it changes. Say what they have done:
// expect: tma::edit(slots, i, tma::drain(block)), or tma::no_copy_uses_it(); or edit a copy in shared memory
#include "descriptors.hpp"

__global__ void kernel(tma::DescriptorSlots<Map> slots, float* data) {
#ifndef FIXED
  tma::edit(slots, 0).address(data).publish();
#else
  tma::edit(slots, 0, tma::no_copy_uses_it()).address(data).publish();
#endif
}
