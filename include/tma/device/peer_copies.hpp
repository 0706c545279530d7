// Copies by the engine from a block's shared memory into that of another block of its cluster.
#pragma once

#include "../core/prologue.hpp"

#include "block.hpp"
#include "peer.hpp"

#include TMA_DETAIL_PTX(_reduce)

namespace tma::inline TMA_ABI::detail {

// Bytes of a tile or buffer as it lies in shared memory, its padding with it.
template <class Place> TMA_HOST_DEVICE constexpr u32 bytes_of() {
  if constexpr (is_tile_v<Place>) return u32(Place::footprint_bytes);
  else return u32(Place::payload_bytes);
}

// Says in a copy's form that its place and its barrier are another block's.
struct IntoPeer {};
template <> struct Modifier<IntoPeer> {
  static constexpr bool                 known = true;
  static TMA_HOST_DEVICE constexpr bool fits(CopyKind kind) { return kind <= CopyKind::bulk_load; }
  static TMA_HOST_DEVICE constexpr void mark(CopyForm& form) { form.cluster = true; }
  static TMA_DEVICE void                put(CopyExtra&, const IntoPeer&) {}
};

// `Source` is what `issuer.send` and `issuer.reduce` were given. The barrier is armed by the one arrival that is made here,
// for whoever waits there does not know when the copy is issued. Its release (`Order::ordered`) is of what threads did before;
// the copy's bytes have their own, at their completion.
template <class Source> struct PeerCopies {
  static TMA_HOST_DEVICE constexpr bool check_source() {
    static_assert(
        is_published_v<Source>,
        "tma: the tile is not published: the engine may read stale shared memory. Write auto ready = "
        "block.publish(tile); by all threads that wrote it, and send ready (or tma::as_loaded(tile) for bytes that a "
        "load brought and nobody changed)");
    return is_published_v<Source>;
  }

  template <class Place, class Barrier> static TMA_HOST_DEVICE constexpr bool check_peers() {
    using From = remove_cvref_t<decltype(*declared<const Source&>())>;
    static_assert(is_peer_v<Place> && is_peer_v<Barrier>,
                  "tma: issuer.send(ready, peer, peer_barrier): the place and the barrier are in another block: "
                  "cluster.peer(tile, rank), cluster.peer(barrier, rank)");
    if constexpr (is_peer_v<Place> && is_peer_v<Barrier>) {
      using To                = typename Place::object;
      constexpr bool whole    = is_tile_v<To> || is_buffer_v<To>;
      constexpr bool one_type = is_same_v<remove_cv_t<To>, From>;
      static_assert(whole, "tma: a tma::Tile or a tma::Buffer is sent, as a whole");
      static_assert(!whole || one_type, "tma: what is sent and where it goes are of one type: it is the same object in "
                                        "another block, or one like it");
      static_assert(!is_const_v<To>, "tma: what is sent to is written: it cannot be const");
      static_assert(is_load_barrier_v<typename Barrier::object>,
                    "tma: what is sent completes on a tma::LoadBarrier of the peer, which counts its bytes");
      return whole && one_type && is_load_barrier_v<typename Barrier::object>;
    } else {
      return false;
    }
  }

  template <Order O, class Place, class Barrier>
  static TMA_DEVICE void arm([[maybe_unused]] const Place& to, const Barrier& barrier, u32 bytes) {
    if constexpr (checked) {
      const u32 rank = ptx::cluster_rank_of(PeerAccess::address(to));
      check(rank != ptx::cluster_rank(), "a block sends to another block of its cluster, not to itself", rank);
      check(rank == ptx::cluster_rank_of(PeerAccess::address(barrier)),
            "the barrier is in another block than what is written: make both peers with one rank", rank);
    }
    ptx::mbarrier_arrive_expect_tx_peer<O>(PeerAccess::address(barrier), bytes);
  }

  template <Order O, class Place, class Barrier>
  static TMA_DEVICE void send(bool elected, const Source& source, const Place& to, const Barrier& barrier) {
    if constexpr (check_source()) {
      if constexpr (check_peers<Place, Barrier>()) {
        if (elected) {
          constexpr u32 bytes = bytes_of<remove_cvref_t<decltype(*source)>>();
          arm<O>(to, barrier, bytes);
          ptx::bulk_send(PeerAccess::address(to), ptx::shared_address(source->storage()), bytes,
                         PeerAccess::address(barrier));
        }
      }
    }
  }

  template <Reduction Op, Order O, class Place, class Barrier>
  static TMA_DEVICE void reduce(bool elected, const Source& source, const Place& to, const Barrier& barrier) {
    if constexpr (check_source()) {
      if constexpr (check_peers<Place, Barrier>()) {
        using Element           = typename Place::object::value_type;
        constexpr bool no_holes = Place::object::is_plain || is_tile_v<typename Place::object>;
        static_assert(no_holes && check_reduction<Op, element_type<Element>, ReducedPlace::peer>());
        if (elected) {
          constexpr u32 bytes = bytes_of<remove_cvref_t<decltype(*source)>>();
          arm<O>(to, barrier, bytes);
          ptx::bulk_reduce_peer<Op, element_type<Element>>(PeerAccess::address(to), ptx::shared_address(source->storage()),
                                                           bytes, PeerAccess::address(barrier));
        }
      }
    }
  }

  // --- loads: `Source` is the tile or buffer they go into ---

  template <class Barrier, class... Modifiers> static TMA_HOST_DEVICE constexpr bool check_load() {
    static_assert(is_peer_v<Barrier>, "tma: a load into a peer's tile completes on a barrier of the same peer: "
                                      "cluster.peer(barrier, rank)");
    static_assert(!(is_same_v<Modifiers, Multicast> || ...), "tma: a multicast goes into the tile at the same place in each "
                                                             "block: give it this block's own tile and barrier");
    if constexpr (is_peer_v<Barrier>) {
      static_assert(is_load_barrier_v<typename Barrier::object>,
                    "tma: a load completes on a tma::LoadBarrier of the peer, which counts its bytes");
      return is_load_barrier_v<typename Barrier::object> && !(is_same_v<Modifiers, Multicast> || ...);
    } else {
      return false;
    }
  }

  // The arrival orders nothing: a load has nothing of its thread to make visible.
  template <class Descriptor, class At, class Barrier, class... Modifiers>
  static TMA_DEVICE void load(bool elected, const Descriptor& descriptor, const At& at, const Peer<Source>& to,
                              const Barrier& barrier, const Modifiers&... modifiers) {
    if constexpr (check_load<Barrier, Modifiers...>()) {
      if (elected) {
        const u32 bytes = issue_load<Source>(PeerAccess::address(barrier), descriptor, at, PeerAccess::address(to),
                                             modifiers..., IntoPeer{});
        arm<Order::relaxed>(to, barrier, bytes);
      }
    }
  }

  template <class Chunk, class Barrier, class... Modifiers>
  static TMA_DEVICE void load_chunk(bool elected, const Chunk& source, const Peer<Source>& to, const Barrier& barrier,
                                    const Modifiers&... modifiers) {
    if constexpr (check_load<Barrier, Modifiers...>()) {
      if (elected) {
        const u32 bytes =
            issue_load<Source>(PeerAccess::address(barrier), source, PeerAccess::address(to), modifiers..., IntoPeer{});
        arm<Order::relaxed>(to, barrier, bytes);
      }
    }
  }
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
