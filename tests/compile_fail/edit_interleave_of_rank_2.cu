// expect: tma::DescriptorEdit: interleaved layouts have rank 3 to 5
#include "descriptors.hpp"

#ifndef FIXED
using Edited = Map;
#else
using Edited = tma::TmaDescriptor<float, 3, tma::Tile<float, tma::Shape<4, 8, 4>>>;
#endif

__global__ void kernel(const __grid_constant__ Edited pattern) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Edited>>();
  auto  edit    = tma::edit(scratch, pattern);
  edit.interleave<tma::Interleave::bytes_16>();
}
