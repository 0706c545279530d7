#pragma once

#include "../core/aligned_pointer.hpp"
#include "../core/buffer.hpp"
#include "../core/descriptor.hpp"
#include "check.hpp"
#include "load_barrier.hpp"
#include "mbarrier_phase.hpp"

namespace tma {

class Issuer;

namespace detail {

struct IssuerAccess;

// The barrier behind a LoadBarrier or its phase.
template <class Barrier> TMA_DEVICE u32 load_barrier_address(const Barrier& barrier) {
  if constexpr (is_load_barrier_v<Barrier>) {
    return BarrierAccess::address(barrier);
  } else if constexpr (is_load_phase_v<Barrier>) {
    return BarrierAccess::address(barrier.barrier());
  } else {
    static_assert(always_false<Barrier>,
                  "tma: a load completes on a tma::LoadBarrier, which counts its bytes; not on a StoreGroup, which "
                  "completes stores, nor on an Mbarrier, which counts arrivals only");
    return 0;
  }
}

// The one reversal between our order of dimensions and the instruction's.
template <int Rank> TMA_DEVICE ptx::Coordinates<Rank> reversed(const Coord<Rank>& at) {
  ptx::Coordinates<Rank> c;
  for (int d = 0; d < Rank; ++d) c.at[d] = at[Rank - 1 - d];
  return c;
}

template <class T, int Rank> TMA_DEVICE void check_inner([[maybe_unused]] const Coord<Rank>& at) {
  if constexpr (checked)
    check(i64(at[Rank - 1]) * i64(sizeof(T)) % 16 == 0,
          "the innermost coordinate times the element size must be a multiple of 16 bytes; start the tile at an aligned "
          "element and use the part of it that is wanted",
          at[Rank - 1]);
}

// What holds of every copy between a descriptor and a tile, in both directions.
template <class T, class DescriptorTile, class TileT> TMA_HOST_DEVICE constexpr bool check_tile() {
  static_assert(is_tile_v<TileT>, "tma: a tensor copy moves a tma::Tile in shared memory");
  if constexpr (is_tile_v<TileT>) {
    static_assert(is_same_v<remove_cv_t<T>, typename TileT::value_type>,
                  "tma: the descriptor's element type is not the tile's");
    static_assert(is_same_v<DescriptorTile, void> || is_same_v<DescriptorTile, remove_cv_t<TileT>>,
                  "tma: the descriptor was made for another tile: box, swizzle or element differ, so the copy would not "
                  "fit. Use the descriptor's own tile type, or make a descriptor for this one: "
                  "tma::make_descriptor<Tile>(view)");
  }
  return true;
}

template <class T, int Rank, class TileT>
TMA_DEVICE void check_place([[maybe_unused]] const TmaDescriptor<const T, Rank, TileT>& descriptor) {
  if constexpr (checked)
    check(!ptx::is_local(tensor_map(descriptor)),
          "the descriptor lies in local memory, where the copy engine cannot read it; write const __grid_constant__ before "
          "the kernel's parameter, and pass it on by const reference",
          0);
}

template <class T, int Rank, class TileT>
TMA_DEVICE void check_room([[maybe_unused]] const TmaDescriptor<const T, Rank, void>& descriptor) {
  if constexpr (checked)
    check(descriptor.footprint_bytes() <= int(sizeof(TileT)) && descriptor.swizzle() == TileT::swizzle,
          "the tile does not hold the descriptor's box, or swizzles otherwise; bytes the box needs",
          descriptor.footprint_bytes());
}

// Issue one load by the calling thread; the result is what the barrier will be told to expect.
template <class T, int Rank, class DescriptorTile, class TileT>
TMA_DEVICE u32 issue_load(u32 barrier, const TmaDescriptor<const T, Rank, DescriptorTile>& descriptor,
                          const type_identity_t<Coord<Rank>>& at, TileT& tile) {
  static_assert(check_tile<T, DescriptorTile, TileT>());
  static_assert(!is_const_v<TileT>, "tma: a load writes the tile: it cannot be const");
  check_place(descriptor);
  check_inner<T>(at);
  if constexpr (is_same_v<DescriptorTile, void>) check_room<T, Rank, TileT>(descriptor);
  ptx::tensor_load<Rank>(ptx::shared_address(tile.storage()), tensor_map(descriptor), reversed(at), barrier);
  if constexpr (is_same_v<DescriptorTile, void>) return u32(descriptor.payload_bytes());
  else return u32(TileT::payload_bytes);
}

template <class T, int Count, class BufferT>
TMA_DEVICE u32 issue_load(u32 barrier, const AlignedChunk<T, Count>& source, BufferT& buffer) {
  constexpr bool is_place = requires { BufferT::is_plain; };
  static_assert(is_place, "tma: a one-dimensional copy goes into a tma::Buffer, or a tma::Tile without swizzle, in shared "
                          "memory");
  if constexpr (is_place) {
    static_assert(!is_const_v<BufferT>, "tma: a load writes the buffer: it cannot be const");
    static_assert(is_same_v<remove_cv_t<T>, typename BufferT::value_type>,
                  "tma: source and destination have the same element type");
    static_assert(BufferT::is_plain,
                  "tma: a one-dimensional copy writes elements in a row; this tile is swizzled or padded. Load it through "
                  "a descriptor");
    if constexpr (requires { BufferT::has_slack; })
      static_assert(!BufferT::has_slack, "tma: a tma::RaggedBuffer is for copies of run-time length; a chunk goes into a "
                                         "tma::Buffer of its size");
    static_assert(AlignedChunk<T, Count>::payload_bytes <= BufferT::payload_bytes,
                  "tma: the source is longer than the buffer in shared memory");
    check(u64(source.get()) % 16 == 0, "the source of a bulk copy must be a multiple of 16", i64(u64(source.get()) % 16));
    ptx::bulk_load(ptx::shared_address(buffer.storage()), source.get(), AlignedChunk<T, Count>::payload_bytes, barrier);
  }
  return u32(AlignedChunk<T, Count>::payload_bytes);
}

}  // namespace detail

/// Several loads that complete together, in one phase of one barrier.
///
///     if (auto issuer = block.elect()) {
///       tma::LoadBatch batch(issuer, arrived);
///       batch.load(a, at_a, tile_a).load(b, at_b, tile_b);
///     }
///     arrived.wait();  // both
///
/// The copies start as they are issued. The end of the batch makes the phase's one arrival and tells the barrier the
/// bytes that were issued, however many that were: none, and the phase completes at once. One batch a phase.
class LoadBatch {
  using a_batch_arrives_once__pass_it_by_reference = LoadBatch;  // what the compiler prints of a copy

public:
  /// `barrier` is a LoadBarrier or its MbarrierPhase.
  template <class Barrier> TMA_DEVICE LoadBatch(const Issuer& issuer, const Barrier& barrier);

