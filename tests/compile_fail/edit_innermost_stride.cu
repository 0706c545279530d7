// expect: tma::DescriptorEdit: strides are those of dimensions 0, the slowest, to rank - 2
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, pattern);
#ifndef FIXED
  edit.stride<1>(64);
#else
  edit.stride<0>(64);
#endif
}
