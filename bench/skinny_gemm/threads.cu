// The library's kernel with loads by threads: cp.async.
#include "kernel.cuh"

namespace skinny {

Prepared by_threads(const Problems& problems) {
  return with_shape<16>(problems.front(), [&]<class S>(S) {
    // Each tile of a stage is a piece of code here, and many do not fit the cache of instructions.
    if constexpr (S::depth > 4) return by_ring<Shape<16, 64, 4>, tma::ThreadLoads>(problems);
    else return by_ring<S, tma::ThreadLoads>(problems);
  });
}

}  // namespace skinny
