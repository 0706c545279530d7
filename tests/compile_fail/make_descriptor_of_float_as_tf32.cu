// expect: tma::TmaDescriptor: tensor and tile have the same element type
// expect: tf32 and ftz are asked for by viewing the tensor as tma::tf32 or tma::f32_ftz
#include <tma/tma.hpp>

using Tile = tma::Tile<tma::tf32, tma::Shape<32, 32>>;

auto make(float* a) {
#ifndef FIXED
  return tma::make_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#else
  return tma::make_descriptor<Tile>(tma::TensorView{reinterpret_cast<tma::tf32*>(a), {64, 64}});
#endif
}
