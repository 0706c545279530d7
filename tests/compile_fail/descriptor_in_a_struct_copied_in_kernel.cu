// expect: a_descriptor_is_not_copied_in_device_code__take_it_as_const___grid_constant___and_pass_it_on_by_const_reference
#include "common.hpp"

struct Inputs {
  Map map;
  int rows;
};

__device__ void use(const Inputs&) {}

__global__ void kernel(const __grid_constant__ Inputs in) {
#ifndef FIXED
  const Inputs copy = in;
#else
  const Inputs& copy = in;
#endif
  use(copy);
}
