// expect: a_descriptor_is_not_copied_in_device_code__take_it_as_const___grid_constant___and_pass_it_on_by_const_reference
#include "common.hpp"

__device__ void use(const ConstMap&) {}

__global__ void kernel(const __grid_constant__ ConstMap in) {
#ifndef FIXED
  auto copy = in;
#else
  auto& copy = in;
#endif
  use(copy);
}
