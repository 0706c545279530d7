// The rule book: what a tensor map must satisfy. One function a rule, each with its id; all are always asked, so that a
// report names everything that is wrong at once.
//
// T rules are the driver's (it refuses such a map without saying why), but for T1 and T20, of which it knows nothing. M rules
// are the machine's: the driver makes the map, and the copy then faults, hangs or destroys bytes; I and W rules are those of
// im2col. tests/gpu/encode_fuzz.cu compares the verdicts with a driver's. Dimensions are counted slowest first.
// rules/tensor.hpp and rules/tile.hpp hold what is true of every map; rules/im2col.hpp is included where it is needed.
//
// A violation is one text in four parts: field | value | rule | fix.
#pragma once

#include "../core/prologue.hpp"

#include "rules/device.hpp"
#include "rules/tensor.hpp"
#include "rules/tile.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace rules {

/// Every rule of a tiled tensor map.
inline constexpr Rule tiled[] = {
    map_address,        element_type_known,  rank_in_range,         base_aligned,
    extents_in_range,   packed_row_whole,    strides_aligned,       rows_apart,
    box_in_range,       box_row_whole,       packed_box_row,        element_strides_in_range,
    interleave_known,   swizzle_holds_row,   interleave_swizzle,    packed_swizzle,
    enumerations_known, fill_fits_type,      tile_fits_shared,      swizzled_base,
    extents_reachable,  inner_dense,         base_not_null,         base_on_device,
    store_ends_whole,   store_not_broadcast, inside_address_space,  device_has_it,
    rows4_plain,        box_counted,         innermost_not_strided, interleave_one_slice,
    base_reached,
};

/// Those that a tile's type leaves open, where it is a plain one: elements that are not packed, a swizzle that every engine
/// has. What its type has settled needs no code in a program.
inline constexpr Rule tiled_plain[] = {
    rank_in_range,        base_aligned,   extents_in_range,         strides_aligned,      rows_apart,
    box_in_range,         box_row_whole,  element_strides_in_range, interleave_known,     interleave_swizzle,
    enumerations_known,   fill_fits_type, tile_fits_shared,         swizzled_base,        extents_reachable,
    inner_dense,          base_not_null,  base_on_device,           store_ends_whole,     store_not_broadcast,
    inside_address_space, box_counted,    innermost_not_strided,    interleave_one_slice, base_reached,
};

/// And where no options are given: nothing is interleaved, elements follow one another, and the box is the tile.
inline constexpr Rule tiled_bare[] = {
    base_aligned,     extents_in_range,    strides_aligned,      rows_apart,    tile_fits_shared,
    swizzled_base,    extents_reachable,   inner_dense,          base_not_null, base_on_device,
    store_ends_whole, store_not_broadcast, inside_address_space, base_reached,
};

}  // namespace rules

namespace detail {

inline Report check_plain(const MapRequest& request) { return rules::check(request, rules::tiled_plain); }
inline Report check_bare(const MapRequest& request) { return rules::check(request, rules::tiled_bare); }

}  // namespace detail

/// Every rule that `request`, for a tiled map, breaks. (`check_im2col` is the other.)
[[nodiscard]] inline Report check(const MapRequest& request) { return rules::check(request, rules::tiled); }

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
