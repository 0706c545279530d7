// The rest of the engine's instructions on the machine: stands in for device/ptx_modes, ptx_prefetch, ptx_reduce,
// ptx_tensormap and ptx_launch.
#pragma once

#include "../core/prologue.hpp"

#include "../core/cache_priority.hpp"
#include "ptx_base.hpp"

namespace tma::inline TMA_ABI::ptx {

using detail::MapField;
using detail::u16;

namespace machine_detail {
template <Traversal M, int Rank>
TMA_DEVICE machine::rt::TensorPlace place(const void* map, const int* at, const u16* offsets = nullptr) {
  return {map, Rank, at, M, offsets};
}
}  // namespace machine_detail

// --- hints: a policy is any number, and changes nothing ---------------------------------------------------------------

template <CachePriority Primary, CachePriority Secondary> TMA_DEVICE u64 create_policy(float fraction) {
  return u64(1) << 60 | u64(Primary) << 56 | u64(Secondary) << 52 | u64(fraction * 16);
}
template <CachePriority Primary, CachePriority Secondary>
TMA_DEVICE u64 create_policy_range(const void*, u32 primary_bytes, u32 total_bytes) {
  return u64(2) << 60 | u64(Primary) << 56 | u64(Secondary) << 52 | (u64(total_bytes) ^ primary_bytes);
}

// --- prefetches -----------------------------------------------------------------------------------------------------

template <CopyForm F = CopyForm{}> TMA_DEVICE void bulk_prefetch(const void* source, u32 bytes, CopyExtra = {}) {
  machine::rt::bulk_prefetch(source, bytes);
}
template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_prefetch(const void* map, const Coordinates<Rank>& c, CopyExtra = {}) {
  machine::rt::tensor_prefetch(machine_detail::place<Traversal::tiled, Rank>(map, c.at));
}
TMA_DEVICE void prefetch_map(const void* map) { machine::rt::prefetch_map(map); }

// --- im2col ---------------------------------------------------------------------------------------------------------

template <Traversal M, int Rank> inline constexpr int im2col_offsets = M == Traversal::im2col ? Rank - 2 : 2;

template <Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_load(u32 destination, const void* map, const Coordinates<Rank>& c,
                            const u16 (&offsets)[im2col_offsets<M, Rank>], u32 barrier, CopyExtra e = {}) {
  machine::rt::tensor_load(destination, machine_detail::place<M, Rank>(map, c.at, offsets), barrier,
                           machine_detail::target<F>(e));
}
template <Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_prefetch(const void* map, const Coordinates<Rank>& c, const u16 (&offsets)[im2col_offsets<M, Rank>],
                                CopyExtra = {}) {
  machine::rt::tensor_prefetch(machine_detail::place<M, Rank>(map, c.at, offsets));
}
template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_store(const void* map, const Coordinates<Rank>& c, u32 source, CopyExtra = {}) {
  static_assert(Rank >= 3);
  machine::rt::tensor_store(machine_detail::place<Traversal::im2col, Rank>(map, c.at), source);
}

// --- four rows: the column, then the rows -----------------------------------------------------------------------------

template <CopyForm F = CopyForm{}>
TMA_DEVICE void gather4_load(u32 destination, const void* map, const Coordinates<5>& c, u32 barrier, CopyExtra e = {}) {
  machine::rt::tensor_load(destination, machine_detail::place<Traversal::rows4, 2>(map, c.at), barrier,
                           machine_detail::target<F>(e));
}
template <CopyForm F = CopyForm{}>
TMA_DEVICE void gather4_prefetch(const void* map, const Coordinates<5>& c, CopyExtra = {}) {
  machine::rt::tensor_prefetch(machine_detail::place<Traversal::rows4, 2>(map, c.at));
}
template <CopyForm F = CopyForm{}>
TMA_DEVICE void scatter4_store(const void* map, const Coordinates<5>& c, u32 source, CopyExtra = {}) {
  machine::rt::tensor_store(machine_detail::place<Traversal::rows4, 2>(map, c.at), source);
}

// --- reductions -----------------------------------------------------------------------------------------------------

template <Reduction Op, Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_reduce(const void* map, const Coordinates<Rank>& c, u32 source, CopyExtra = {}) {
  static_assert(M == Traversal::tiled || (M == Traversal::im2col && Rank >= 3));
  machine::rt::tensor_reduce(Op, machine_detail::place<M, Rank>(map, c.at), source);
}
template <Reduction Op, ElementType T, CopyForm F = CopyForm{}>
TMA_DEVICE void bulk_reduce(void* destination, u32 source, u32 bytes, CopyExtra = {}) {
  machine::rt::bulk_reduce(Op, T, destination, source, bytes);
}
template <Reduction Op, ElementType T>
TMA_DEVICE void bulk_reduce_peer(u32 destination, u32 source, u32 bytes, u32 barrier) {
  machine::rt::bulk_reduce_peer(Op, T, destination, source, bytes, barrier);
}

// --- tensor maps in memory ------------------------------------------------------------------------------------------

TMA_DEVICE bool is_global(const void* pointer) { return machine::rt::is_global(pointer); }

template <MapField F, int Dimension = 0> TMA_DEVICE void tensormap_replace(u32 shared_map, detail::map_value_t<F> value) {
  static_assert(!detail::is_mode(F));
  machine::rt::tensormap_replace(F, Dimension, value, shared_map);
}
template <MapField F, int Dimension = 0> TMA_DEVICE void tensormap_replace(void* map, detail::map_value_t<F> value) {
  static_assert(!detail::is_mode(F));
  machine::rt::tensormap_replace(F, Dimension, value, map);
}
template <MapField F, u32 Value> TMA_DEVICE void tensormap_replace_mode(u32 shared_map) {
  static_assert(detail::is_mode(F));
  machine::rt::tensormap_replace(F, 0, Value, shared_map);
}
template <MapField F, u32 Value> TMA_DEVICE void tensormap_replace_mode(void* map) {
  static_assert(detail::is_mode(F));
  machine::rt::tensormap_replace(F, 0, Value, map);
}
template <Scope S> TMA_DEVICE void tensormap_cp_fenceproxy(void* map, u32 shared_map) {
  machine::rt::tensormap_publish(map, shared_map);
}
template <Scope S> TMA_DEVICE void fence_tensormap_release() { machine::rt::tensormap_release(); }
template <Scope S> TMA_DEVICE void fence_tensormap_acquire(const void* map) { machine::rt::tensormap_acquire(map); }

TMA_DEVICE void fence_proxy_async_global() { machine::rt::fence_proxy_async_global(); }
TMA_DEVICE void fence_proxy_async_all() { machine::rt::fence_proxy_async(false); }

// --- of the launch -----------------------------------------------------------------------------------------------------

TMA_DEVICE void                               grid_dependency_wait() { machine::rt::grid_dependency_wait(); }
TMA_DEVICE void                               grid_dependency_launch() { machine::rt::grid_dependency_launch(); }
template <int Registers> TMA_DEVICE void      register_budget_increase() { machine::rt::move_registers(Registers, true); }
template <int Registers> TMA_DEVICE void      register_budget_decrease() { machine::rt::move_registers(Registers, false); }
template <class Never = void> TMA_DEVICE void wgmma_fence() {}

// Every block has started, or will: none is ever given away.
template <bool Cluster> TMA_DEVICE void launch_try_cancel(u32 result, u32 barrier) {
  machine::rt::launch_try_cancel(result, barrier, Cluster);
}
template <class Index> TMA_DEVICE bool launch_query(const u64 (&answer)[2], Index& x, Index& y, Index& z) {
  x = Index(0), y = Index(0), z = Index(0);
  return answer[0] != 0 || answer[1] != 0;
}

template <class Never = void> TMA_DEVICE void bulk_zero(u32 destination, u64 bytes) {
  u64* const words = static_cast<u64*>(machine::rt::shared_pointer(destination));
  for (u64 i = 0; i < bytes / 8; ++i) words[i] = 0;
}
template <Scope S, class Bits> TMA_DEVICE void release_store(void* destination, Bits value) {
  machine::rt::thread_fence(S == Scope::system ? 2 : 1);
  machine::rt::atomic(destination, sizeof value);
  *static_cast<volatile Bits*>(destination) = value;
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
