// A struct of the user's own: the compiler names the struct and the line, the library has no say.
// expect: function "Shared::Shared(const Shared &)" (declared implicitly) cannot be referenced -- it is a deleted function
#include "common.hpp"

__global__ void kernel(float* out) {
#ifndef FIXED
  auto [tile, barrier] = tma::shared<Shared>();
#else
  auto& [tile, barrier] = tma::shared<Shared>();
#endif
  *out = tile[0];
}
