// The library's kernel, for every number of rows of x.
#include "kernel.cuh"

namespace skinny {

namespace {

template <int Columns> Prepared by_columns(const Problems& problems) {
  return with_shape<Columns>(problems.front(), [&]<class S>(S) { return by_ring<S, tma::EngineLoads>(problems); });
}

}  // namespace

Prepared by_library(const Problems& problems) {
  const int m = problems.front().m;
  if (m <= 8) return by_columns<8>(problems);
  if (m <= 16) return by_columns<16>(problems);
  if (m <= 32) return by_columns<32>(problems);
  if (m <= 64) return by_columns<64>(problems);
  return by_columns<128>(problems);
}

}  // namespace skinny
