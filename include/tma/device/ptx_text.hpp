// The words of an instruction's name that depend on its form, and the macros that all instructions go through: those of sm_90,
// and those that sm_80 has as well, for loads by threads.
// A form's text is given to the assembler by the constraint "C", so that a template over forms is one asm statement for
// each list of operands.
#pragma once

#include "../core/prologue.hpp"

#include "../core/architecture.hpp"
#include "../core/copy_form.hpp"

// Code for older targets compiles: what it would do there is say so and stop.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#  if TMA_HAS_HOST
#    include <cstdio>
#  endif
#  define TMA_DETAIL_ASM(...)      ::tma::ptx::before_sm_90()
#  define TMA_DETAIL_PURE_ASM(...) ::tma::ptx::before_sm_90()
#  if __CUDA_ARCH__ < 800
#    define TMA_DETAIL_ASM_80(...) ::tma::ptx::before_sm_90()
#  else
#    define TMA_DETAIL_ASM_80(...) asm volatile(__VA_ARGS__)
#  endif
#elif defined(__NVCC__) && !defined(__CUDA_ARCH__)
// nvcc's pass for the host reads device code and makes nothing of it.
#  define TMA_DETAIL_ASM(...)      static_cast<void>(0)
#  define TMA_DETAIL_PURE_ASM(...) static_cast<void>(0)
#  define TMA_DETAIL_ASM_80(...)   static_cast<void>(0)
#  define TMA_DETAIL_NO_WORDS
#else
#  define TMA_DETAIL_ASM(...)      asm volatile(__VA_ARGS__)
#  define TMA_DETAIL_PURE_ASM(...) asm(__VA_ARGS__)  // a result and nothing else
#  define TMA_DETAIL_ASM_80(...)   asm volatile(__VA_ARGS__)
#endif

// What sm_80 to sm_89 do without: fences between proxies, of which they have one, and between the blocks of a cluster.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
#  define TMA_DETAIL_FENCE(...) asm volatile("" ::: "memory")  // of the compiler
#  define TMA_DETAIL_BEFORE_SM_90
#else
#  define TMA_DETAIL_FENCE(...) TMA_DETAIL_ASM(__VA_ARGS__)
#endif

namespace tma::inline TMA_ABI::ptx {

using detail::CopyExtra;
using detail::CopyForm;
using detail::i64;
using detail::u16;
using detail::u32;
using detail::u64;

[[noreturn]] TMA_DEVICE void trap() {
  asm volatile("trap;");
  __builtin_unreachable();
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
[[noreturn]] TMA_DEVICE void before_sm_90() {
  printf("tma: this kernel was compiled for " TMA_DETAIL_TARGET
         ", which has no copy engine: it came with sm_90. Compile for "
         "the device, and load by threads (tma::ThreadLoads, sm_80) where it is older\n");
  trap();
}
#endif

// `Shown ? text : nothing`, a type a word. (ptx_words.hpp has those of fewer instructions.)
template <bool Shown> struct HintText;
template <int Group> struct CtaGroupText;
#if !defined(TMA_DETAIL_NO_WORDS)
template <bool Shown> struct MulticastText {
  static constexpr const char value[] = ".multicast::cluster", operand[] = ", blocks";
};
template <> struct MulticastText<false> {
  static constexpr const char value[] = "", operand[] = "";
};
template <bool Shown> struct HintText {
  static constexpr const char value[] = ".L2::cache_hint", operand[] = ", policy";
};
template <> struct HintText<false> {
  static constexpr const char value[] = "", operand[] = "";
};
template <bool Shown> struct ByteMaskText {
  static constexpr const char value[] = ".cp_mask", operand[] = ", mask";
};
template <> struct ByteMaskText<false> {
  static constexpr const char value[] = "", operand[] = "";
};
template <int Rank> struct RankText {
  static constexpr const char value[] = "5d", operand[] = "c0, c1, c2, c3, c4";
};
template <> struct RankText<4> {
  static constexpr const char value[] = "4d", operand[] = "c0, c1, c2, c3";
};
template <> struct RankText<3> {
  static constexpr const char value[] = "3d", operand[] = "c0, c1, c2";
};
template <> struct RankText<2> {
  static constexpr const char value[] = "2d", operand[] = "c0, c1";
};
template <> struct RankText<1> {
  static constexpr const char value[] = "1d", operand[] = "c0";
};
template <int Group> struct CtaGroupText {
  static constexpr const char value[] = "";
};
template <> struct CtaGroupText<1> {
  static constexpr const char value[] = ".cta_group::1";
};
template <> struct CtaGroupText<2> {
  static constexpr const char value[] = ".cta_group::2";
};
template <bool Cluster> struct SharedText {
  static constexpr const char value[] = ".shared::cluster";
};
template <> struct SharedText<false> {
  static constexpr const char value[] = ".shared::cta";
};

// Where a load's destination is addressed: a multicast, and a pair of blocks, is of a cluster.
template <CopyForm F> using DestinationText = SharedText<F.cluster || F.multicast || F.cta_group == 2>;
#endif

template <CopyForm F> TMA_HOST_DEVICE constexpr bool check_cta_group() {
  static_assert(F.cta_group == 0 || TMA_DETAIL_HAS(cta_group, CtaGroupText<F.cta_group>),
                "tma: cta_group needs sm_100a, sm_100f, sm_103a, sm_103f, sm_110a or sm_110f" TMA_DETAIL_COMPILING);
  return true;
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
