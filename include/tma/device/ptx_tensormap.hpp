// Instructions about tensor maps in memory: editing one, publishing it, and the fences between the proxies that write maps
// and global memory and those that read them.
//
// A map to be edited is a 32-bit shared-window address, or a generic pointer to global memory.
#pragma once

#include "../core/prologue.hpp"

#include "../core/map_field.hpp"
#include "../core/scope.hpp"
#include "ptx.hpp"
#include "ptx_words.hpp"

namespace tma::inline TMA_ABI::ptx {

using detail::MapField;

/// True where `pointer` points into global memory. The parameters of a kernel have addresses there as well, and are not meant.
TMA_DEVICE bool is_global(const void* pointer) { return __isGlobal(pointer) && !__isGridConstant(pointer); }

template <MapField F> struct MapFieldText;
#define TMA_DETAIL_FIELD(field, text)                \
  template <> struct MapFieldText<MapField::field> { \
    static constexpr const char value[] = text;      \
  };
TMA_DETAIL_FIELD(address, ".global_address")
TMA_DETAIL_FIELD(rank, ".rank")
TMA_DETAIL_FIELD(box, ".box_dim")
TMA_DETAIL_FIELD(extent, ".global_dim")
TMA_DETAIL_FIELD(stride, ".global_stride")
TMA_DETAIL_FIELD(element_stride, ".element_stride")
TMA_DETAIL_FIELD(element_type, ".elemtype")
TMA_DETAIL_FIELD(interleave, ".interleave_layout")
TMA_DETAIL_FIELD(swizzle, ".swizzle_mode")
TMA_DETAIL_FIELD(swizzle_atom, ".swizzle_atomicity")
TMA_DETAIL_FIELD(fill, ".fill_mode")
#undef TMA_DETAIL_FIELD

// Asked of every edit: F and V are what makes the answer wait for somebody to use it.
template <MapField F, u32 V = 0> TMA_HOST_DEVICE constexpr bool check_edit() {
  static_assert(
      TMA_DETAIL_HAS(descriptor_edit, MapFieldText<F>),
      "tma: editing a descriptor on the device needs a target with a letter: sm_90a, sm_100a or sm_100f, and later "
      "ones likewise" TMA_DETAIL_COMPILING);
  static_assert(
      (F != MapField::swizzle_atom && !(F == MapField::element_type && V >= 13)) ||
          TMA_DETAIL_HAS(descriptor_edit_packed, MapFieldText<F>),
      "tma: setting a packed type or the atom of a swizzle on the device needs sm_100a or sm_100f, or a later target "
      "likewise" TMA_DETAIL_COMPILING);
  static_assert(!(F == MapField::swizzle && V == 4) || TMA_DETAIL_HAS(swizzle_96, MapFieldText<F>),
                "tma: the 96-byte swizzle needs sm_103a" TMA_DETAIL_COMPILING);
  return true;
}

// --- editing: one thread -------------------------------------------------------------------------------------------

/// Writes a field of the map. `Dimension` counts from the fastest, for the fields that are arrays; strides from 0, the one
/// of dimension 1.
template <MapField F, int Dimension = 0> TMA_DEVICE void tensormap_replace(u32 shared_map, detail::map_value_t<F> value) {
  static_assert(check_edit<F>() && !detail::is_mode(F));
#define TMA_DETAIL_REPLACE(type, order, letter)                                                                            \
  TMA_DETAIL_ASM("tensormap.replace.tile%2.shared::cta.b1024" type " [%0], " order "%1;" ::"r"(shared_map), letter(value), \
                 "C"(MapFieldText<F>::value), "n"(Dimension) : "memory")
  if constexpr (detail::is_array(F) && detail::is_wide(F)) TMA_DETAIL_REPLACE(".b64", "%3, ", "l");
  else if constexpr (detail::is_array(F)) TMA_DETAIL_REPLACE(".b32", "%3, ", "r");
  else if constexpr (detail::is_wide(F)) TMA_DETAIL_REPLACE(".b64", "", "l");
  else TMA_DETAIL_REPLACE(".b32", "", "r");
#undef TMA_DETAIL_REPLACE
}
template <MapField F, int Dimension = 0> TMA_DEVICE void tensormap_replace(void* map, detail::map_value_t<F> value) {
  static_assert(check_edit<F>() && !detail::is_mode(F));
#define TMA_DETAIL_REPLACE(type, order, letter)                                                                           \
  TMA_DETAIL_ASM("tensormap.replace.tile%2.global.b1024" type " [%0], " order "%1;" ::"l"(__cvta_generic_to_global(map)), \
                 letter(value), "C"(MapFieldText<F>::value), "n"(Dimension) : "memory")
  if constexpr (detail::is_array(F) && detail::is_wide(F)) TMA_DETAIL_REPLACE(".b64", "%3, ", "l");
  else if constexpr (detail::is_array(F)) TMA_DETAIL_REPLACE(".b32", "%3, ", "r");
  else if constexpr (detail::is_wide(F)) TMA_DETAIL_REPLACE(".b64", "", "l");
  else TMA_DETAIL_REPLACE(".b32", "", "r");
#undef TMA_DETAIL_REPLACE
}

/// The same of a field whose value is a number of the instruction's (`detail::map_number`).
template <MapField F, u32 Value> TMA_DEVICE void tensormap_replace_mode(u32 shared_map) {
  static_assert(check_edit<F, Value>() && detail::is_mode(F));
  TMA_DETAIL_ASM("tensormap.replace.tile%1.shared::cta.b1024.b32 [%0], %2;" ::"r"(shared_map), "C"(MapFieldText<F>::value),
                 "n"(Value) : "memory");
}
template <MapField F, u32 Value> TMA_DEVICE void tensormap_replace_mode(void* map) {
  static_assert(check_edit<F, Value>() && detail::is_mode(F));
  TMA_DETAIL_ASM("tensormap.replace.tile%1.global.b1024.b32 [%0], %2;" ::"l"(__cvta_generic_to_global(map)),
                 "C"(MapFieldText<F>::value), "n"(Value) : "memory");
}

// --- maps between proxies ------------------------------------------------------------------------------------------

/// A whole warp, converged. Copies the 128 bytes of a map from shared to global memory and releases them, and what the warp
/// wrote before, to those who acquire the map.
template <Scope S> TMA_DEVICE void tensormap_cp_fenceproxy(void* map, u32 shared_map) {
  TMA_DETAIL_ASM(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release%2.sync.aligned [%0], [%1], 128;" ::"l"(
          __cvta_generic_to_global(map)),
      "r"(shared_map), "C"(ScopeText<S>::value) : "memory");
}

