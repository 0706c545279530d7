// expect: tma::edit: the device edits descriptors of tiles and of four rows. One of an im2col copy is made by the host
#include "descriptors.hpp"

#ifndef FIXED
using Edited = tma::TmaDescriptor<float, 4, tma::Im2col<Tile>>;
#else
using Edited = Map;
#endif

__global__ void kernel(const __grid_constant__ Edited pattern, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Edited>>();
  auto  edit    = tma::edit(scratch, pattern);
  edit.address(data);
}
