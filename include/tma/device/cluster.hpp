#pragma once

#include "../core/prologue.hpp"

#include "barrier_forms.hpp"
#include "modifiers.hpp"
#include "peer_copies.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

struct ClusterAccess;

// What a thread or a kernel's parameters have, and shared memory never.
template <class T> inline constexpr bool                        is_own_v                                = false;
template <class T> inline constexpr bool                        is_own_v<T*>                            = true;
template <class T> inline constexpr bool                        is_own_v<Peer<T>>                       = true;
template <class T> inline constexpr bool                        is_own_v<Published<T>>                  = true;
template <class T> inline constexpr bool                        is_own_v<SharedSpan<T>>                 = true;
template <int Threads> inline constexpr bool                    is_own_v<Block<Threads>>                = true;
template <class T, int Rank, class TileT> inline constexpr bool is_own_v<TmaDescriptor<T, Rank, TileT>> = true;
template <> inline constexpr bool                               is_own_v<Issuer>                        = true;

}  // namespace detail

/// The calling thread's view of its cluster, from `tma::this_cluster(...)`: the blocks that run at the same time and reach
/// one another's shared memory. `Size` is the number of its blocks where the kernel is written for one, 0 where it runs with
/// any; `Threads` as for a `Block`.
///
/// The end of its scope meets the cluster: no block leaves while others may still write to it or arrive at its barriers. What
/// the engine brings into a block, and asynchronous stores, are waited for by that block before.
template <int Size = 0, int Threads = 0> class Cluster {
  // What the compiler prints where a cluster is copied or made by hand.
  using a_cluster_is_one_threads_view__pass_it_by_reference = Cluster;
  struct a_cluster_comes_from_this_cluster {};

public:
  static_assert(Size >= 0 && Size <= 16, "tma::this_cluster: a cluster has at most 8 blocks, 16 where the device allows it");

  Cluster(const a_cluster_is_one_threads_view__pass_it_by_reference&)            = delete;
  Cluster& operator=(const a_cluster_is_one_threads_view__pass_it_by_reference&) = delete;

  TMA_DEVICE ~Cluster() {
    // Threads that returned early come here by themselves: the forms that need no whole warp.
    ptx::cluster_arrive_alone<Order::ordered>();
    ptx::cluster_wait_alone();
  }

  /// The block this thread is in.
  TMA_DEVICE const Block<Threads>& block() const { return block_; }

  /// This block's rank in the cluster: 0 to size - 1.
  TMA_DEVICE int rank() const { return int(ptx::cluster_rank()); }
  /// Blocks in the cluster; 1 where the kernel was launched without.
  TMA_DEVICE int size() const {
    if constexpr (Size > 0) return Size;
    else return int(ptx::cluster_size());
  }

  /// All threads of the cluster. They meet; their earlier writes, to whatever memory, are visible to all.
  TMA_DEVICE void sync() const {
    ptx::cluster_arrive<Order::ordered>();
    ptx::cluster_wait();
  }

  /// All threads of the block. The right to issue copies, to one thread of the block's first warp: one in each block.
  [[nodiscard]] TMA_DEVICE Issuer elect() const { return block_.elect(); }

  /// All threads of the cluster. They have read what they want of `place`, each block of its own and of its peers', and
  /// copies of any block may overwrite it in any. The cluster meets; the warps that issue fence after that.
  template <class Place> TMA_DEVICE void release([[maybe_unused]] const Place& place) const {
    sync();
    if (block_.rank() < 32) ptx::fence_proxy_async_shared_cluster();
  }

  /// The same object in the block of rank `rank`. `object` lies in this block's shared memory at the place where every block
  /// of the cluster has it: in a struct from `tma::shared`. A barrier may be given as its phase.
  template <class T> [[nodiscard]] TMA_DEVICE auto peer(T& object, detail::Int32 rank) const {
    using Object = detail::remove_cv_t<T>;
    static_assert(
        !detail::is_own_v<Object>,
        "tma: only what lies in shared memory has a peer: a tile, a buffer, a barrier, a value of tma::shared, each "
        "given itself. This is a pointer or a peer already, or a thread's own, or the kernel's parameter");
    static_assert(!detail::waits_at_block_scope_v<Object>,
                  "tma: this phase sees what its own block's threads released, and not what other blocks do. Take it from "
                  "auto [cluster, arrived] = tma::this_cluster(barrier)");
    if constexpr (detail::is_phase_v<Object>) return peer_of(object.barrier(), rank);
    else if constexpr (!detail::is_own_v<Object>) return peer_of(object, rank);
  }
  template <class T> TMA_DEVICE void peer(const T&&, detail::Int32) const {
    static_assert(
        detail::always_false<T>,
        "tma: only what lies in shared memory has a peer: a tile, a buffer, a barrier, a value of tma::shared, each "
        "given itself. This is a temporary");
  }

  /// For a load: into the blocks of `mask` (bit i: rank i), at the same place in each, completing on the barrier at the same
  /// place in each. Each of them expects the bytes: the issuing block by the load, the others by `issuer.expect`.
  [[nodiscard]] TMA_DEVICE Multicast multicast(detail::u32 mask) const {
    if constexpr (detail::checked)
      detail::check(
          mask != 0 && mask >> size() == 0,
          "a multicast goes to blocks of the cluster: the mask must have bits below its size, and at least one. Fix: "
          "cluster.everyone(), or a mask of ranks that there are; the mask",
          mask);
    return detail::ModifierAccess::multicast(detail::u16(mask), ((mask >> ptx::cluster_rank()) & 1) != 0);
  }

  /// The same into all blocks of the cluster.
  [[nodiscard]] TMA_DEVICE Multicast everyone() const {
    return detail::ModifierAccess::multicast(detail::u16((1u << size()) - 1), true);
  }

private:
  friend struct detail::ClusterAccess;

  template <class T> TMA_DEVICE Peer<T> peer_of(T& object, int rank) const {
    if constexpr (detail::checked) {
      detail::check(
          rank >= 0 && rank < size(),
          "a block's rank is 0 to the size of its cluster - 1: it must be that. Fix: rank % cluster.size(); the rank", rank);
      detail::check(
          ptx::is_shared(&object),
          "only what lies in shared memory has a peer; this is elsewhere, and must be there. Fix: make it a member of what "
          "tma::shared returns",
          0);
    }
    return detail::PeerAccess::make(object, detail::u32(rank));
  }

  TMA_DEVICE explicit Cluster(a_cluster_comes_from_this_cluster = {}) : block_(detail::BlockAccess::make<Threads>(true)) {
    if constexpr (detail::checked && Size > 0)
      detail::check(
          ptx::cluster_size() == Size,
          "this kernel is written for another cluster: it must be launched with the size that this_cluster<Size>() names. "
          "Fix: .cluster = Size; blocks in a cluster of the launch",
          ptx::cluster_size());
  }

  Block<Threads> block_;
};