/// This thread's earlier writes of maps, by whatever instruction, before what it releases later.
template <Scope S> TMA_DEVICE void fence_tensormap_release() {
  TMA_DETAIL_ASM("fence.proxy.tensormap::generic.release%0;" ::"C"(ScopeText<S>::value) : "memory");
}

/// What is known to have been written to the 128 bytes of `map` before this thread's later copies through it.
template <Scope S> TMA_DEVICE void fence_tensormap_acquire(const void* map) {
  TMA_DETAIL_ASM("fence.proxy.tensormap::generic.acquire%1 [%0], 128;" ::"l"(map), "C"(ScopeText<S>::value) : "memory");
}

// --- global memory between proxies ---------------------------------------------------------------------------------

/// Orders this thread's accesses to global memory, and those it knows of, and later ones of the copy engine.
TMA_DEVICE void fence_proxy_async_global() { TMA_DETAIL_ASM("fence.proxy.async.global;" :: : "memory"); }
/// The same of every memory.
TMA_DEVICE void fence_proxy_async_all() { TMA_DETAIL_ASM("fence.proxy.async;" :: : "memory"); }

/// The one-sided forms, for what the blocks of a cluster do to each other's shared memory: a thread releases its own
/// block's accesses, and acquires those of the cluster.
TMA_DEVICE void fence_proxy_async_release_cluster() {
  TMA_DETAIL_ASM("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" :: : "memory");
}
TMA_DEVICE void fence_proxy_async_acquire_cluster() {
  TMA_DETAIL_ASM("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" :: : "memory");
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
