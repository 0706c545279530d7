#pragma once

#include "../core/prologue.hpp"

#include "load.hpp"
#include "store.hpp"

namespace tma::inline TMA_ABI {

template <class T> class Peer;

namespace detail {
template <class T> struct IssuePrefetch;  // device/prefetch.hpp has it
template <class T> struct PeerCopies;     // device/peer_copies.hpp
}  // namespace detail

/// The right to issue copies: held by one thread of a group, from `block.elect()`. There is no other way to get one.
///
///     if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
///
/// True in the elected thread. In the others it is false and whatever is asked of it does nothing, so that a copy is
/// issued once even where the `if` was forgotten.
class Issuer {
  // What the compiler prints where an issuer is copied or made by hand.
  using the_right_to_issue_stays_with_the_elected_thread__pass_it_by_reference = Issuer;
  using an_issuer_comes_from_block_elect                                       = bool;

public:
  Issuer(const the_right_to_issue_stays_with_the_elected_thread__pass_it_by_reference&)            = delete;
  Issuer& operator=(const the_right_to_issue_stays_with_the_elected_thread__pass_it_by_reference&) = delete;

  TMA_DEVICE explicit operator bool() const { return elected_; }

  /// Loads the tile of `descriptor` at `at` into `tile`; completes a phase of `barrier` (a LoadBarrier or its
  /// MbarrierPhase) by itself. Elements outside the tensor are filled, and counted. Returns at once. Where threads have
  /// used the tile before, they release it first (`block.release(tile)`). For several loads that complete together:
  /// `LoadBatch`. `modifiers`: a CachePolicy, a Multicast, `tma::cta_group<2>()`.
  template <class T, int Rank, class Box, class TileT, class Barrier, class... Modifiers>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                       TileT& tile, const Barrier& barrier, const Modifiers&... modifiers) const {
    LoadBatch(*this, barrier).load(descriptor, at, tile, modifiers...);
  }

