#pragma once

#include "../core/prologue.hpp"

#include "../core/count.hpp"
#include "../device/grid.hpp"
#include "../device/handout.hpp"
#include "tile_walk.hpp"

namespace tma::inline TMA_ABI {

/// Tiles by demand: a block takes the next one when it is ready for it, from a counter that the whole grid shares. For tiles
/// of uneven work, or blocks that run at uneven speed; where both are even, `StaticTiles` asks nobody.
///
///     __global__ void kernel(int count, unsigned* counter) {
///       tma::AtomicTiles tiles(count, counter);     // one thread of each block asks, always the same
///       for (int tile : tiles) ...                  // or: while (auto tile = tiles.next()) ... tile.index() ...
///
/// Beside a pipeline the producer asks, and the number goes through the ring with the data, so that both sides agree on every
/// step and the phases go on:
///
///     using Pipe = tma::Pipeline<4, Tile, tma::Meta<tma::TileOrEnd>>;
///     producer: while (auto tile = tiles.next())
///                 for (int k = 0; k < steps; ++k)
///                   producer.next([&](auto& stage) { stage.meta() = tile; stage.load(in, at(tile.index(), k)); });
///               producer.next([&](auto& stage) { stage.meta() = tma::TileOrEnd{}; });              // no more
///     consumer: bool more = true;
///               while (more)
///                 consumer.next([&](const Tile& data, const tma::TileOrEnd& tile) { if ((more = bool(tile))) ... });
///
/// `counter` is four bytes of global memory that are 0 before the first launch, and 0 again after every launch: of `count`
/// tiles, whoever asks for the last number sets the counter back by the same operation (atom.inc), and nobody asks after
/// that. This holds because every block takes one number more than it finds tiles for, but begins with its own index, for
/// which it does not ask: each block that has a tile goes on until it is told the end. A kernel that leaves before sets the
/// counter to 0 by other means before the next launch. Launches that may run at the same time have a counter each; with
/// `StreamOrder::programmatic` the first `next()` stands after `wait_for_previous_grid()`. Every launch may have another count
/// and another grid.
///
/// Taking orders nothing: blocks that hand one another data do that as without (atom.relaxed). The grid has up to 2^31 - 1
/// blocks; `count` is up to 2^31 - 1 - ClusterSize, and 0 or less is no tile. The counter has 32 bits, and atom.inc no other: a count of 64
/// bits is refused.
///
/// With clusters see `AtomicTiles<ClusterSize>` below.
template <int ClusterSize = 1> class AtomicTiles;

template <int ClusterSize>
  requires(ClusterSize == 1)
class AtomicTiles<ClusterSize> {
  using u32                                                 = detail::u32;
  using each_tile_is_asked_for_once__pass_them_by_reference = AtomicTiles;  // what the compiler prints of a copy

public:
  AtomicTiles(const each_tile_is_asked_for_once__pass_them_by_reference&)            = delete;
  AtomicTiles& operator=(const each_tile_is_asked_for_once__pass_them_by_reference&) = delete;

  struct Shared {};  // nothing: for a kernel that is written for any size of cluster

  TMA_DEVICE AtomicTiles(detail::Int32 count, unsigned* counter, Shared&) : AtomicTiles(count, counter) {}
  /// Any thread. The object is that thread's own.
  TMA_DEVICE AtomicTiles(detail::Int32 count, unsigned* counter)
      : counter_(counter),
        count_(count > 0 ? u32(count) : 0),
        blocks_(ptx::grid_blocks()),
        last_(ptx::block_index()) {}

  /// One thread of the block, the same for the whole kernel: the next tile, or the end, from then on always.
  TMA_DEVICE TileOrEnd next() {
    if (last_ >= count_) return {};
    if (begun_) take();
    begun_ = true;
    return last_ < count_ ? TileOrEnd(int(last_)) : TileOrEnd{};
  }

  struct End {};
  class Iterator {
  public:
    TMA_DEVICE int       operator*() const { return int(tiles_.last_); }
    TMA_DEVICE Iterator& operator++() {
      tiles_.take();
      return *this;
    }
    TMA_DEVICE bool operator!=(End) const { return tiles_.last_ < tiles_.count_; }

  private:
    friend class AtomicTiles;
    TMA_DEVICE explicit Iterator(AtomicTiles& tiles) : tiles_(tiles) {}
    AtomicTiles& tiles_;
  };

