// A host compiler alone: descriptors can be checked and made where no kernel is.
#include <tma/tma.hpp>

bool broken_rules_are_found() {
  using Tile          = tma::Tile<float, tma::Shape<16, 16>>;
  float*            p = reinterpret_cast<float*>(4096);
  const tma::Report r = tma::check<Tile>(tma::TensorView{static_cast<const float*>(p), {64, 1733}, {1733, 2}});
  return r.has("T7") && r.has("M1") && !r.has("T4");
}
