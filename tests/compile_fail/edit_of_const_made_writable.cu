// expect: tma::edit: an edit keeps element, rank, box and swizzle, which the type says.
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ ConstMap reads, const __grid_constant__ Map writes, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
#ifndef FIXED
  auto edit = tma::edit(scratch, reads);
#else
  auto edit = tma::edit(scratch, writes);
  edit.address(data);
#endif
}