namespace detail {

struct ClusterAccess {
  template <int Size, int Threads> static TMA_DEVICE Cluster<Size, Threads> make() { return Cluster<Size, Threads>(); }
};

}  // namespace detail

/// All threads of the cluster, once, before any of `barriers` is used and before any peer is. Initialises the block's
/// barriers (of a `struct` from `tma::shared`), makes that visible to the copy engine and to the other blocks, and lets
/// the cluster meet. Nothing else that was written before is made visible: `cluster.sync()` does that.
///
///     auto [cluster, arrived] = tma::this_cluster<2>(barrier);   // and this thread's phase of each barrier
///
/// `this_cluster<2>` is for a kernel that is only launched with `.cluster = 2`; without the number any size works, none at
/// all being one of 1 block. The phases acquire at the scope of the cluster, so what other blocks arrive for is seen.
template <int Size = 0, int Threads = 0, class... Barriers> TMA_DEVICE auto this_cluster(Barriers&... barriers) {
  static_assert(detail::own_barriers<Barriers...>());
  constexpr bool barriers_only = (detail::is_barrier_v<Barriers> && ...);
  static_assert(barriers_only || (detail::is_peer_v<Barriers> || ...),
                "tma::this_cluster: takes tma::LoadBarrier and tma::Mbarrier objects in shared memory, and nothing else");
  if constexpr (barriers_only) {
    if constexpr (sizeof...(Barriers) > 0) {
      if (ptx::thread_rank() == 0) {
        (detail::BarrierAccess::init(barriers), ...);
        ptx::fence_mbarrier_init();
      }
    }
    detail::BlockAccess::enter(barriers...);
    ptx::cluster_arrive<Order::relaxed>();
    ptx::cluster_wait();
    if constexpr (sizeof...(Barriers) == 0) {
      return detail::ClusterAccess::make<Size, Threads>();
    } else {
      return detail::Pack<Cluster<Size, Threads>, MbarrierPhase<Barriers, Scope::cluster>...>{
          {detail::ClusterAccess::make<Size, Threads>()}, {detail::BarrierAccess::first_phase<Scope::cluster>(barriers)}...};
    }
  } else {
    return detail::ClusterAccess::make<Size, Threads>();
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
