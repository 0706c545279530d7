// expect: tma::registers_of: takes the roles that tma::specialize is given
#include "common.hpp"

#ifndef FIXED
constexpr auto taken = tma::registers_of(40, 232);
#else
constexpr auto taken = tma::registers_of(tma::producer_warp<0, 40>, tma::consumer_groups<2, 4, 232>);
static_assert(taken.warps == 12 && taken.registers == 128 * (40 + 2 * 232));
#endif
int registers() { return taken.registers; }
