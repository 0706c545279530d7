// Host code of a user with -Wall -Wextra: the compiler has nothing to say, not even a note.
#include <tma/host/launch.hpp>
#include <tma/host/make_descriptor.hpp>

using Tile = tma::Tile<float, tma::Shape<8, 16>>;

tma::TmaDescriptor<float, 2, Tile> with_tile(float* data) {
  return tma::make_descriptor<Tile>(tma::TensorView{data, {128, 64}});
}

tma::TmaDescriptor<const float, 2> with_box(const float* data, int rows) {
  return tma::make_descriptor(tma::TensorView{data, {128, 64}}, {rows, 16}, tma::Swizzle::bytes_128);
}

bool fits(float* data) { return tma::check<Tile>(tma::TensorView{data, {128, 64}}).ok(); }
