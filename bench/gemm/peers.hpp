// Who else multiplies matrices.
#pragma once

#include <memory>

#include "../../examples/gemm/gemm.hpp"

namespace peers {

// The vendor's library, by its two ways in.
class Cublas {
public:
  Cublas();
  ~Cublas();

  // As it chooses itself (cublasGemmEx).
  template <class T> gemm::Run chosen(const gemm::Problem<T>& problem);

  // cublasLt: the fastest of all algorithms that its heuristics name, in a short search made here.
  template <class T> gemm::Run fastest(const gemm::Problem<T>& problem);

private:
  struct State;
  std::shared_ptr<State> state_;
};

#if defined(TMA_BENCH_CUTLASS)
// CUTLASS's collective builder: 128 x 256 x 64, clusters of 2 x 1, blocks that stay, two warpgroups on a tile. The fastest of
// its orders of tiles, in a short search.
gemm::Run cutlass(const gemm::Problem<__nv_bfloat16>& problem);
#endif

// Milliseconds of a launch, the shorter of a few, for the searches.
double short_time(const gemm::Run& run);

}  // namespace peers
