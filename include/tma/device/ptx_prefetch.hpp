// Into the second-level cache and no further: nothing waits for it, and nothing but time depends on it. And the policies by
// which the cache keeps what a copy touched.
#pragma once

#include "../core/prologue.hpp"

#include "../core/cache_priority.hpp"
#include "ptx.hpp"

namespace tma::inline TMA_ABI::ptx {

template <CachePriority> struct PriorityText {
  static constexpr const char value[] = ".L2::evict_normal";
};
template <> struct PriorityText<CachePriority::evict_first> {
  static constexpr const char value[] = ".L2::evict_first";
};
template <> struct PriorityText<CachePriority::evict_last> {
  static constexpr const char value[] = ".L2::evict_last";
};
template <> struct PriorityText<CachePriority::evict_unchanged> {
  static constexpr const char value[] = ".L2::evict_unchanged";
};

/// A policy: `fraction` of the accesses, chosen by address, get the first priority, and the others the second, which is
/// `evict_first` or `evict_unchanged`.
template <CachePriority Primary, CachePriority Secondary> TMA_DEVICE u64 create_policy(float fraction) {
  u64 policy = 0;
  TMA_DETAIL_PURE_ASM("createpolicy.fractional%2%3.b64 %0, %1;" : "=l"(policy) : "f"(fraction),
                      "C"(PriorityText<Primary>::value), "C"(PriorityText<Secondary>::value));
  return policy;
}

/// A policy by address: the first priority for the `primary_bytes` from `base` on, the second for what follows up to
/// `total_bytes` and for as much before `base`; other addresses get none.
template <CachePriority Primary, CachePriority Secondary>
TMA_DEVICE u64 create_policy_range(const void* base, u32 primary_bytes, u32 total_bytes) {
  u64 policy = 0;
  TMA_DETAIL_PURE_ASM(
      "createpolicy.range.global%4%5.b64 %0, [%1], %2, %3;" : "=l"(policy) : "l"(__cvta_generic_to_global(base)),
      "r"(primary_bytes), "r"(total_bytes), "C"(PriorityText<Primary>::value), "C"(PriorityText<Secondary>::value));
  return policy;
}

template <CopyForm F = CopyForm{}> TMA_DEVICE void bulk_prefetch(const void* source, u32 bytes, CopyExtra e = {}) {
  TMA_DETAIL_ASM("{\n\t"
                 ".reg .b64 policy;\n\t"
                 "mov.b64 policy, %2;\n\t"
                 "cp.async.bulk.prefetch.L2.global%3 [%0], %1%4;\n\t"
                 "}" ::"l"(__cvta_generic_to_global(source)),
                 "r"(bytes), "l"(e.policy), "C"(HintText<F.hint>::value), "C"(HintText<F.hint>::operand));
}

template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_prefetch(const void* map, const Coordinates<Rank>& c, CopyExtra e = {}) {
  TMA_DETAIL_ASM(TMA_DETAIL_AT "cp.async.bulk.prefetch.tensor.%7.L2.global.tile%8 [%6, {%9}]%10;\n\t"
                               "}" ::TMA_DETAIL_AT_OPERANDS,
                 "l"(map), "C"(RankText<Rank>::value), "C"(HintText<F.hint>::value), "C"(RankText<Rank>::operand),
                 "C"(HintText<F.hint>::operand));
}

/// Brings the tensor map itself to where the engine looks for it.
TMA_DEVICE void prefetch_map(const void* map) { TMA_DETAIL_ASM("prefetch.tensormap [%0];" ::"l"(map)); }

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
