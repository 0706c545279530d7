// expect: an_edit_is_one_warps__pass_it_by_reference
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, pattern);
#ifndef FIXED
  auto copy = edit;
#else
  auto& copy = edit;
#endif
  copy.address(data);
}
