// expect: tma::Mbarrier: a phase has 1 to 1048575 arrivals
#include "common.hpp"

#ifndef FIXED
__global__ void kernel() { tma::shared<tma::Mbarrier<1 << 20>>().arrive(); }
#else
__global__ void kernel() { tma::shared<tma::Mbarrier<(1 << 20) - 1>>().arrive(); }
#endif
