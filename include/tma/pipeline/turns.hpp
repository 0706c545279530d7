#pragma once

#include "../core/prologue.hpp"

#if TMA_HAS_DEVICE
#  include "../device/block.hpp"
#  include "../device/group_arrival.hpp"
#else  // for host compilers: what an order keeps in shared memory, and no more
#  include "../device/mbarrier.hpp"
#endif

namespace tma::inline TMA_ABI {

namespace detail {

template <class Group, int Groups, int Warps> inline constexpr bool is_one_of_groups = false;
template <class Group, int Groups, int Warps>
  requires(Group::groups == Groups && Group::warps == Warps)
inline constexpr bool is_one_of_groups<Group, Groups, Warps> = true;

}  // namespace detail

/// An order among groups of consumers: turn i is that of group i modulo `Groups`. For groups that work on tiles of their own,
/// each in its main loop while another writes its results (ping-pong), so that the matrix units always have one to serve.
///
///     struct Shared { Pipe::Shared ring; tma::Turns<2, 4>::Shared turns; };
///     auto& [ring, order] = tma::shared<Shared>();
///     tma::Turns<2, 4> turns(order);                          // all threads, before specialize
///     tma::specialize(ring, tma::producer_warp<0>, ..., tma::taking_turns<2, 4>, [&](auto& consumer) {
///       for (int tile = consumer.group(); tile < tiles; tile += 2) {
///         ... consumer.skip(stages of the other group's tile) where that comes first ...
///         turns.take(consumer, [&] { main loop: next() for every stage of this tile });
///         ... write the tile ...
///       }
///     });
///
/// No group waits for one that has no further turn. What a group did in its turn is ordered before the next turn.
template <int Groups, int Warps> class Turns {
  using an_order_has_its_phases_once__pass_it_by_reference = Turns;  // what the compiler prints of a copy

public:
  static_assert(Groups >= 2 && Warps >= 1 && Groups * Warps <= 32, "tma::Turns: two groups of warps, or more, of one block");

  /// What the order keeps in shared memory.
  class Shared {
    using an_order_is_a_place_in_shared_memory__take_it_by_reference = Shared;

  public:
    Shared()                                                                             = default;
    Shared(const an_order_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
    Shared& operator=(const an_order_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  private:
    friend class Turns;
    Mbarrier<Warps> begin_[Groups];
  };

#if TMA_HAS_DEVICE
  /// All threads of the block, before `tma::specialize`, in which the block meets. `name` is what checks call the order.
  TMA_DEVICE explicit Turns(Shared& shared, const char* name = nullptr) : shared_(shared) {
    if (ptx::thread_rank() == 0) {
      for (int g = 0; g < Groups; ++g) {
        ptx::describe(&shared_.begin_[g], sizeof(shared_.begin_[g]), "turn of group %d", g, 0, name);
        detail::BarrierAccess::init(shared_.begin_[g], Warps * detail::GroupArrival::parts);
      }
    }
  }

  Turns(const an_order_has_its_phases_once__pass_it_by_reference&)            = delete;
  Turns& operator=(const an_order_has_its_phases_once__pass_it_by_reference&) = delete;

  /// All threads of the group. Waits for its turn, runs `work`, and hands the turn on, each warp when it is done.
  template <class Group, class Work> TMA_DEVICE void take(const Group& group, Work&& work) {
    constexpr bool fits = detail::is_one_of_groups<Group, Groups, Warps>;
    static_assert(fits,
                  "tma::Turns: the groups are those of tma::consumer_groups<G, W> or tma::taking_turns<G, W>: as many, "
                  "and of as many warps");
    if constexpr (fits) {
      const int mine = group.group();
      // The first turn of the first group is there from the beginning: a fresh barrier counts as complete for parity 1.
      detail::BarrierAccess::wait(shared_.begin_[mine], parity_ ^ detail::u32(mine == 0));
      parity_ ^= 1;
      group.note_turn(true);
      work();
      group.note_turn(false);
      ptx::sync_warp();
      detail::GroupArrival::arrive(detail::BarrierAccess::address(shared_.begin_[mine + 1 == Groups ? 0 : mine + 1]),
                                   group.rank() % 32, 32);
    }
  }

private:
  Shared&     shared_;
  detail::u32 parity_ = 0;
#endif
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