  /// Loads `Count` elements into `buffer`; completes a phase of `barrier` by itself.
  template <class T, int Count, class BufferT, class Barrier, class... Modifiers>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, BufferT& buffer, const Barrier& barrier,
                       const Modifiers&... modifiers) const {
    LoadBatch(*this, barrier).load(source, buffer, modifiers...);
  }

  /// Stores a published tile to where `descriptor` has it at `at`. The result waits, at its scope's end by itself.
  /// `modifiers`: a CachePolicy.
  template <class T, int Rank, class Box, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup store(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                              const Source& tile, const Modifiers&... modifiers) const {
    StoreGroup stores(*this);
    stores.store(descriptor, at, tile, modifiers...);
    return stores;
  }

  /// Stores `Count` elements from a published buffer. `modifiers`: a CachePolicy, a ByteMask.
  template <class T, int Count, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup store(const AlignedChunk<T, Count>& destination, const Source& buffer,
                              const Modifiers&... modifiers) const {
    StoreGroup stores(*this);
    stores.store(destination, buffer, modifiers...);
    return stores;
  }

  /// `issuer.reduce<tma::Reduction::add>(descriptor, at, ready)`: as a store, but combines what it brings with what is there
  /// (`StoreGroup::reduce`). Needs <tma/device/reduce.hpp>.
  template <Reduction Op, class T, int Rank, class Box, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup reduce(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                               const Source& tile, const Modifiers&... modifiers) const {
    StoreGroup stores(*this);
    stores.template reduce<Op>(descriptor, at, tile, modifiers...);
    return stores;
  }
  template <Reduction Op, class T, int Count, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup reduce(const AlignedChunk<T, Count>& destination, const Source& buffer,
                               const Modifiers&... modifiers) const {
    StoreGroup stores(*this);
    stores.template reduce<Op>(destination, buffer, modifiers...);
    return stores;
  }

  /// Brings what a load of `descriptor` at `at` would read into the second-level cache, and no further. A hint: nothing waits
  /// for it and nothing completes. `modifiers`: a CachePolicy. Needs <tma/device/prefetch.hpp>.
  template <class T, int Rank, class Box, class... Modifiers>
  TMA_DEVICE void prefetch(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                           const Modifiers&... modifiers) const {
    if constexpr (can_prefetch<T>())
      if (elected_) detail::IssuePrefetch<T>::tensor(descriptor, at, modifiers...);
  }
  template <class T, int Count, class... Modifiers>
  TMA_DEVICE void prefetch(const AlignedChunk<T, Count>& source, const Modifiers&... modifiers) const {
    if constexpr (can_prefetch<T>())
      if (elected_) detail::IssuePrefetch<T>::chunk(source, modifiers...);
  }
  /// Brings the descriptor itself to where the engine looks for it: worth it early in a kernel, before the first copy.
  template <class T, int Rank, class Box>
  TMA_DEVICE void prefetch_descriptor(const TmaDescriptor<const T, Rank, Box>& descriptor) const {
    if constexpr (can_prefetch<T>())
      if (elected_) detail::IssuePrefetch<T>::descriptor(descriptor);
  }

  template <class T, int Rank, class Box, class TileT>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>&, const detail::place_t<Box, Rank>&, const TileT&) const {
    static_assert(detail::always_false<TileT>, "tma: a load says what it completes on: issuer.load(descriptor, at, tile, "
                                               "arrived), then arrived.wait()");
  }
  template <class T, int Count, class BufferT> TMA_DEVICE void load(const AlignedChunk<T, Count>&, const BufferT&) const {
    static_assert(detail::always_false<BufferT>, "tma: a load says what it completes on: issuer.load(chunk, buffer, "
                                                 "arrived), then arrived.wait()");
  }

  /// Makes a phase's arrival and tells the barrier the bytes of `what` (a tile, a buffer, a chunk, a descriptor): those that
  /// come by themselves, from another block's multicast or asynchronous stores. `LoadBatch::expect`.
  template <class What, class Barrier> TMA_DEVICE void expect(const What& what, const Barrier& barrier) const {
    LoadBatch(*this, barrier).expect(what);
  }

  /// As a load of this block's own, into the same tile or buffer of another block, where it completes a phase of `barrier` by
  /// itself: the other block only waits, and has let this one know that the tile is free.
  /// `issuer.load(in, at, cluster.peer(tile, rank), cluster.peer(barrier, rank))`. Needs <tma/device/cluster.hpp>.
  template <class T, int Rank, class Box, class TileT, class Barrier, class... Modifiers>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                       Peer<TileT> tile, const Barrier& barrier, const Modifiers&... modifiers) const {
    detail::PeerCopies<TileT>::load(elected_, descriptor, at, tile, barrier, modifiers...);
  }
  template <class T, int Count, class BufferT, class Barrier, class... Modifiers>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, Peer<BufferT> buffer, const Barrier& barrier,
                       const Modifiers&... modifiers) const {
    detail::PeerCopies<BufferT>::load_chunk(elected_, source, buffer, barrier, modifiers...);
  }

  /// Copies a published tile or buffer to `to`, the same in another block of the cluster, and completes a phase of `barrier`
  /// there by itself: the other block only waits. Both are peers of one rank: `cluster.peer(tile, rank)`. When the bytes
  /// may be overwritten here, and there, is for the blocks to tell one another: nothing else completes. What this block's
  /// threads did before is visible to those who wait there; `send<tma::Order::relaxed>`, which does not hold the thread up
  /// for that, says it of the bytes that are sent alone (cp.async.bulk shared::cta -> shared::cluster). Needs
  /// <tma/device/cluster.hpp>.
  template <Order O = Order::ordered, class Source, class Place, class Barrier>
  TMA_DEVICE void send(const Source& source, const Place& to, const Barrier& barrier) const {
    if constexpr (has_peers<Source>()) detail::PeerCopies<Source>::template send<O>(elected_, source, to, barrier);
  }

  /// `issuer.reduce<tma::Reduction::add>(peer, ready, peer_barrier)`: as `send`, but combines what it brings with what is there.
  template <Reduction Op, Order O = Order::ordered, class Place, class Source, class Barrier>
    requires(detail::is_peer_v<Place>)
  TMA_DEVICE void reduce(const Place& to, const Source& source, const Barrier& barrier) const {
    if constexpr (has_peers<Source>()) detail::PeerCopies<Source>::template reduce<Op, O>(elected_, source, to, barrier);
  }

private:
  template <class T> static TMA_HOST_DEVICE constexpr bool has_peers() {
    static_assert(detail::is_complete_v<detail::PeerCopies<T>>,
                  "tma: copies to another block are those of a cluster: #include <tma/device/cluster.hpp>, auto [cluster, "
                  "arrived] = tma::this_cluster(barrier), issuer.send(ready, cluster.peer(tile, rank), "
                  "cluster.peer(barrier, rank))");
    return detail::is_complete_v<detail::PeerCopies<T>>;
  }
  template <class T> static TMA_HOST_DEVICE constexpr bool can_prefetch() {
    static_assert(detail::is_complete_v<detail::IssuePrefetch<T>>,
                  "tma: prefetches are in a header of their own: #include <tma/device/prefetch.hpp>");
    return detail::is_complete_v<detail::IssuePrefetch<T>>;
  }

  friend struct detail::IssuerAccess;
  TMA_DEVICE explicit Issuer(an_issuer_comes_from_block_elect elected = false) : elected_(elected) {}
  bool elected_;
};

namespace detail {

struct IssuerAccess {
  static TMA_DEVICE Issuer make(bool elected) { return Issuer(elected); }
};

}  // namespace detail

template <Scope S>
template <class Barrier>
TMA_DEVICE LoadBatch<S>::LoadBatch(const Issuer& issuer, const Barrier& barrier)
    : elected_(bool(issuer)),
      barrier_(detail::load_barrier_address(barrier)) {}

TMA_DEVICE StoreGroup::StoreGroup(const Issuer& issuer) : elected_(bool(issuer)) {}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
