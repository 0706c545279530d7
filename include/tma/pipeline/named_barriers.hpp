#pragma once

#include "../core/prologue.hpp"

#include "../core/config.hpp"

namespace tma::inline TMA_ABI {

/// The first of the hardware's named barriers that the roles of one `tma::specialize`, or `tma::transform`, take: its last
/// argument, 1 where it is left out. A block has 15, 1 to 15, for all of its code together (0 is `__syncthreads`). Taken are
/// `First` to `First` + G - 1, by the G groups of consumers, and `First` + G by `tma::producer_warps` of two warps or more.
template <int First> struct FirstNamedBarrier {};
template <int First> inline constexpr FirstNamedBarrier<First> first_named_barrier{};

namespace detail {

template <class T> struct NamedBarriersOf {
  static constexpr bool known = false;
  static constexpr int  first = 1;
};
template <int First> struct NamedBarriersOf<FirstNamedBarrier<First>> {
  static constexpr bool known = true;
  static constexpr int  first = First;
};
template <class T> TMA_HOST_DEVICE constexpr int first_named_barrier_of() {
  static_assert(NamedBarriersOf<T>::known,
                "tma::first_named_barrier: where the named barriers of the roles begin is said by "
                "tma::first_named_barrier<N>");
  return NamedBarriersOf<T>::first;
}

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
