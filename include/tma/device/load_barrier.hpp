#pragma once

#include "barrier_access.hpp"

namespace tma {

/// The barrier that loads complete on. A phase completes when the issuing thread has issued its loads and every byte
/// of them has arrived; the bytes are summed from the tiles' types, never typed.
///
/// Initialised by `tma::this_block(barrier)`. Stores do not complete here: they have `StoreGroup`.
class LoadBarrier {
  using a_barrier_is_a_place_in_shared_memory__take_it_by_reference = LoadBarrier;

public:
  static constexpr int arrivals = 1;  // the issuing thread's

  LoadBarrier()                                                                              = default;
  LoadBarrier(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  LoadBarrier& operator=(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  template <class Never = void> TMA_DEVICE void wait() const { detail::refuse_wait<Never>(); }

private:
  friend struct detail::BarrierAccess;
  detail::u64 word_;
};

namespace detail {

template <> inline constexpr bool is_barrier_v<LoadBarrier> = true;

}  // namespace detail
}  // namespace tma
