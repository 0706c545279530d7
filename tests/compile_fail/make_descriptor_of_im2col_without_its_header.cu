// expect: tma::make_descriptor: what makes im2col descriptors is in a header of its own: #include <tma/host/im2col.hpp>
#include <tma/core/im2col.hpp>

#include "common.hpp"

#ifdef FIXED
#  include <tma/host/im2col.hpp>
#endif

using Pixels = tma::Tile<float, tma::Shape<64, 16>>;

auto make(const float* a) {
  return tma::make_descriptor<tma::Im2col<Pixels>>(tma::TensorView{a, {2, 8, 8, 16}},
                                                   {.lower = {-1, -1}, .upper = {-1, -1}});
}