  template <class Other, class Barrier> TMA_DEVICE LoadBatch(const Other&, const Barrier&) {
    static_assert(detail::always_false<Other>,
                  "tma::LoadBatch: a batch belongs to the elected thread: tma::LoadBatch batch(issuer, barrier), with auto "
                  "issuer = block.elect()");
  }
  template <class Other> TMA_DEVICE explicit LoadBatch(const Other&) {
    static_assert(detail::always_false<Other>,
                  "tma::LoadBatch: a batch belongs to the elected thread and says what it completes on: tma::LoadBatch "
                  "batch(issuer, barrier), with auto issuer = block.elect()");
  }

  LoadBatch(const a_batch_arrives_once__pass_it_by_reference&)            = delete;
  LoadBatch& operator=(const a_batch_arrives_once__pass_it_by_reference&) = delete;

  TMA_DEVICE ~LoadBatch() {
    if (elected_) ptx::mbarrier_arrive_expect_tx(barrier_, bytes_);
  }

  /// Loads the tile of `descriptor` at `at` into `tile`. Elements outside the tensor are filled.
  template <class T, int Rank, class DescriptorTile, class TileT>
  TMA_DEVICE LoadBatch& load(const TmaDescriptor<const T, Rank, DescriptorTile>& descriptor,
                             const detail::type_identity_t<Coord<Rank>>& at, TileT& tile) {
    if (elected_) bytes_ += detail::issue_load(barrier_, descriptor, at, tile);
    return *this;
  }

  /// Loads `Count` elements into a buffer, or into a tile without swizzle.
  template <class T, int Count, class BufferT>
  TMA_DEVICE LoadBatch& load(const AlignedChunk<T, Count>& source, BufferT& buffer) {
    if (elected_) bytes_ += detail::issue_load(barrier_, source, buffer);
    return *this;
  }

private:
  bool        elected_;
  detail::u32 barrier_;
  detail::u32 bytes_ = 0;
};

}  // namespace tma
