// What may stand behind the arguments of a copy, each saying one thing more of it: an L2 policy (cache_policy.hpp), a
// multicast, the pair of blocks it is for, the bytes it writes.
#pragma once

#include "../core/prologue.hpp"

#include "../core/copy_form.hpp"
#include "../core/meta.hpp"

namespace tma::inline TMA_ABI {
namespace detail {
struct ModifierAccess;
}

/// The blocks of a cluster into which one load goes, at the same place in each, completing on the barrier at the same place
/// in each. From `cluster.multicast(mask)` or `cluster.everyone()`.
class Multicast {
  using a_multicast_comes_from_a_cluster = detail::u16;  // what the compiler prints of one made by hand

public:
  /// Bit i: the block of rank i in the cluster.
  TMA_DEVICE detail::u16 mask() const { return mask_; }

private:
  friend struct detail::ModifierAccess;
  TMA_DEVICE  Multicast(a_multicast_comes_from_a_cluster mask, bool own) : mask_(mask), own_(own) {}
  detail::u16 mask_;
  bool        own_;  // this block is among them
};

/// `.cta_group::1` or `::2` on a load through a descriptor: with 2 the barrier may be in the other block of the pair (ranks
/// 2i and 2i + 1). Written `tma::cta_group<2>()`. sm_100a and its family.
template <int Group> struct CtaGroup {
  static_assert(Group == 1 || Group == 2, "tma::cta_group: 1 or 2");
};
template <int Group> TMA_HOST_DEVICE constexpr CtaGroup<Group> cta_group() { return {}; }

/// Which bytes of every 16 a one-dimensional store writes: bit i is byte i. The others keep what they have. sm_100 and newer.
struct ByteMask {
  detail::u16 bytes;
};

namespace detail {

struct ModifierAccess {
  static TMA_DEVICE Multicast multicast(u16 mask, bool own) { return Multicast(mask, own); }
  static TMA_DEVICE bool      own(const Multicast& m) { return m.own_; }
};

// The copies, as far as they differ in what may be said of them.
enum class CopyKind : int { load, bulk_load, store, bulk_store, reduce, prefetch };

// What a modifier does to the form of a copy and to its operands, and where it may stand.
template <class M> struct Modifier {
  static constexpr bool known = false;
};

template <> struct Modifier<Multicast> {
  static constexpr bool                 known = true;
  static TMA_HOST_DEVICE constexpr bool fits(CopyKind kind) { return kind <= CopyKind::bulk_load; }
  static TMA_HOST_DEVICE constexpr void mark(CopyForm& form) { form.multicast = true; }
  static TMA_DEVICE void                put(CopyExtra& extra, const Multicast& m) { extra.mask = m.mask(); }
};
template <int Group> struct Modifier<CtaGroup<Group>> {
  static constexpr bool                 known = true;
  static TMA_HOST_DEVICE constexpr bool fits(CopyKind kind) { return kind == CopyKind::load; }
  static TMA_HOST_DEVICE constexpr void mark(CopyForm& form) { form.cta_group = Group; }
  static TMA_DEVICE void                put(CopyExtra&, const CtaGroup<Group>&) {}
};
template <> struct Modifier<ByteMask> {
  static constexpr bool                 known = true;
  static TMA_HOST_DEVICE constexpr bool fits(CopyKind kind) { return kind == CopyKind::bulk_store; }
  static TMA_HOST_DEVICE constexpr void mark(CopyForm& form) { form.byte_mask = true; }
  static TMA_DEVICE void                put(CopyExtra& extra, const ByteMask& m) { extra.bytes = m.bytes; }
};

template <CopyKind Kind, class... M> TMA_HOST_DEVICE constexpr bool fit() {
  if constexpr ((Modifier<M>::known && ...)) return (Modifier<M>::fits(Kind) && ...) && ((count_of<M, M...> == 1) && ...);
  else return false;
}

template <CopyKind Kind, class... M>
  requires(sizeof...(M) == 0)
TMA_HOST_DEVICE constexpr bool check_modifiers() {
  return true;
}

template <CopyKind Kind, class... M>
  requires(sizeof...(M) > 0)
TMA_HOST_DEVICE constexpr bool check_modifiers() {
  constexpr bool known = (Modifier<M>::known && ...);
  static_assert(
      known || Kind > CopyKind::bulk_load,
      "tma: behind the arguments of a load stand a tma::CachePolicy, a tma::Multicast, or tma::cta_group<2>(), and "
      "nothing else");
  static_assert(known || Kind < CopyKind::store || Kind > CopyKind::reduce,
                "tma: a store does not complete on a barrier. Leave the last argument out: "
                "issuer.store(descriptor, at, ready) returns a StoreGroup, which has wait_source_free() and "
                "wait_visible(). Behind the source may stand a tma::CachePolicy");
  static_assert(known || Kind != CopyKind::prefetch,
                "tma: a prefetch has neither a place in shared memory nor a barrier: issuer.prefetch(descriptor, at), and a "
                "tma::CachePolicy behind these");
  static_assert(!known || fit<Kind, M...>(),
                "tma: this copy does not take this modifier, or not twice. A tma::CachePolicy is for all; tma::Multicast is "
                "for loads, tma::cta_group for loads through a descriptor, tma::ByteMask for stores of chunks");
  return known;
}

template <class... M> TMA_HOST_DEVICE constexpr CopyForm form_of() {
  CopyForm form;
  if constexpr ((Modifier<M>::known && ...)) (Modifier<M>::mark(form), ...);
  return form;
}

template <class... M> TMA_DEVICE CopyExtra extra_of(const M&... modifiers) {
  CopyExtra extra;
  (Modifier<M>::put(extra, modifiers), ...);
  return extra;
}

// Whether a load brings bytes to the block that issues it.
template <class M> TMA_DEVICE bool comes_here(const M& modifier) {
  if constexpr (is_same_v<M, Multicast>) return ModifierAccess::own(modifier);
  else return true;
}

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
