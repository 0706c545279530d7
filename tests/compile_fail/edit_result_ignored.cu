// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
#ifndef FIXED
  tma::edit(scratch, pattern);
#else
  tma::edit(scratch, pattern).address(data);
#endif
}
