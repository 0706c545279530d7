// The fields of a tensor map that `tensormap.replace` can write, and its numbers for what they hold: not those of the
// driver's enumerations.
#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "element.hpp"
#include "interleave.hpp"
#include "meta.hpp"
#include "swizzle.hpp"

namespace tma::inline TMA_ABI::detail {

enum class MapField : int {
  address,         // 64 bits
  rank,            // 32 bits: dimensions, less one
  box,             // 32 bits a dimension, fastest first, as for the driver
  extent,          // 32 bits a dimension
  stride,          // 64 bits a dimension but the fastest: bytes
  element_stride,  // 32 bits a dimension
  element_type,    // the rest are numbers known when compiling
  interleave,
  swizzle,
  swizzle_atom,
  fill,
};

// Whether the field is an array, of one value a dimension.
TMA_HOST_DEVICE constexpr bool is_array(MapField f) { return f >= MapField::box && f <= MapField::element_stride; }
// Whether the instruction takes its value as an immediate.
TMA_HOST_DEVICE constexpr bool is_mode(MapField f) { return f >= MapField::element_type; }
TMA_HOST_DEVICE constexpr bool is_wide(MapField f) { return f == MapField::address || f == MapField::stride; }

template <bool Wide> struct MapValue {
  using type = u32;
};
template <> struct MapValue<true> {
  using type = u64;
};
template <MapField F> using map_value_t = typename MapValue<is_wide(F)>::type;

// The element type as the instruction counts them. Types 13 to 15 need Feature::descriptor_edit_packed.
TMA_HOST_DEVICE constexpr u32 map_number(ElementType type) {
  switch (type) {
    case ElementType::f32_ftz: return 8;
    case ElementType::f64: return 9;
    case ElementType::bf16: return 10;
    default: return u32(type);
  }
}
TMA_HOST_DEVICE constexpr u32 map_number(Interleave layout) { return u32(layout); }

// The driver's one number for a swizzle is two here: the span, and the atom that is permuted.
TMA_HOST_DEVICE constexpr u32 map_number(Swizzle mode) {
  return mode <= Swizzle::bytes_128 ? u32(mode) : mode == Swizzle::bytes_96 ? 4 : 3;
}
TMA_HOST_DEVICE constexpr u32 map_atom_number(Swizzle mode) {
  return mode <= Swizzle::bytes_128 || mode == Swizzle::bytes_96 ? 0 : u32(mode) - 3;
}

}  // namespace tma::inline TMA_ABI::detail

#include "epilogue.hpp"
