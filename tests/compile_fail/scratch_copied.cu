// expect: a_scratch_is_a_place_in_shared_memory__take_it_by_reference
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern, float* data) {
#ifndef FIXED
  auto scratch = tma::shared<tma::DescriptorScratch<Map>>();
#else
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
#endif
  tma::edit(scratch, pattern).address(data);
}
