// Products of the matrix units with fewer columns than a matrix product has: what examples/gemm/wgmma.hpp has for 64 columns and
// more, for 8, 16 and 32.
#pragma once

#include <type_traits>

#include "../../examples/gemm/wgmma.hpp"

namespace skinny {

// As gemm::Accumulators.
template <int N> struct FewAccumulators {
  static_assert(N == 8 || N == 16 || N == 32);
  float value[N / 2];
};

template <int N> __device__ __forceinline__ void pin(FewAccumulators<N>& sum) {
#pragma unroll
  for (float& x : sum.value) asm volatile("" : "+f"(x)::"memory");
}
template <int N> __device__ __forceinline__ void begin(FewAccumulators<N>& sum) {
  pin(sum);
  tma::wgmma_fence();
}
template <int Newer, int N> __device__ __forceinline__ void wait(FewAccumulators<N>& sum) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Newer) : "memory");
  pin(sum);
}

// clang-format off
#define SKINNY_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SKINNY_WGMMA(N, TEXT, A, B, ADD, ...)                                                                            \
  asm volatile("{ .reg .pred add; setp.ne.b32 add, " ADD ", 0;\n"                                                        \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" TEXT "}, " A ", " B ", add, 1, 1, 0, 0; }"   \
               : __VA_ARGS__ : "l"(a.descriptor()), "l"(b.descriptor()), "r"(int(add)) : "memory")
template <class T, int N>
__device__ __forceinline__ void multiply(FewAccumulators<N>& sum, gemm::Operand tile_a, gemm::Operand tile_b, bool add_to) {
  float (&d)[N / 2] = sum.value;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const gemm::Operand a = tile_a + 2 * k, b = tile_b + 2 * k;
    const bool          add = add_to || k > 0;
    if constexpr (N == 8) SKINNY_WGMMA(8, "%0,%1,%2,%3", "%4", "%5", "%6", SKINNY_4(0));
    else if constexpr (N == 16) SKINNY_WGMMA(16, "%0,%1,%2,%3,%4,%5,%6,%7", "%8", "%9", "%10", SKINNY_4(0), SKINNY_4(4));
    else SKINNY_WGMMA(32, "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15", "%16", "%17", "%18",
                      SKINNY_4(0), SKINNY_4(4), SKINNY_4(8), SKINNY_4(12));
  }
}
#undef SKINNY_WGMMA
#undef SKINNY_4
// clang-format on

template <int N> using Accumulators = std::conditional_t<(N < 64), FewAccumulators<N>, gemm::Accumulators<N>>;

}  // namespace skinny
