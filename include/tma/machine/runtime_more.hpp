// What a running kernel asks of the machine about the rest of the engine's copies, and about tensor maps in memory.
// Declarations only, as in runtime.hpp. All of it is called by the threads of a kernel.
#pragma once

#include "../core/prologue.hpp"

#include "../core/element.hpp"
#include "../core/map_field.hpp"
#include "../core/reduction.hpp"
#include "../core/scope.hpp"
#include "../core/traversal.hpp"
#include "runtime.hpp"

namespace tma::machine::rt {

using tma::detail::MapField;

// Where a tensor copy goes, fastest dimension first, as the instruction says it: coordinates, and what im2col has beside them.
struct TensorPlace {
  const void*           map;
  int                   rank;
  const int*            at;
  Traversal             traversal = Traversal::tiled;
  const unsigned short* offsets   = nullptr;
};

// --- copies ---
void tensor_load(unsigned destination, const TensorPlace& place, unsigned barrier, LoadTarget to);
void tensor_store(const TensorPlace& place, unsigned source);
void tensor_reduce(Reduction operation, const TensorPlace& place, unsigned source);
void bulk_reduce(Reduction operation, ElementType type, void* destination, unsigned source, unsigned bytes);
// Destination and barrier in the cluster's window.
void bulk_reduce_peer(Reduction operation, ElementType type, unsigned destination, unsigned source, unsigned bytes,
                      unsigned barrier);

// --- into the cache: nothing moves, but what a device would refuse is refused ---
void tensor_prefetch(const TensorPlace& place);
void bulk_prefetch(const void* source, unsigned bytes);
void prefetch_map(const void* map);

// --- tensor maps in memory ---
void tensormap_replace(MapField field, int dimension, unsigned long long value, unsigned shared_map);
void tensormap_replace(MapField field, int dimension, unsigned long long value, void* map);
void tensormap_publish(void* map, unsigned shared_map);  // tensormap.cp_fenceproxy, by every lane of a warp
void tensormap_release();
void tensormap_acquire(const void* map);

// fence.proxy.async::generic.release restricted to shared memory: with a relaxed arrival after it, a release to the cluster of
// what came before the fence.
void fence_release_shared();
// What this thread asks for as a tile of `at` (slowest first) that blocks `mask` of the cluster load slices of for one another,
// into `tile`, for the current phase of `barrier`: a report where they ask for different ones.
void shared_tile(unsigned barrier, unsigned tile, unsigned mask, const void* map, int rank, const int* at);
// As rt::fence_proxy_async, for global memory alone.
void fence_proxy_async_global();

// --- of the launch ---
// 16 bytes that say no, as a load brings them; with `cluster` into every block of the cluster.
void launch_try_cancel(unsigned result, unsigned barrier, bool cluster);

}  // namespace tma::machine::rt

#include "../core/epilogue.hpp"
