#pragma once

#include "../core/prologue.hpp"

#include "../core/aligned_pointer.hpp"
#include "../core/buffer.hpp"
#include "box_copies.hpp"
#include "load_barrier.hpp"
#include "mbarrier_phase.hpp"

namespace tma::inline TMA_ABI {

class Issuer;

namespace detail {

struct IssuerAccess;
struct LoadBatchAccess;

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

// What a load adds to the bytes that the barrier of this block is told to expect.
template <class... Modifiers> TMA_DEVICE u32 bytes_here(u32 bytes, const Modifiers&... modifiers) {
  return (comes_here(modifiers) && ...) ? bytes : 0;
}

// Bytes that a copy moves between a descriptor and a tile.
template <class TileT, class T, int Rank, class Box>
TMA_DEVICE u32 payload_of([[maybe_unused]] const TmaDescriptor<const T, Rank, Box>& descriptor) {
  if constexpr (is_same_v<Box, void>) return u32(descriptor.payload_bytes());
  else return u32(TileT::payload_bytes);
}

// For the reports of a checked build. What completes on another block's barrier is not this block's to know.
template <class... Modifiers>
TMA_DEVICE void note_copy([[maybe_unused]] u32 barrier, [[maybe_unused]] u32 place, [[maybe_unused]] u32 bytes,
                          [[maybe_unused]] const Modifiers&... modifiers) {
#if defined(TMA_DETAIL_WATCHED)
  if constexpr (!form_of<Modifiers...>().cluster) notes::copies(barrier, place, bytes, bytes_here(bytes, modifiers...));
#endif
}

// Issue one load by the calling thread into the tile at `place`; the result is what the barrier will be told to expect.
template <class TileT, class T, int Rank, class Box, class... Modifiers>
TMA_DEVICE u32 issue_load(u32 barrier, const TmaDescriptor<const T, Rank, Box>& descriptor, const place_t<Box, Rank>& at,
                          u32 place, const Modifiers&... modifiers) {
  static_assert(!is_const_v<TileT>, "tma: a load writes the tile: it cannot be const");
  if constexpr (check_tile<T, Rank, Box, TileT>() && check_modifiers<CopyKind::load, Modifiers...>()) {
    if constexpr (checked) {
      check_copy<TileT>(descriptor, at, place);
      note_copy(barrier, place, payload_of<TileT>(descriptor), modifiers...);
    }
    box_copies_t<Box, Rank>::template load<box_tile_t<Box>, TileT, form_of<Modifiers...>()>(
        place, tensor_map(descriptor), in_elements<T, box_copies_t<Box, Rank>>(at), barrier, extra_of(modifiers...));
    return bytes_here(payload_of<TileT>(descriptor), modifiers...);
  } else {
    return 0;
  }
}

template <class BufferT, class T, int Count, class... Modifiers>
TMA_DEVICE u32 issue_load(u32 barrier, const AlignedChunk<T, Count>& source, u32 place, const Modifiers&... modifiers) {
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
    check_bulk_place(place);
    if constexpr (checked && check_modifiers<CopyKind::bulk_load, Modifiers...>())
      note_copy(barrier, place, AlignedChunk<T, Count>::payload_bytes, modifiers...);
    if constexpr (check_modifiers<CopyKind::bulk_load, Modifiers...>())
      ptx::bulk_load<form_of<Modifiers...>()>(place, source.get(), AlignedChunk<T, Count>::payload_bytes, barrier,
                                              extra_of(modifiers...));
  }
  return bytes_here(u32(AlignedChunk<T, Count>::payload_bytes), modifiers...);
}

// The address of a tile or buffer, or of what is neither and will be refused by name.
template <class Place> TMA_DEVICE u32 place_of(Place& place) {
  if constexpr (requires { place.storage(); }) return ptx::shared_address(place.storage());
  else return 0;
}

template <class... Modifiers> inline constexpr bool is_multicast_v = (is_same_v<Modifiers, Multicast> || ...);

// Other blocks' copies are seen by threads that acquire at the scope of the cluster. `S` is that of the phase that is waited
// for; the cluster's, where a barrier is given itself and does not tell.
template <Scope S, class... Modifiers> TMA_HOST_DEVICE constexpr bool check_scope() {
  constexpr bool reaches = S != Scope::block || !is_multicast_v<Modifiers...>;
  static_assert(reaches,
                "tma: a multicast completes on barriers of a cluster, whose phases acquire at its scope: auto [cluster, "
                "arrived] = tma::this_cluster(barrier)");
  return reaches;
}

// Bytes that a phase is told of without a copy of its own.
template <class What> TMA_DEVICE u32 expected_bytes([[maybe_unused]] const What& what) {
  if constexpr (requires { u32(What::payload_bytes); }) {
    return u32(What::payload_bytes);
  } else if constexpr (requires { u32(what.payload_bytes()); }) {
    return u32(what.payload_bytes());
  } else {
    static_assert(always_false<What>,
                  "tma: expect() takes what is to come: a tma::Tile, a tma::Buffer, a chunk or a descriptor");
    return 0;
  }
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
///
/// `S`, which follows from the arguments, is the scope at which the phase is waited for: a batch on a phase of
/// `tma::this_block` takes no Multicast. A function that is handed a batch takes `auto& batch`.
template <Scope S = Scope::cluster> class LoadBatch {
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

  /// Loads the tile of `descriptor` at `at` into `tile`. Elements outside the tensor are filled. `modifiers`: a
  /// CachePolicy, a Multicast, `tma::cta_group<2>()`.
  template <class T, int Rank, class Box, class TileT, class... Modifiers>
  TMA_DEVICE LoadBatch& load(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                             TileT& tile, const Modifiers&... modifiers) {
    if constexpr (detail::check_scope<S, Modifiers...>())
      if (elected_) bytes_ += detail::issue_load<TileT>(barrier_, descriptor, at, detail::place_of(tile), modifiers...);
    return *this;
  }

  /// Loads `Count` elements into a buffer, or into a tile without swizzle.
  template <class T, int Count, class BufferT, class... Modifiers>
  TMA_DEVICE LoadBatch& load(const AlignedChunk<T, Count>& source, BufferT& buffer, const Modifiers&... modifiers) {
    if constexpr (detail::check_scope<S, Modifiers...>())
      if (elected_) bytes_ += detail::issue_load<BufferT>(barrier_, source, detail::place_of(buffer), modifiers...);
    return *this;
  }

  /// Bytes that come in this phase without this batch: those of a tile or buffer that another block's multicast or
  /// asynchronous stores fill, of the chunk or descriptor they are loaded from. Names them; does not touch them.
  template <class What> TMA_DEVICE LoadBatch& expect(const What& what) {
    if (elected_) bytes_ += detail::expected_bytes(what);
    return *this;
  }

private:
  friend struct detail::LoadBatchAccess;

  bool        elected_;
  detail::u32 barrier_;
  detail::u32 bytes_ = 0;
};

template <class Barrier>
LoadBatch(const Issuer&, const Barrier&)
    -> LoadBatch<detail::waits_at_block_scope_v<Barrier> ? Scope::block : Scope::cluster>;
template <class Other, class Barrier> LoadBatch(const Other&, const Barrier&) -> LoadBatch<>;  // refused
template <class Other> LoadBatch(const Other&) -> LoadBatch<>;                                 // refused

namespace detail {

struct LoadBatchAccess {
  template <Scope S> static TMA_DEVICE bool elected(const LoadBatch<S>& batch) { return batch.elected_; }
  template <Scope S> static TMA_DEVICE u32  barrier(const LoadBatch<S>& batch) { return batch.barrier_; }
  // What the end of its scope does, now.
  template <Scope S> static TMA_DEVICE void commit(LoadBatch<S>& batch) {
    if (batch.elected_) ptx::mbarrier_arrive_expect_tx(batch.barrier_, batch.bytes_);
    batch.elected_ = false;
  }
};

}  // namespace detail

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
