#include "variants.cuh"

namespace stores {

std::vector<Variant> added_f32(const Region& r) {
  return added<float, tma::Tile<float, tma::Shape<8, 128>>, 1024, 4096>(r, "red.v4.f32");
}

}  // namespace stores
