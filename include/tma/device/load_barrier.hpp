#pragma once

#include "../core/prologue.hpp"

#include "barrier_word.hpp"

namespace tma::inline TMA_ABI {

/// The barrier that loads complete on. A phase completes when each of its `Arrivals` has been made and every byte that was
/// announced has arrived; the bytes are summed from the tiles' types, never typed.
///
/// An arrival is that of a `LoadBatch` (or of an `issuer.load` or `issuer.expect` by itself), or a thread's own `arrive()`.
/// With one arrival, `LoadBarrier`, it is the batch's. With more, several issuing threads share a phase, or threads add
/// what they wrote themselves to what a copy brings.
///
/// Initialised by `tma::this_block(barrier)`. Stores do not complete here: they have `StoreGroup`.
template <int Arrivals> class LoadBarrierOf : public detail::BarrierWord<LoadBarrierOf<Arrivals>, Arrivals> {
  using a_barrier_is_a_place_in_shared_memory__take_it_by_reference = LoadBarrierOf;

public:
  static_assert(Arrivals >= 1 && Arrivals <= (1 << 20) - 1, "tma::LoadBarrierOf: a phase has 1 to 1048575 arrivals");

  LoadBarrierOf()                                                                              = default;
  LoadBarrierOf(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  LoadBarrierOf& operator=(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&) = delete;
};

using LoadBarrier = LoadBarrierOf<1>;

namespace detail {

template <int Arrivals> inline constexpr bool is_barrier_v<LoadBarrierOf<Arrivals>>      = true;
template <int Arrivals> inline constexpr bool is_load_barrier_v<LoadBarrierOf<Arrivals>> = true;

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
