// expect: tma::DescriptorEdit: the NaN fill is for floating types
#include "descriptors.hpp"

#ifndef FIXED
using Element = int;
#else
using Element = float;
#endif
using Edited = tma::TmaDescriptor<Element, 2, tma::Tile<Element, tma::Shape<8, 8>>>;

__global__ void kernel(const __grid_constant__ Edited pattern) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Edited>>();
  auto  edit    = tma::edit(scratch, pattern);
  edit.fill<tma::Fill::nan>();
}
