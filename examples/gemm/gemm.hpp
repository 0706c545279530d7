// The ladder: C = A B of 16-bit elements, sums in 32 bits, in steps that add one idea each. What all rungs have in common;
// each is a file of its own (1_*.cu to 10_best.cu) that defines `gemm::plan<N, T>` and instantiates it for both types.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <functional>

namespace gemm {

// A is m x k and row-major; B is k x n and column-major, which is n rows of k elements; C is m x n and row-major. A row begins
// `pitch` elements after the one before it: a multiple of 8 (16 bytes), and not less than the row. Extents are any. What lies
// between the rows of C may be overwritten.
template <class T> struct Problem {
  int      m, n, k;
  const T *a, *b;
  T*       c;
  int      pitch_a = k, pitch_b = k, pitch_c = n;
};

// One launch. What a launch needs, descriptors above all, is made once, with the plan.
using Run = std::function<void(cudaStream_t)>;

// Throws tma::Error where the engine does not take the problem.
template <int Rung, class T> Run plan(const Problem<T>& problem);

constexpr int rungs = 10;

inline constexpr const char* rung_names[rungs + 1] = {
    "",
    "1 cp.async",
    "2 tma",
    "3 pipeline",
    "4 warp specialised",
    "5 persistent",
    "6 multicast",
    "7 tma stores",
    "8 rectangles",
    "9 late results",
    "10 best",
};

#define GEMM_INSTANTIATE(RUNG)                                              \
  template gemm::Run gemm::plan<RUNG>(const gemm::Problem<__nv_bfloat16>&); \
  template gemm::Run gemm::plan<RUNG>(const gemm::Problem<__half>&)

// The plan of a rung that is known when it runs.
template <class T> Run plan(int rung, const Problem<T>& problem) {
  switch (rung) {
    case 1: return plan<1>(problem);
    case 2: return plan<2>(problem);
    case 3: return plan<3>(problem);
    case 4: return plan<4>(problem);
    case 5: return plan<5>(problem);
    case 6: return plan<6>(problem);
    case 7: return plan<7>(problem);
    case 8: return plan<8>(problem);
    case 9: return plan<9>(problem);
    default: return plan<10>(problem);
  }
}

}  // namespace gemm
