// expect: tma::DescriptorEdit: the descriptor's type says what the box is. A tma::TmaDescriptor<T, Rank> without a tile has one
// expect: to be set
#include "descriptors.hpp"

#ifndef FIXED
using Edited = Map;
#else
using Edited = tma::TmaDescriptor<float, 2>;
#endif

__global__ void kernel(const __grid_constant__ Edited pattern) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Edited>>();
  auto  edit    = tma::edit(scratch, pattern);
  edit.box({8, 8});
}
