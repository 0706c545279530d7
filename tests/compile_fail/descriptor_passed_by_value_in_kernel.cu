// expect: a_descriptor_is_not_copied_in_device_code__take_it_as_const___grid_constant___and_pass_it_on_by_const_reference
#include "common.hpp"

__device__ void use(const Map&) {}

#ifndef FIXED
__device__ void pass(Map map) { use(map); }
#else
__device__ void pass(const Map& map) { use(map); }
#endif

__global__ void kernel(const __grid_constant__ Map in) { pass(in); }
