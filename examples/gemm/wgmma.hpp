// Hopper's matrix units: a warpgroup (four whole warps) multiplies 64 rows of A with N rows of B, both in shared memory, 16
// elements of K an instruction, and adds to accumulators in its registers. Of the copy engine's work nothing is here: the
// tiles are those that it brings, `tma::Tile<T, tma::Shape<rows, 64>, tma::Swizzle::bytes_128>`, rows of 64 elements of K.
//
//   gemm::Accumulators<256> sum;
//   for (each tile of K) {
//     gemm::begin(sum);                                                        // fences the registers, once before a group
//     gemm::multiply<T>(sum, gemm::rows_of(a, 64 * group), gemm::rows_of(b), k > 0);   // 64 of K: four instructions
//     gemm::commit();                                                          // a group
//     gemm::wait<1>(sum);                                                      // all but the newest are done
//   }
//   gemm::wait<0>(sum);                                                        // now the accumulators may be read
//
// All calls are made by all 128 threads of a warpgroup together.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tma/device/wgmma_fence.hpp>
#include <tma/tma.hpp>

namespace gemm {

// --- Operands --------------------------------------------------------------------------------------------------------

constexpr int depth = 64;  // elements of K in a row of a tile: 128 bytes, the swizzle's span

template <class T, int Rows> using OperandTile = tma::Tile<T, tma::Shape<Rows, depth>, tma::Swizzle::bytes_128>;

// An operand: where it begins in shared memory, in units of 16 bytes. The rest of what the matrix units are told is the same
// for all: 1024 bytes from 8 rows to the next 8, and the number of the 128-byte swizzle. (32 bits, so that moving along K is
// one addition.)
struct Operand {
  unsigned at;

  __device__ __forceinline__ Operand            operator+(unsigned units) const { return {at + units}; }
  __device__ __forceinline__ unsigned long long descriptor() const { return (1ull << 62) | (1024ull >> 4 << 32) | at; }
};

// The rows of a tile from `first` on, a multiple of 8.
template <class T, int Rows> __device__ __forceinline__ Operand rows_of(const OperandTile<T, Rows>& tile, int first = 0) {
  return {((unsigned(__cvta_generic_to_shared(tile.storage())) + unsigned(first) * 128) & 0x3ffff) >> 4};
}

// --- Accumulators ----------------------------------------------------------------------------------------------------

// A thread's share of 64 x N sums. Warp w of the group has rows 16 w to 16 w + 15; lane l has, of every 8 columns j, columns
// 8 j + 2 (l % 4) and the next: in row l / 4 the values 4 j and 4 j + 1, in row l / 4 + 8 the values 4 j + 2 and 4 j + 3.
template <int N> struct Accumulators {
  static_assert(N == 64 || N == 128 || N == 192 || N == 256, "gemm: tiles of 64, 128, 192 or 256 columns");
  static constexpr int columns = N, count = N / 2;
  float                value[count];
};

// Keeps the compiler from moving uses of the accumulators across this place.
template <int N> __device__ __forceinline__ void pin(Accumulators<N>& sum) {
#pragma unroll
  for (float& x : sum.value) asm volatile("" : "+f"(x)::"memory");
}

// --- Groups of instructions ------------------------------------------------------------------------------------------

// Before the first instruction of a group: what was done to the registers is done.
template <int N> __device__ __forceinline__ void begin(Accumulators<N>& sum) {
  pin(sum);
  tma::wgmma_fence();
}

// Closes a group of the instructions since the last.
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Until all groups but the `Newer` newest are done: their operands may be overwritten. With 0 the accumulators are there.
template <int Newer, int N> __device__ __forceinline__ void wait(Accumulators<N>& sum) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Newer) : "memory");
  pin(sum);
}

// --- Instructions ----------------------------------------------------------------------------------------------------

// An instruction has its registers in the text and as operands: both in blocks of 32.
#define GEMM_TEXT_0 \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define GEMM_TEXT_1                                                                                                        \
  GEMM_TEXT_0 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%" \
              "58,%59,%60,%61,%62,%63"
#define GEMM_TEXT_2                                                                                                        \
  GEMM_TEXT_1 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%" \
              "90,%91,%92,%93,%94,%95"
#define GEMM_TEXT_3                                                                                                         \
  GEMM_TEXT_2 ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117," \
              "%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define GEMM_8(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define GEMM_32(i) GEMM_8(i), GEMM_8(i + 8), GEMM_8(i + 16), GEMM_8(i + 24)

// %A and %B: the operands; %ADD: whether to add to what the registers hold, else they are written.
#define GEMM_WGMMA(N, TYPE, TEXT, A, B, ADD, ...)                                                       \
  asm volatile("{ .reg .pred add; setp.ne.b32 add, " ADD ", 0;\n"                                       \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" TEXT "}, " A ", " B \
               ", add, 1, 1, 0, 0; }"                                                                   \
               : __VA_ARGS__                                                                            \
               : "l"(a.descriptor()), "l"(b.descriptor()), "r"(int(add))                                \
               : "memory")
#define GEMM_WGMMA_N(TYPE)                                                                                       \
  if constexpr (N == 64) GEMM_WGMMA(64, TYPE, GEMM_TEXT_0, "%32", "%33", "%34", GEMM_32(0));                     \
  else if constexpr (N == 128) GEMM_WGMMA(128, TYPE, GEMM_TEXT_1, "%64", "%65", "%66", GEMM_32(0), GEMM_32(32)); \
  else if constexpr (N == 192)                                                                                   \
    GEMM_WGMMA(192, TYPE, GEMM_TEXT_2, "%96", "%97", "%98", GEMM_32(0), GEMM_32(32), GEMM_32(64));               \
  else GEMM_WGMMA(256, TYPE, GEMM_TEXT_3, "%128", "%129", "%130", GEMM_32(0), GEMM_32(32), GEMM_32(64), GEMM_32(96))

template <class T> inline constexpr bool is_operand_type                = false;
template <> inline constexpr bool        is_operand_type<__nv_bfloat16> = true;
template <> inline constexpr bool        is_operand_type<__half>        = true;

// 16 elements of K. `add` false: the sums begin here, at zero.
template <class T, int N> __device__ __forceinline__ void multiply_16(Accumulators<N>& sum, Operand a, Operand b, bool add) {
  static_assert(is_operand_type<T>, "gemm: elements are __nv_bfloat16 or __half");
  float (&d)[N / 2] = sum.value;
  if constexpr (sizeof(T) == 2 && __is_same(T, __half)) {
    GEMM_WGMMA_N("f16");
  } else {
    GEMM_WGMMA_N("bf16");
  }
}

// A tile's 64 elements of K. An operand moves along K by 32 bytes: the units find the swizzle in the address.
template <class T, int N>
__device__ __forceinline__ void multiply(Accumulators<N>& sum, Operand a, Operand b, bool add = true) {
#pragma unroll
  for (int k = 0; k < depth / 16; ++k) multiply_16<T>(sum, a + 2 * k, b + 2 * k, add || k > 0);
}

#undef GEMM_TEXT_0
#undef GEMM_TEXT_1
#undef GEMM_TEXT_2
#undef GEMM_TEXT_3
#undef GEMM_8
#undef GEMM_32
#undef GEMM_WGMMA
#undef GEMM_WGMMA_N

}  // namespace gemm
