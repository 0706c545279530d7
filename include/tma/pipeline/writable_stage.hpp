#pragma once

#include "../core/prologue.hpp"

#include "stage_stores.hpp"

namespace tma::inline TMA_ABI {

/// A stage of a store ring that a group is writing, from `ring.acquire()`. It is stored, or skipped, once, by all threads of
/// the group; a checked build reports one that is not, and one that is used after.
///
///     auto stage = out.acquire();
///     for (auto& x : block.elements(*stage)) x = ...;
///     stage.store(to, at);
template <class Ring> class WritableStage {
  using a_stage_is_stored_once__move_it_or_pass_it_by_reference = WritableStage;  // what the compiler prints of a copy

public:
  TMA_DEVICE WritableStage(WritableStage&& other) : ring_(other.ring_), held_(other.held_) { other.held_ = false; }
  WritableStage(const a_stage_is_stored_once__move_it_or_pass_it_by_reference&)            = delete;
  WritableStage& operator=(const a_stage_is_stored_once__move_it_or_pass_it_by_reference&) = delete;
  TMA_DEVICE ~WritableStage() {
    detail::check(!held_,
                  "a stage that was acquired is stored or skipped: stage.store(...), stage.publish(...) or "
                  "stage.skip() before its scope ends",
                  0);
  }

  /// The stage's I-th tile, to be written by the threads of the group. Any: each for itself.
  template <int I = 0> TMA_DEVICE auto& get() const {
    check_held();
    return ring_.template tile<I>();
  }
  TMA_DEVICE auto& operator*() const { return get<0>(); }
  TMA_DEVICE auto* operator->() const { return &get<0>(); }

  /// All threads of the group. Publishes what they wrote; then one thread, the ring's issuing one, calls `store(stores)` with
  /// a StageStores. The stage is the ring's again.
  template <class Store> TMA_DEVICE void publish(Store&& store) {
    check_held();
    if (held_) ring_.finish(store);
    held_ = false;
  }

  /// The same for one store, of the tile of the descriptor's type: `StageStores::store`.
  template <class T, int Rank, class Box, class... More>
  TMA_DEVICE void store(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at, More... more) {
    publish([&](const Stores& stores) { stores.store(descriptor, at, more...); });
  }
  template <class T, int Count, class... More>
  TMA_DEVICE void store(const AlignedChunk<T, Count>& destination, More... more) {
    publish([&](const Stores& stores) { stores.store(destination, more...); });
  }
  template <Reduction Op, class T, int Rank, class Box, class... More>
  TMA_DEVICE void reduce(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at, More... more) {
    publish([&](const Stores& stores) { stores.template reduce<Op>(descriptor, at, more...); });
  }
  template <Reduction Op, class T, int Count, class... More>
  TMA_DEVICE void reduce(const AlignedChunk<T, Count>& destination, More... more) {
    publish([&](const Stores& stores) { stores.template reduce<Op>(destination, more...); });
  }

  /// All threads of the group. Nothing is stored, nobody waits, and the next `acquire` gives the same stage.
  TMA_DEVICE void skip() {
    check_held();
    held_ = false;
  }

private:
  template <class, int, class...> friend class StoreRing;
  using Stores = typename Ring::Stores;
  TMA_DEVICE explicit WritableStage(Ring& ring) : ring_(ring) {}

  TMA_DEVICE void check_held() const {
    detail::check(held_, "a stage is stored or skipped once, and not used after that; acquire() gives the next one", 0);
  }

  Ring& ring_;
  bool  held_ = true;  // known when compiling
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
