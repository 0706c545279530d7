// expect: a_descriptor_is_not_copied_in_device_code__take_it_as_const___grid_constant___and_pass_it_on_by_const_reference
#include "common.hpp"

__device__ void use(const Map&) {}

__global__ void kernel(const __grid_constant__ Map in, const __grid_constant__ Map other, bool swap) {
#ifndef FIXED
  Map chosen;
  chosen = swap ? other : in;
#else
  const Map& chosen = swap ? other : in;
#endif
  use(chosen);
}