  /// `for (int tile : tiles)` is `while (auto tile = tiles.next())`, in fewer instructions. A loop that is left early goes on
  /// at the next tile.
  TMA_DEVICE Iterator begin() {
    if (begun_ && last_ < count_) take();
    begun_ = true;
    return Iterator(*this);
  }
  TMA_DEVICE End end() const { return {}; }

  /// All threads of `group` (a `Block`, a pipeline's consumers): one asks for all. `place`, in shared memory, carries the
  /// answer; the group meets twice.
  template <class Group> TMA_DEVICE TileOrEnd next(const Group& group, TileOrEnd& place) {
    if (group.rank() == 0) place = next();
    group.sync();
    const TileOrEnd tile = place;
    group.sync();  // all have read before the next answer
    return tile;
  }

private:
  // Nobody takes a number after the last: the counter would not be 0.
  TMA_DEVICE void take() { last_ = ptx::take_number(counter_, count_ - 1) + blocks_; }

  unsigned* counter_;
  u32       count_, blocks_, last_;
  bool      begun_ = false;
};

AtomicTiles(int, unsigned*) -> AtomicTiles<1>;

/// The same for clusters of `ClusterSize` blocks: one thread takes a number for the whole cluster and gives it to every block.
/// A cluster then has `ClusterSize` tiles at a step, each block the one of its rank, and all blocks take the same number of
/// steps. Where `count` is no multiple the last step gives some blocks a tile of `count` or more: such a block has no tile and
/// takes the step as the others do.
///
///     using Tiles = tma::AtomicTiles<2>;
///     auto& room = tma::shared<Tiles::Shared>();
///     Tiles tiles(count, counter, room);             // all threads of the cluster
///     ... one thread of each block ...               tiles.next()
///
/// The beginning and the end of its scope meet the cluster, as those of `tma::this_cluster` do: no block leaves before. The
/// number goes to the other blocks by asynchronous stores (st.async), of which each waits for its own; the block whose thread
/// takes it keeps it in a register.
template <int ClusterSize> class AtomicTiles : public detail::TileWalk<AtomicTiles<ClusterSize>> {
  using u32                                                 = detail::u32;
  using Handout                                             = detail::Handout<ClusterSize, true>;
  using each_tile_is_asked_for_once__pass_them_by_reference = AtomicTiles;  // what the compiler prints of a copy

public:
  AtomicTiles(const each_tile_is_asked_for_once__pass_them_by_reference&)            = delete;
  AtomicTiles& operator=(const each_tile_is_asked_for_once__pass_them_by_reference&) = delete;

  static_assert(ClusterSize >= 1 && ClusterSize <= 16, "tma::AtomicTiles: a cluster has at most 8 blocks, 16 where the "
                                                       "device allows it");

  /// What it keeps in the shared memory of each block.
  class Shared : public Handout::Shared {
    friend class AtomicTiles;
    u32 number_;
  };

  /// All threads of the cluster.
  TMA_DEVICE AtomicTiles(detail::Int32 count, unsigned* counter, Shared& shared)
      : handout_(shared),
        number_(shared.number_),
        counter_(counter),
        units_((count > 0 ? u32(count) + (ClusterSize - 1) : 0) / ClusterSize),
        last_(ptx::cluster_index()) {}

  /// One thread of each block, the same for the whole kernel, in all blocks of the cluster equally often: waits until its
  /// cluster has a number, and until all blocks have read the one before.
  TMA_DEVICE TileOrEnd next() {
    if (last_ >= units_) return {};
    if (!begun_) begun_ = true;
    else last_ = receive();
    return last_ < units_ ? TileOrEnd(int(last_ * ClusterSize + ptx::cluster_rank())) : TileOrEnd{};
  }

private:
  TMA_DEVICE u32 receive() {
    if (handout_.gives()) {
      const u32 number[] = {ptx::take_number(counter_, units_ - 1) + ptx::grid_clusters()};
      handout_.wait_read();
      // To the others: PTX leaves undefined what st.async does with the block that issues it, which is the one of rank 0.
      for (u32 rank = 1; rank < ClusterSize; ++rank) {
        const u32 given = ptx::map_shared(detail::BarrierAccess::address(handout_.given()), rank);
        ptx::mbarrier_arrive_expect_tx_peer<Order::relaxed>(given, sizeof number);
        ptx::store_async(ptx::map_shared(ptx::shared_address(&number_), rank), number, given);
      }
      handout_.has_given();
      return number[0];
    }
    handout_.wait_given();
    const u32 number = number_;
    handout_.has_read();
    return number;
  }

  Handout   handout_;
  u32&      number_;
  unsigned* counter_;
  u32       units_, last_;
  bool      begun_ = false;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
