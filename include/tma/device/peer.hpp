#pragma once

#include "../core/prologue.hpp"

#include "../core/buffer.hpp"
#include "../core/reduction_types.hpp"
#include "../core/tile.hpp"
#include "check.hpp"
#include "load_barrier.hpp"
#include "mbarrier.hpp"

#include TMA_DETAIL_PTX(_barrier)
#include TMA_DETAIL_PTX(_cluster)

namespace tma::inline TMA_ABI {

template <class T> class Peer;

namespace detail {

template <class T> inline constexpr bool is_peer_v<Peer<T>> = true;

struct PeerAccess;

// What a thread may write with one asynchronous store.
template <class T> TMA_HOST_DEVICE constexpr bool check_store_async() {
  static_assert(
      __is_trivially_copyable(T) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16),
      "tma::Peer: an asynchronous store writes a value of 4, 8 or 16 bytes: use a tma::Vec of smaller ones, or send "
      "a whole tile: issuer.send(ready, peer, peer_barrier)");
  return true;
}

}  // namespace detail

/// The same object in another block of the cluster: a tile, a barrier, whatever lies in the shared memory of every block of
/// the cluster at the same place. From `cluster.peer(object, rank)`. A value, as a pointer is.
///
/// What may be done while the other block runs: it has begun (`tma::this_cluster` met it) and leaves only after all (the end
/// of the `Cluster` meets them). Who uses the bytes when is for the blocks to agree on, by barriers or `cluster.sync()`.
template <class T> class Peer {
  using a_peer_comes_from_cluster_peer = T;  // what the compiler prints of one made by hand

public:
  using object = T;

  /// The object, for ordinary loads, stores and atomics: any thread, at the speed of the network between the SMs.
  TMA_DEVICE T& get() const {
    static_assert(!detail::is_barrier_v<T>, "tma::Peer: no thread reads or writes a barrier's bytes. Arrive at it: "
                                            "peer.arrive()");
    return *remote_;
  }
  TMA_DEVICE T& operator*() const { return get(); }
  TMA_DEVICE T* operator->() const { return &get(); }

  /// Of a tile or buffer: element `i` in C order, whatever the swizzle.
  [[nodiscard]] TMA_DEVICE auto element(int i) const {
    constexpr bool has_elements = detail::is_tile_v<T> || detail::is_buffer_v<T>;
    static_assert(has_elements, "tma::Peer: element() is of a tma::Tile or a tma::Buffer");
    if constexpr (has_elements) {
      using Value = typename T::value_type;
      TMA_DETAIL_INDEX(i, T::size);
      detail::u32 offset = detail::u32(i) * detail::u32(sizeof(Value));
      if constexpr (detail::is_tile_v<T>) offset = T::offset_at(i);
      return Peer<Value>(reinterpret_cast<Value*>(reinterpret_cast<char*>(remote_) + offset), address_ + offset);
    }
  }

  // --- a barrier ---

  /// One arrival by the calling thread. Its earlier accesses, to its own and to other blocks' shared memory, are ordered
  /// before the return of every wait for this phase by a phase of `tma::this_cluster` (mbarrier.arrive.release.cluster on
  /// shared::cluster).
  template <Order O = Order::ordered> TMA_DEVICE void arrive() const {
    if constexpr (check_arrivals<O>()) ptx::mbarrier_arrive_peer<O>(address_);
  }
  /// `count` arrivals at once.
  template <Order O = Order::ordered> TMA_DEVICE void arrive(int count) const {
    if constexpr (check_arrivals<O>()) {
      detail::check(count >= 1 && count <= T::arrivals, "a barrier is given 1 to as many arrivals as a phase has", count);
      ptx::mbarrier_arrive_peer<O>(address_, detail::u32(count));
    }
  }
  /// `count` arrivals, which later phases do not expect any more.
  template <Order O = Order::ordered> TMA_DEVICE void arrive_drop(int count = 1) const {
    if constexpr (check_arrivals<O>()) {
      detail::check(count >= 1 && count <= T::arrivals, "a barrier is given 1 to as many arrivals as a phase has", count);
      ptx::mbarrier_arrive_drop_peer<O>(address_, detail::u32(count));
    }
  }
  template <class Never = void> TMA_DEVICE void wait() const {
    static_assert(detail::always_false<Never>,
                  "tma::Peer: a thread waits for a barrier of its own block alone, the hardware "
                  "has no other wait. Let the other block arrive at a barrier of this one");
  }

  // --- from registers ---

  /// Writes `value`, which counts its bytes on `barrier`, a LoadBarrier in the same block as this. Any thread; does not
  /// wait. The owner of the barrier expects the bytes (`issuer.expect(object, arrived)`), before or after they come, and
  /// whoever waits there sees them: no fence, no arrival by the writer. Nothing else of the writer is ordered by it.
  /// 4, 8 or 16 bytes, at a multiple of their size (st.async). The peer is in another block than the calling thread: PTX
  /// leaves the own block undefined, and a checked build and the simulator refuse it.
  template <class B> TMA_DEVICE void store_async(const detail::type_identity_t<T>& value, const Peer<B>& barrier) const {
    static_assert(detail::check_store_async<T>());
    if constexpr (check_completion<B>() && detail::check_store_async<T>()) {
      check_blocks(barrier);
      if constexpr (sizeof(T) == 8 || (sizeof(T) == 16 && alignof(T) == 8)) store_words<detail::u64>(value, barrier);
      else store_words<detail::u32>(value, barrier);
    }
  }

  /// Combines `value` with what is there, as one operation of the memory; otherwise as `store_async` (red.async).
  template <Reduction Op, class B>
  TMA_DEVICE void reduce_async(detail::type_identity_t<T> value, const Peer<B>& barrier) const {
    static_assert(detail::check_reduction<Op, element_type<T>, detail::ReducedPlace::peer>());
    if constexpr (check_completion<B>() && detail::reduces(Op, element_type<T>, detail::ReducedPlace::peer)) {
      check_blocks(barrier);
      if constexpr (sizeof(T) == 8) ptx::reduce_async<Op, element_type<T>>(address_, detail::u64(value), barrier.address_);
      else ptx::reduce_async<Op, element_type<T>>(address_, detail::u32(value), barrier.address_);
    }
  }

private:
  template <class> friend class Peer;
  friend struct detail::PeerAccess;

  TMA_DEVICE explicit Peer(a_peer_comes_from_cluster_peer&);  // never defined
  TMA_DEVICE Peer(T* remote, detail::u32 address) : remote_(remote), address_(address) {}

  template <Order O> static TMA_HOST_DEVICE constexpr bool check_arrivals() {
    static_assert(detail::is_barrier_v<T>, "tma::Peer: only barriers are arrived at");
    if constexpr (detail::is_load_barrier_v<T>)
      static_assert(T::arrivals > 1, "tma: the one arrival of a LoadBarrier is that of the loads or of issuer.send, which "
                                     "make it with their bytes. Where threads arrive as well, say how many arrivals a phase "
                                     "has: tma::LoadBarrierOf<1 + threads>");
    return detail::is_barrier_v<T>;
  }

  template <class B> static TMA_HOST_DEVICE constexpr bool check_completion() {
    static_assert(detail::is_load_barrier_v<B>, "tma::Peer: what is written into a peer's shared memory completes on a "
                                                "tma::LoadBarrier of the same peer: cluster.peer(barrier, rank)");
    return detail::is_load_barrier_v<B>;
  }

  template <class B> TMA_DEVICE void check_blocks([[maybe_unused]] const Peer<B>& barrier) const {
    if constexpr (detail::checked) {
      detail::check(ptx::cluster_rank_of(address_) == ptx::cluster_rank_of(barrier.address_),
                    "the barrier is in another block than what is written: make both peers with one rank",
                    ptx::cluster_rank_of(barrier.address_));
      detail::check(
          ptx::cluster_rank_of(address_) != ptx::cluster_rank(),
          "the destination of an asynchronous store (st.async, red.async) must be in another block of the cluster. "
          "Fix: write to the own block by an ordinary store, and let only the other blocks' bytes be expected; rank",
          ptx::cluster_rank_of(address_));
    }
  }

  template <class Word, class B> TMA_DEVICE void store_words(const T& value, const Peer<B>& barrier) const {
    if constexpr (sizeof(T) % sizeof(Word) == 0) {  // else it has been refused
      struct Words {
        Word word[sizeof(T) / sizeof(Word)];
      };
      const Words words = __builtin_bit_cast(Words, value);  // NVRTC has no __builtin_memcpy
      ptx::store_async<int(sizeof(T) / sizeof(Word))>(address_, words.word, barrier.address_);
    }
  }

  T*          remote_;
  detail::u32 address_;  // of the same, in the cluster's window
};

namespace detail {

struct PeerAccess {
  template <class T> static TMA_DEVICE Peer<T> make(T& object, u32 rank) {
    return {static_cast<T*>(ptx::map_generic(&object, rank)), ptx::map_shared(ptx::shared_address(&object), rank)};
  }
  template <class T> static TMA_DEVICE u32 address(const Peer<T>& peer) { return peer.address_; }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
