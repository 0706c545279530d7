// Parts of a pipeline that blocks of a cluster load for one another: each brings a slice, by a multicast to all that use the
// tile, so that every byte is read once for all of them.
#pragma once

#include "../core/prologue.hpp"

#if TMA_HAS_DEVICE
#  include "../device/cluster.hpp"
#endif
#include "pipeline.hpp"

namespace tma::inline TMA_ABI {

/// The blocks of a cluster as a grid: the block of rank r is in row r / Columns and column r % Columns, as a launch with
/// `.cluster = {Columns, Rows}` has them.
template <int Rows, int Columns = 1> struct ClusterShape {
  static_assert(Rows >= 1 && Columns >= 1 && Rows * Columns <= 16,
                "tma::ClusterShape: a cluster has at most 8 blocks, 16 where the device allows it");
  static constexpr int rows = Rows, columns = Columns, size = Rows * Columns;
};

/// What one block loads of a tile that `Blocks` of them share: the tile of its descriptor. The first extent is cut.
template <class TileT, int Blocks> struct Slice {
  static_assert(detail::always_false<TileT>, "tma: what blocks of a cluster share is a tma::Tile; in the place of a "
                                             "tma::Buffer a tile of one dimension: tma::Tile<float, tma::Shape<256>>");
  using type = TileT;
};
template <class T, int First, int... Rest, Swizzle Mode, int Blocks>
struct Slice<Tile<T, Shape<First, Rest...>, Mode>, Blocks> {
  static_assert(Blocks >= 1 && First % Blocks == 0 && First / Blocks >= 1,
                "tma: a tile that blocks share is cut along its first extent, which is a multiple of their number");
  using type = Tile<T, Shape<(First % Blocks == 0 ? First / Blocks : First), Rest...>, Mode>;
  static_assert(
      First % Blocks != 0 || type::footprint_bytes % type::alignment == 0,
      "tma: the slices of a shared tile begin where its swizzle begins: each is a multiple of 128 bytes, or of 256, "
      "512 and 1024 with the 32, 64 and 128-byte swizzle. Make the tile longer, or share it among fewer blocks");
};
template <class TileT, int Blocks> using slice_t = typename Slice<TileT, Blocks>::type;

namespace detail {

enum class Among : int { row, column, cluster };

// The blocks of `Shape` whose parts overlap those of one block: its row, its column, all.
template <class Shape, bool Row, bool Column, bool All> struct Sharing {
  using shape               = Shape;
  static constexpr bool row = Row && !All, column = Column && !All;
  static constexpr int  blocks = All ? Shape::size : (row ? Shape::columns : 1) + (column ? Shape::rows : 1) - 1;

#if TMA_HAS_DEVICE
  // The i-th of them, for the block of rank `own`.
  static TMA_DEVICE u32 peer(u32 own, u32 i) {
    if constexpr (All) return i;
    const u32 mine = own / Shape::columns, place = own % Shape::columns;
    if constexpr (row && column) {
      if (i < Shape::columns) return mine * Shape::columns + i;
      const u32 other = i - Shape::columns;
      return (other + u32(other >= mine)) * Shape::columns + place;
    }
    if constexpr (row) return mine * Shape::columns + i;
    return i * Shape::columns + place;
  }
#endif
};

template <class Shape, bool R1, bool C1, bool A1, bool R2, bool C2, bool A2>
struct JoinSharing<Sharing<Shape, R1, C1, A1>, Sharing<Shape, R2, C2, A2>> {
  using type = Sharing<Shape, R1 || R2, C1 || C2, A1 || A2>;
};

template <class ShapeA, bool R1, bool C1, bool A1, class ShapeB, bool R2, bool C2, bool A2>
struct JoinSharing<Sharing<ShapeA, R1, C1, A1>, Sharing<ShapeB, R2, C2, A2>> {
  static_assert(is_same_v<ShapeA, ShapeB>,
                "tma::Pipeline: a kernel has one cluster: all parts that its blocks share name the "
                "same tma::ClusterShape");
  using type = Sharing<ShapeA, R1 || R2, C1 || C2, A1 || A2>;
};

template <class Shape, bool R, bool C, bool A> struct RingScope<Sharing<Shape, R, C, A>> {
  using Peers                 = Sharing<Shape, R, C, A>;
  static constexpr int blocks = Peers::blocks;

#if TMA_HAS_DEVICE
  static TMA_DEVICE void meet() {
    if constexpr (checked)
      check(ptx::cluster_size() == Shape::size,
            "this pipeline is written for another cluster: launch its kernel with .cluster = {columns, rows}",
            ptx::cluster_size());
    ptx::cluster_arrive<Order::relaxed>();
    ptx::cluster_wait();
  }
  // Threads come here from their roles, each by itself.
  static TMA_DEVICE void part() {
    ptx::cluster_arrive_alone<Order::ordered>();
    ptx::cluster_wait_alone();
  }
  // Shared memory is all that a ring orders between blocks: fences that are restricted to it, and relaxed operations on the
  // barriers.
  template <class Barrier> static TMA_DEVICE void wait(const Barrier& barrier, u32 parity) {
    const u32   a = BarrierAccess::address(barrier);
    BoundedWait wait(a, parity);
    while (!ptx::mbarrier_try_wait_shared(a, parity)) wait.again();
    ptx::fence_acquire_shared();
  }
  static TMA_DEVICE void fence_refill() { ptx::fence_acquire_shared_for_copies(); }
  static TMA_DEVICE bool is_complete(u32 barrier, u32 parity) {
    return ptx::mbarrier_test_wait<Order::relaxed, Scope::cluster>(barrier, parity);
  }
  // By a warp of `lanes` lanes. A stage is filled by all these blocks: each of them waits for this one's warps, and each lane
  // arrives at one of them. The fence stands behind the meeting and in every lane that arrives: it orders what has happened
  // before itself, and so what the other lanes have read, only there (PTX: a release pattern begins with its fence).
  static TMA_DEVICE void free(u32 barrier, u32 lane, u32 lanes) {
    ptx::sync_warp();
    ptx::fence_release_shared();
    arrive(barrier, lane, lanes);
  }
  // The same by a group of whole warps that meets.
  template <class Meet> static TMA_DEVICE void free_together(u32 barrier, u32 rank, u32 threads, Meet meet) {
    meet();
    ptx::fence_release_shared();
    arrive(barrier, rank, threads);
  }

private:
  // By the thread of this rank of so many.
  static TMA_DEVICE void arrive(u32 barrier, u32 rank, u32 threads) {
#  if defined(TMA_DETAIL_RACECHECK)  // all of them, at all blocks: GroupArrival
    for (u32 i = 0; i < u32(blocks); ++i)
      ptx::mbarrier_arrive_peer<Order::ordered>(ptx::map_shared(barrier, Peers::peer(ptx::cluster_rank(), i)),
                                                GroupArrival::count(rank, threads));
#  else
    arrive_at(barrier, rank);
    // The last warp of a block may have fewer lanes than there are blocks: they then take turns. For the warps of
    // `specialize`, which are whole, this is no code; for others a predicated branch that a full warp does not take.
    for (u32 first = threads; first < u32(blocks); first += threads) arrive_at(barrier, first + rank);
#  endif
  }
  static TMA_DEVICE void arrive_at(u32 barrier, u32 i) {
    const u32 peer = Peers::peer(ptx::cluster_rank(), i);
    if (i < u32(blocks)) ptx::mbarrier_arrive_peer_shared(ptx::map_shared(barrier, peer));
  }
#endif
};

template <class TileT, class Shape, Among A> struct SharedPart {
  static constexpr PartKind kind   = PartKind::engine;
  static constexpr int      blocks = A == Among::cluster ? Shape::size : A == Among::row ? Shape::columns : Shape::rows;
  using object                     = TileT;
  using loaded                     = slice_t<TileT, blocks>;
  using sharing                    = Sharing<Shape, A == Among::row, A == Among::column, A == Among::cluster>;

#if TMA_HAS_DEVICE
  // `at` is where the whole tile begins. This block's slice goes to all, and theirs come here.
  template <class T, int Rank, class... Modifiers>
  static TMA_DEVICE void load(LoadBatch<>& batch, const TmaDescriptor<const T, Rank, loaded>& descriptor,
                              const Coord<Rank>& at, TileT& tile, const Modifiers&... modifiers) {
    const u32   own = ptx::cluster_rank();
    u32         place, mask;
    Coord<Rank> mine = at;
    if constexpr (A == Among::cluster) {
      place = own;
      mask  = (1u << Shape::size) - 1;
    } else if constexpr (A == Among::row) {
      place = own % Shape::columns;
      mask  = ((1u << Shape::columns) - 1) << (own - place);
    } else {
      place = own / Shape::columns;
      mask  = every_column << (own % Shape::columns);
    }
    if (LoadBatchAccess::elected(batch))
      ptx::note_shared_tile<Rank>(LoadBatchAccess::barrier(batch), ptx::shared_address(tile.storage()), mask,
                                  tensor_map(descriptor), at);
    mine[0] += int(place) * loaded::shape::extents[0];
    auto& slice = *reinterpret_cast<loaded*>(static_cast<unsigned char*>(tile.storage()) + place * u32(sizeof(loaded)));
    batch.load(descriptor, mine, slice, ModifierAccess::multicast(u16(mask), true), modifiers...);
    for (int i = 1; i < blocks; ++i) batch.expect(slice);
  }

private:
  static TMA_HOST_DEVICE constexpr u32 first_column() {
    u32 mask = 0;
    for (int r = 0; r < Shape::rows; ++r) mask |= 1u << (r * Shape::columns);
    return mask;
  }
  static constexpr u32 every_column = first_column();
#endif
};

}  // namespace detail

/// A tile that all blocks of the cluster use: `Pipeline<4, SharedInCluster<Tile, ClusterShape<4>>>`.
///
/// Each block loads a slice of it, `slice_t<Tile, blocks>`, the type of the descriptor, and multicasts it to the others:
/// `stage.load(descriptor, at)` where `at` is where the whole tile begins, by the producers of all of these blocks, in the
/// same steps. Consumers see the whole tile, and free the stage in every block that fills it: the arrivals follow from the
/// types. What is outside of the tensor is filled, so a block whose work lies outside takes its steps with the others.
template <class TileT, class Shape> struct SharedInCluster {};
/// The same among the blocks of a row of the cluster, or of a column: of a matrix product whose blocks have the shape of the
/// output, the tiles of A are shared in rows and those of B in columns.
template <class TileT, class Shape> struct SharedInRow {};
template <class TileT, class Shape> struct SharedInColumn {};

namespace detail {

template <class TileT, class Shape>
struct PartOf<SharedInCluster<TileT, Shape>> : SharedPart<TileT, Shape, Among::cluster> {};
template <class TileT, class Shape> struct PartOf<SharedInRow<TileT, Shape>> : SharedPart<TileT, Shape, Among::row> {};
template <class TileT, class Shape> struct PartOf<SharedInColumn<TileT, Shape>> : SharedPart<TileT, Shape, Among::column> {};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
