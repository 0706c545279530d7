// What the blocks of a cluster do to one another. A cluster's address is 32 bits: a block's shared address, mapped to where
// another block of the cluster has the same place.
#pragma once

#include "../core/prologue.hpp"

#include "ptx_reduce.hpp"

namespace tma::inline TMA_ABI::ptx {

// --- who and where ---------------------------------------------------------------------------------------------------

/// The place at `address`, in the block of rank `rank`.
TMA_DEVICE u32 map_shared(u32 address, u32 rank) {
  u32 mapped = 0;
  TMA_DETAIL_PURE_ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

/// The same as a pointer for ordinary loads, stores and atomics.
TMA_DEVICE void* map_generic(const void* shared, u32 rank) {
  u64 mapped = 0;
  TMA_DETAIL_PURE_ASM("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(shared), "r"(rank));
  return reinterpret_cast<void*>(mapped);
}

/// The rank of the block that has the place at a cluster's address.
TMA_DEVICE u32 cluster_rank_of(u32 cluster_address) {
  u32 rank = 0;
  TMA_DETAIL_PURE_ASM("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(cluster_address));
  return rank;
}

#define TMA_DETAIL_REGISTER(function, name)                       \
  TMA_DEVICE u32 function() {                                     \
    u32 value = 0;                                                \
    TMA_DETAIL_PURE_ASM("mov.u32 %0, %%" name ";" : "=r"(value)); \
    return value;                                                 \
  }
/// This block's rank in its cluster, x fastest, and how many blocks the cluster has.
TMA_DETAIL_REGISTER(cluster_rank, "cluster_ctarank")
TMA_DETAIL_REGISTER(cluster_size, "cluster_nctarank")
/// This block's place in its cluster, and the cluster's shape in blocks.
TMA_DETAIL_REGISTER(block_in_cluster_x, "cluster_ctaid.x")
TMA_DETAIL_REGISTER(block_in_cluster_y, "cluster_ctaid.y")
TMA_DETAIL_REGISTER(block_in_cluster_z, "cluster_ctaid.z")
TMA_DETAIL_REGISTER(cluster_shape_x, "cluster_nctaid.x")
TMA_DETAIL_REGISTER(cluster_shape_y, "cluster_nctaid.y")
TMA_DETAIL_REGISTER(cluster_shape_z, "cluster_nctaid.z")
/// This cluster's place in the grid, and the grid's shape in clusters.
TMA_DETAIL_REGISTER(cluster_in_grid_x, "clusterid.x")
TMA_DETAIL_REGISTER(cluster_in_grid_y, "clusterid.y")
TMA_DETAIL_REGISTER(cluster_in_grid_z, "clusterid.z")
TMA_DETAIL_REGISTER(grid_clusters_x, "nclusterid.x")
TMA_DETAIL_REGISTER(grid_clusters_y, "nclusterid.y")
TMA_DETAIL_REGISTER(grid_clusters_z, "nclusterid.z")
#undef TMA_DETAIL_REGISTER

// --- all threads of a cluster meet: each arrives, then waits -----------------------------------------------------------

template <Order O> TMA_DEVICE void cluster_arrive() {
  TMA_DETAIL_ASM("barrier.cluster.arrive%0.aligned;" ::"C"(ReleaseText<O>::value) : "memory");
}

TMA_DEVICE void cluster_wait() { TMA_DETAIL_ASM("barrier.cluster.wait.acquire.aligned;" :: : "memory"); }

/// The same by threads of a warp that need not be together.
template <Order O> TMA_DEVICE void cluster_arrive_alone() {
  TMA_DETAIL_ASM("barrier.cluster.arrive%0;" ::"C"(ReleaseText<O>::value) : "memory");
}
TMA_DEVICE void cluster_wait_alone() { TMA_DETAIL_ASM("barrier.cluster.wait.acquire;" :: : "memory"); }

/// For the simulator: which tile a block asks for where several load it for one another.
template <int Rank, class Place> TMA_DEVICE void note_shared_tile(u32, u32, u32, const void*, const Place&) {}

// --- from shared memory into another block's, completing on a barrier there -----------------------------------------

TMA_DEVICE void bulk_send(u32 cluster_destination, u32 source, u32 bytes, u32 cluster_barrier) {
  TMA_DETAIL_ASM("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     cluster_destination),
                 "r"(source), "r"(bytes), "r"(cluster_barrier) : "memory");
}

// --- from registers: `words` values of T (u32: 1, 2 or 4; u64: 1 or 2) ------------------------------------------------

#define TMA_DETAIL_STORE_ASYNC(type, list, ...)                                                   \
  TMA_DETAIL_ASM("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" type " [%0], " list \
                 ", [%1];" ::"r"(cluster_destination),                                            \
                 "r"(cluster_barrier), __VA_ARGS__ : "memory")

template <int Words> TMA_DEVICE void store_async(u32 cluster_destination, const u32 (&value)[Words], u32 cluster_barrier) {
  static_assert(Words == 1 || Words == 2 || Words == 4);
  if constexpr (Words == 1) TMA_DETAIL_STORE_ASYNC(".b32", "%2", "r"(value[0]));
  else if constexpr (Words == 2) TMA_DETAIL_STORE_ASYNC(".v2.b32", "{%2, %3}", "r"(value[0]), "r"(value[1]));
  else TMA_DETAIL_STORE_ASYNC(".v4.b32", "{%2, %3, %4, %5}", "r"(value[0]), "r"(value[1]), "r"(value[2]), "r"(value[3]));
}

template <int Words> TMA_DEVICE void store_async(u32 cluster_destination, const u64 (&value)[Words], u32 cluster_barrier) {
  static_assert(Words == 1 || Words == 2);
  if constexpr (Words == 1) TMA_DETAIL_STORE_ASYNC(".b64", "%2", "l"(value[0]));
  else TMA_DETAIL_STORE_ASYNC(".v2.b64", "{%2, %3}", "l"(value[0]), "l"(value[1]));
}
#undef TMA_DETAIL_STORE_ASYNC

// --- a reduction of one register into another block's shared memory ---------------------------------------------------

/// Operations and types are those of a peer in core/reduction.hpp. `Bits` is u32 or u64.
template <Reduction Op, ElementType T, class Bits>
TMA_DEVICE void reduce_async(u32 cluster_destination, Bits value, u32 cluster_barrier) {
#define TMA_DETAIL_REDUCE_ASYNC(constraint)                                                                          \
  TMA_DETAIL_ASM("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes%3%4 [%0], %2, [%1];" ::"r"( \
                     cluster_destination),                                                                           \
                 "r"(cluster_barrier), constraint(value), "C"(ReductionText<Op>::value),                             \
                 "C"(OperandTextOf<Op, T>::value) : "memory")
  static_assert(sizeof(Bits) == element_bytes(T));
  if constexpr (sizeof(Bits) == 8) TMA_DETAIL_REDUCE_ASYNC("l");
  else TMA_DETAIL_REDUCE_ASYNC("r");
#undef TMA_DETAIL_REDUCE_ASYNC
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
