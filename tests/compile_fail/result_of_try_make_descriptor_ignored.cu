// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "common.hpp"

void make(float* a) {
#ifndef FIXED
  tma::try_make_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#else
  (void)tma::try_make_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#endif
}
