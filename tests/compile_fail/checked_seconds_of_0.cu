// expect: tma: TMA_CHECKED_SECONDS is above 0
// flags: -DTMA_CHECKED
// mistake: -DTMA_CHECKED_SECONDS=0
#include "common.hpp"

__global__ void kernel() { (void)tma::this_block(); }
