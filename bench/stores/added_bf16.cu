#include "variants.cuh"

namespace stores {

std::vector<Variant> added_bf16(const Region& r) {
  return added<__nv_bfloat16, tma::Tile<__nv_bfloat16, tma::Shape<8, 256>>, 2048, 8192>(r, "red.v4.bf16x2");
}

}  // namespace stores
