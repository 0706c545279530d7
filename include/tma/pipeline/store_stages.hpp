#pragma once

#include "../core/prologue.hpp"

#include "stage_copies.hpp"

namespace tma::inline TMA_ABI {

template <class Group, int Stages, class... Tiles> class StoreRing;

/// What a store ring keeps in shared memory: `Stages` stages of `Tiles`. It has no barrier and needs no initialisation.
/// See `tma::StoreRing`, which alone uses it.
template <int Stages, class... Tiles> class StoreStages {
  using stages_are_a_place_in_shared_memory__take_them_by_reference = StoreStages;  // what the compiler prints of a copy

public:
  static_assert(Stages >= 1, "tma::StoreStages: at least one stage");
  static_assert(detail::check_stored_tiles<Tiles...>());

  StoreStages()                                                                              = default;
  StoreStages(const stages_are_a_place_in_shared_memory__take_them_by_reference&)            = delete;
  StoreStages& operator=(const stages_are_a_place_in_shared_memory__take_them_by_reference&) = delete;

private:
  template <class, int, class...> friend class StoreRing;
  detail::StoredTiles<Stages, Tiles...> tiles_;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
