// expect: tma::DescriptorEdit: one number for each dimension of the tensor, slowest first
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, pattern);
#ifndef FIXED
  edit.extents({64, 64, 64});
#else
  edit.extents({64, 64});
#endif
}
