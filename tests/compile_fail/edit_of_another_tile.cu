// expect: tma::edit: an edit keeps element, rank, box and swizzle, which the type says. Make a descriptor of another type with
// expect: tma::describe(scratch, source, address, extents, strides)
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern, tma::DescriptorSlots<Other> slots, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Other>>();
#ifndef FIXED
  auto edit = tma::edit(scratch, pattern);
#else
  tma::describe(scratch, pattern, data, {64, 64}, {64, 1}).publish(slots, 0, tma::no_copy_uses_it());
#endif
}
