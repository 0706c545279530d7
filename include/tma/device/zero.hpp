#pragma once

#include "../core/prologue.hpp"

#include "../core/buffer.hpp"
#include "../core/tile.hpp"

#include TMA_DETAIL_PTX(_launch)

namespace tma::inline TMA_ABI {

/// Fills a tile or buffer in shared memory with zeros, its padding with it: one instruction of one thread, as if it wrote
/// every byte. Others see it after they have met that thread, a store after `block.publish(tile)`. sm_100 and newer
/// (st.bulk).
template <class Place> TMA_DEVICE void zero(Place& place) {
  constexpr bool is_place = detail::is_tile_v<Place> || detail::is_buffer_v<Place>;
  static_assert(is_place, "tma::zero: fills a tma::Tile or a tma::Buffer in shared memory");
  static_assert(!detail::is_const_v<Place>, "tma::zero: the tile is written: it cannot be const");
  if constexpr (is_place) {
    if constexpr (detail::is_tile_v<Place>)
      ptx::bulk_zero<Place>(ptx::shared_address(place.storage()), Place::footprint_bytes);
    else ptx::bulk_zero<Place>(ptx::shared_address(place.storage()), Place::payload_bytes);
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
