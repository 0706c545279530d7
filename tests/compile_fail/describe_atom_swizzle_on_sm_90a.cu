// expect: tma: setting a packed type or the atom of a swizzle on the device needs sm_100a or sm_100f, or a later target likewise; this compiles
// expect: for sm_90a
#include "descriptors.hpp"

#ifndef FIXED
constexpr auto mode = tma::Swizzle::bytes_128_atom_32;
#else
constexpr auto mode = tma::Swizzle::bytes_128;
#endif
using Swizzled = tma::TmaDescriptor<float, 2, tma::Tile<float, tma::Shape<8, 32>, mode>>;

__global__ void kernel(const __grid_constant__ Map source, tma::DescriptorSlots<Swizzled> slots, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Swizzled>>();
  tma::describe(scratch, source, data, {64, 64}, {64, 1}).publish(slots, 0, tma::no_copy_uses_it());
}
