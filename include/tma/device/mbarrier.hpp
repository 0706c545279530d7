#pragma once

#include "../core/prologue.hpp"

#include "barrier_word.hpp"

namespace tma::inline TMA_ABI {

/// A barrier in shared memory that counts `Arrivals` arrivals a phase (PTX: mbarrier). For threads that hand
/// something to other threads; a copy completes on a `LoadBarrier`.
///
/// Initialised by `tma::this_block(barrier)`, which gives each thread its `MbarrierPhase`, the only thing that waits.
/// Never copied; nothing else may touch its bytes while it lives. What threads do to it: `arrive()` and its forms.
template <int Arrivals> class Mbarrier : public detail::BarrierWord<Mbarrier<Arrivals>, Arrivals> {
  using a_barrier_is_a_place_in_shared_memory__take_it_by_reference = Mbarrier;  // what the compiler prints of a copy

public:
  static_assert(Arrivals >= 1 && Arrivals <= (1 << 20) - 1, "tma::Mbarrier: a phase has 1 to 1048575 arrivals");

  Mbarrier()                                                                              = default;
  Mbarrier(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  Mbarrier& operator=(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&) = delete;
};

namespace detail {

template <int Arrivals> inline constexpr bool is_barrier_v<Mbarrier<Arrivals>> = true;

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
