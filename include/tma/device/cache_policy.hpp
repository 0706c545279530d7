#pragma once

#include "../core/prologue.hpp"

#include "../core/cache_priority.hpp"
#include "instructions.hpp"
#include "modifiers.hpp"

#include TMA_DETAIL_PTX(_prefetch)

namespace tma::inline TMA_ABI {

namespace detail {
struct CachePolicyAccess;
}

/// How long the second-level cache keeps what a copy touches: the last argument of a load, store, reduction or prefetch.
///
///     const auto once = tma::evict_first();
///     if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived, once);
///
/// A hint: no byte read or written depends on it. 64 bits in a register, made by one instruction (createpolicy): make it once,
/// outside of loops. Any thread may make one and use another's.
class CachePolicy {
  using a_policy_comes_from_tma_evict_first_and_its_like = detail::u64;  // what the compiler prints of one made by hand

public:
  /// The policy as the instruction takes it.
  TMA_DEVICE detail::u64 bits() const { return bits_; }

private:
  friend struct detail::CachePolicyAccess;
  TMA_DEVICE explicit CachePolicy(a_policy_comes_from_tma_evict_first_and_its_like bits) : bits_(bits) {}
  detail::u64 bits_;
};

namespace detail {

struct CachePolicyAccess {
  static TMA_DEVICE CachePolicy make(u64 bits) { return CachePolicy(bits); }
};

template <> struct Modifier<CachePolicy> {
  static constexpr bool                 known = true;
  static TMA_HOST_DEVICE constexpr bool fits(CopyKind) { return true; }
  static TMA_HOST_DEVICE constexpr void mark(CopyForm& form) { form.hint = true; }
  static TMA_DEVICE void                put(CopyExtra& extra, const CachePolicy& policy) { extra.policy = policy.bits(); }
};

template <CachePriority Others> TMA_HOST_DEVICE constexpr bool check_others() {
  static_assert(Others == CachePriority::evict_first || Others == CachePriority::evict_unchanged,
                "tma::CachePolicy: what has not the first priority has evict_first or evict_unchanged (createpolicy)");
  return true;
}

}  // namespace detail

/// The policy that gives `fraction` of the accesses, chosen by address, the priority `Chosen`, and the others `Others`, which
/// is `evict_unchanged` or `evict_first`. More than 0 and at most 1.
template <CachePriority Chosen, CachePriority Others = CachePriority::evict_unchanged>
TMA_DEVICE CachePolicy cache_policy(float fraction = 1.f) {
  static_assert(detail::check_others<Others>());
  return detail::CachePolicyAccess::make(ptx::create_policy<Chosen, Others>(fraction));
}

/// For what is read or written once.
template <CachePriority Others = CachePriority::evict_unchanged> TMA_DEVICE CachePolicy evict_first(float fraction = 1.f) {
  return cache_policy<CachePriority::evict_first, Others>(fraction);
}

/// For what many blocks read.
template <CachePriority Others = CachePriority::evict_unchanged> TMA_DEVICE CachePolicy evict_last(float fraction = 1.f) {
  return cache_policy<CachePriority::evict_last, Others>(fraction);
}

/// The priority that copies without a policy have; of use with a fraction, or where a policy is chosen at run time. To name it
/// is not free: an H200 merges requests of several blocks for the same lines, but not those that name it (docs/performance.md).
template <CachePriority Others = CachePriority::evict_unchanged> TMA_DEVICE CachePolicy evict_normal(float fraction = 1.f) {
  return cache_policy<CachePriority::evict_normal, Others>(fraction);
}

/// Lines keep the priority they have: the copy engine's way not to disturb the cache.
template <CachePriority Others = CachePriority::evict_unchanged>
TMA_DEVICE CachePolicy evict_unchanged(float fraction = 1.f) {
  return cache_policy<CachePriority::evict_unchanged, Others>(fraction);
}

/// The policy by address: `Inside` for the `bytes` from `base` (global memory) on, `Others` for the rest of the `total_bytes`
/// from `base` on and for as much before it, and none elsewhere. `bytes` is at most `total_bytes`, both below 2^32.
template <CachePriority Inside, CachePriority Others = CachePriority::evict_unchanged>
TMA_DEVICE CachePolicy cache_policy_in(const void* base, detail::u32 bytes, detail::u32 total_bytes) {
  static_assert(detail::check_others<Others>());
  return detail::CachePolicyAccess::make(ptx::create_policy_range<Inside, Others>(base, bytes, total_bytes));
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
