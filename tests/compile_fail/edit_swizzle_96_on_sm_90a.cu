// expect: tma: the 96-byte swizzle needs sm_103a; this compiles for sm_90a
#include "descriptors.hpp"

using Edited = tma::TmaDescriptor<float, 2, tma::Tile<float, tma::Shape<8, 24>>>;

__global__ void kernel(const __grid_constant__ Edited pattern, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Edited>>();
  auto  edit    = tma::edit(scratch, pattern);
#ifndef FIXED
  edit.swizzle_96();
#else
  edit.address(data);
#endif
}
