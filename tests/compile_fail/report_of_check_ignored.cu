// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "common.hpp"

bool possible(float* a) {
#ifndef FIXED
  tma::check<Tile>(tma::TensorView{a, {64, 64}});
  return true;
#else
  return tma::check<Tile>(tma::TensorView{a, {64, 64}}).ok();
#endif
}
