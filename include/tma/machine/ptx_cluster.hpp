// The instructions of clusters and every form of an mbarrier's: stands in for device/ptx_cluster.hpp and ptx_barrier.hpp.
#pragma once

#include "../core/prologue.hpp"

#include "../core/element.hpp"
#include "../core/reduction.hpp"
#include "ptx_base.hpp"

namespace tma::inline TMA_ABI::ptx {

namespace machine_detail {

namespace how = machine::rt::how;

template <Order O, Scope S>
inline constexpr u32                    use = (O == Order::relaxed ? how::relaxed : 0) | (S == Scope::block ? 0 : how::wide);
template <Order O> inline constexpr u32 use_peer = use<O, Scope::cluster> | how::peer;

// Old and new value of a reduction.
template <Reduction Op, class T> void combine(void* place, const void* value) {
  T old, x, result;
  __builtin_memcpy(&old, place, sizeof(T));
  __builtin_memcpy(&x, value, sizeof(T));
  if constexpr (Op == Reduction::add) result = T(u64(old) + u64(x));
  else if constexpr (Op == Reduction::min) result = x < old ? x : old;
  else if constexpr (Op == Reduction::max) result = old < x ? x : old;
  else if constexpr (Op == Reduction::inc) result = old >= x ? T(0) : T(old + 1);
  else if constexpr (Op == Reduction::dec) result = old == 0 || old > x ? x : T(old - 1);
  else if constexpr (Op == Reduction::bit_and) result = old & x;
  else if constexpr (Op == Reduction::bit_or) result = old | x;
  else result = old ^ x;
  __builtin_memcpy(place, &result, sizeof(T));
}

}  // namespace machine_detail

// --- arrivals ------------------------------------------------------------------------------------------------------

template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive(u32 barrier, u32 count = 1) {
  machine::rt::mbarrier_arrive(barrier, count, 0, machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE u64 mbarrier_arrive_state(u32 barrier, u32 count) {
  return machine::rt::mbarrier_arrive(barrier, count, 0, machine_detail::use<O, S>);
}
TMA_DEVICE u64 mbarrier_arrive_no_complete(u32 barrier, u32 count) {
  return machine::rt::mbarrier_arrive(barrier, count, 0, machine_detail::how::completes_nothing);
}
template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive_expect_tx(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_arrive(barrier, 1, bytes, machine_detail::how::expects | machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE u64 mbarrier_arrive_expect_tx_state(u32 barrier, u32 bytes) {
  return machine::rt::mbarrier_arrive(barrier, 1, bytes, machine_detail::how::expects | machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive_drop(u32 barrier, u32 count) {
  machine::rt::mbarrier_arrive(barrier, count, 0, machine_detail::how::drops | machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE u64 mbarrier_arrive_drop_state(u32 barrier, u32 count) {
  return machine::rt::mbarrier_arrive(barrier, count, 0, machine_detail::how::drops | machine_detail::use<O, S>);
}
TMA_DEVICE u64 mbarrier_arrive_drop_no_complete(u32 barrier, u32 count) {
  return machine::rt::mbarrier_arrive(barrier, count, 0,
                                      machine_detail::how::drops | machine_detail::how::completes_nothing);
}
template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive_drop_expect_tx(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_arrive(barrier, 1, bytes,
                               machine_detail::how::expects | machine_detail::how::drops | machine_detail::use<O, S>);
}
TMA_DEVICE u32 mbarrier_pending_count(u64 state) { return u32(state & 0xfffff); }

template <Scope S> TMA_DEVICE void mbarrier_expect_tx(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_expect_tx(barrier, bytes, false);
}
template <Scope S> TMA_DEVICE void mbarrier_complete_tx(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_complete_tx(barrier, bytes, false);
}

// --- the same of another block's barrier ---------------------------------------------------------------------------

template <Order O> TMA_DEVICE void mbarrier_arrive_peer(u32 barrier, u32 count = 1) {
  machine::rt::mbarrier_arrive(barrier, count, 0, machine_detail::use_peer<O>);
}
template <Order O> TMA_DEVICE void mbarrier_arrive_expect_tx_peer(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_arrive(barrier, 1, bytes, machine_detail::how::expects | machine_detail::use_peer<O>);
}
template <Order O> TMA_DEVICE void mbarrier_arrive_drop_peer(u32 barrier, u32 count) {
  machine::rt::mbarrier_arrive(barrier, count, 0, machine_detail::how::drops | machine_detail::use_peer<O>);
}
template <Order O> TMA_DEVICE void mbarrier_arrive_drop_expect_tx_peer(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_arrive(barrier, 1, bytes,
                               machine_detail::how::expects | machine_detail::how::drops | machine_detail::use_peer<O>);
}
TMA_DEVICE void mbarrier_expect_tx_peer(u32 barrier, u32 bytes) { machine::rt::mbarrier_expect_tx(barrier, bytes, true); }
TMA_DEVICE void mbarrier_complete_tx_peer(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_complete_tx(barrier, bytes, true);
}

// --- waits ---------------------------------------------------------------------------------------------------------

template <Order O, Scope S> TMA_DEVICE bool mbarrier_test_wait(u32 barrier, u32 parity) {
  return machine::rt::mbarrier_wait(barrier, parity, machine_detail::how::at_once | machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_test_wait_state(u32 barrier, u64 state) {
  return machine::rt::mbarrier_wait(
      barrier, state, machine_detail::how::by_state | machine_detail::how::at_once | machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait(u32 barrier, u32 parity) {
  return machine::rt::mbarrier_wait(barrier, parity, machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait_state(u32 barrier, u64 state) {
  return machine::rt::mbarrier_wait(barrier, state, machine_detail::how::by_state | machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait_for(u32 barrier, u32 parity, u32) {
  return machine::rt::mbarrier_wait(barrier, parity, machine_detail::how::limited | machine_detail::use<O, S>);
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait_state_for(u32 barrier, u64 state, u32) {
  return machine::rt::mbarrier_wait(
      barrier, state, machine_detail::how::by_state | machine_detail::how::limited | machine_detail::use<O, S>);
}

TMA_DEVICE void fence_proxy_async_shared_cluster() { machine::rt::fence_proxy_async(true); }

// Order restricted to shared memory is taken for order of all, and a wait acquires by itself. What an arrival releases is what
// came before the fence of its own thread.
TMA_DEVICE void fence_release_shared() { machine::rt::fence_release_shared(); }
TMA_DEVICE void fence_acquire_shared_for_copies() {}
TMA_DEVICE void fence_acquire_shared() {}
TMA_DEVICE void mbarrier_arrive_peer_shared(u32 barrier) { mbarrier_arrive_peer<Order::relaxed>(barrier); }
TMA_DEVICE bool mbarrier_try_wait_shared(u32 barrier, u32 parity) {
  return mbarrier_try_wait<Order::ordered, Scope::cluster>(barrier, parity);
}

TMA_DEVICE void cp_async_mbarrier_arrive(u32 barrier) { machine::rt::cp_async_arrive(barrier, false); }
TMA_DEVICE void cp_async_mbarrier_arrive_noinc(u32 barrier) { machine::rt::cp_async_arrive(barrier, true); }

// --- clusters ------------------------------------------------------------------------------------------------------

TMA_DEVICE u32   map_shared(u32 address, u32 rank) { return machine::rt::map_shared(address, rank); }
TMA_DEVICE void* map_generic(const void* shared, u32 rank) { return machine::rt::map_generic(shared, rank); }
TMA_DEVICE bool  is_shared(const void* pointer) { return machine::rt::is_shared(pointer); }
TMA_DEVICE u32   cluster_rank_of(u32 cluster_address) { return cluster_address >> 24; }
TMA_DEVICE u32   cluster_rank() { return machine::rt::cluster_rank(); }
TMA_DEVICE u32   cluster_size() {
  const machine::Index3 n = machine::rt::cluster_shape();
  return n.x * n.y * n.z;
}
#define TMA_DETAIL_OF_EACH(d)                                                                        \
  TMA_DEVICE u32 cluster_shape_##d() { return machine::rt::cluster_shape().d; }                      \
  TMA_DEVICE u32 block_in_cluster_##d() { return machine::rt::block_index.d % cluster_shape_##d(); } \
  TMA_DEVICE u32 cluster_in_grid_##d() { return machine::rt::block_index.d / cluster_shape_##d(); }  \
  TMA_DEVICE u32 grid_clusters_##d() { return machine::rt::grid_size.d / cluster_shape_##d(); }
TMA_DETAIL_OF_EACH(x)
TMA_DETAIL_OF_EACH(y)
TMA_DETAIL_OF_EACH(z)
#undef TMA_DETAIL_OF_EACH

template <Order O> TMA_DEVICE void cluster_arrive() { machine::rt::cluster_arrive(O == Order::relaxed, true); }
TMA_DEVICE void                    cluster_wait() { machine::rt::cluster_wait(true); }
template <Order O> TMA_DEVICE void cluster_arrive_alone() { machine::rt::cluster_arrive(O == Order::relaxed, false); }
TMA_DEVICE void                    cluster_wait_alone() { machine::rt::cluster_wait(false); }

template <int Rank, class Place>
TMA_DEVICE void note_shared_tile(u32 barrier, u32 tile, u32 mask, const void* map, const Place& at) {
  int place[Rank];
  for (int d = 0; d < Rank; ++d) place[d] = at[d];
  machine::rt::shared_tile(barrier, tile, mask, map, Rank, place);
}

TMA_DEVICE void bulk_send(u32 cluster_destination, u32 source, u32 bytes, u32 cluster_barrier) {
  machine::rt::bulk_send(cluster_destination, source, bytes, cluster_barrier);
}
template <int Words> TMA_DEVICE void store_async(u32 cluster_destination, const u32 (&value)[Words], u32 cluster_barrier) {
  static_assert(Words == 1 || Words == 2 || Words == 4);
  machine::rt::store_async(cluster_destination, value, sizeof value, cluster_barrier, nullptr);
}
template <int Words> TMA_DEVICE void store_async(u32 cluster_destination, const u64 (&value)[Words], u32 cluster_barrier) {
  static_assert(Words == 1 || Words == 2);
  machine::rt::store_async(cluster_destination, value, sizeof value, cluster_barrier, nullptr);
}
template <Reduction Op, ElementType T, class Bits>
TMA_DEVICE void reduce_async(u32 cluster_destination, Bits value, u32 cluster_barrier) {
  static_assert(sizeof(Bits) == element_bytes(T) && (sizeof(Bits) == 4 || Op == Reduction::add));
  using Element = std::conditional_t<sizeof(Bits) == 8, u64, std::conditional_t<T == ElementType::i32, int, u32>>;
  machine::rt::store_async(cluster_destination, &value, sizeof value, cluster_barrier, machine_detail::combine<Op, Element>);
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
