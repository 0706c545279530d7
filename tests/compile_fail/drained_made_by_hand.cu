// expect: drained_comes_from_tma_drain_or_tma_no_copy_uses_it
#include "descriptors.hpp"

__global__ void kernel(tma::DescriptorSlots<Map> slots, float* data) {
#ifndef FIXED
  tma::edit(slots, 0, tma::Drained(true)).address(data).publish();
#else
  tma::edit(slots, 0, tma::no_copy_uses_it()).address(data).publish();
#endif
}
