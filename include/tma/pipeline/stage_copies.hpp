// What the views of a stage share, through which one thread issues its loads or its stores: which tile a copy is of.
#pragma once

#include "../core/prologue.hpp"

#if TMA_HAS_DEVICE
#  include "../device/block.hpp"
#endif
#include "stage_parts.hpp"

namespace tma::inline TMA_ABI::detail {

// The tiles of all stages: an array a tile, so that each keeps its own alignment and stride.
template <int Stages, class... Tiles> struct StoredTiles {};
template <int Stages, class Last> struct StoredTiles<Stages, Last> {
  Last head[Stages];

  template <int I> TMA_DEVICE auto& get(int stage) { return head[stage]; }
};
template <int Stages, class Head, class Next, class... Tail> struct StoredTiles<Stages, Head, Next, Tail...> {
  Head                               head[Stages];
  StoredTiles<Stages, Next, Tail...> tail;

  template <int I> TMA_DEVICE auto& get(int stage) {
    if constexpr (I == 0) return head[stage];
    else return tail.template get<I - 1>(stage);
  }
};

template <int Stages, class... Tiles> class StageCopies {
protected:
  TMA_DEVICE StageCopies(StoredTiles<Stages, Tiles...>& tiles, int stage) : tiles_(&tiles), stage_(stage) {}

  // Calls `copy(tile, modifiers...)` with the stage's tile of type `Wanted`, or with the one that a slot names. A stage of
  // one tile needs neither: the copy itself refuses a tile that does not fit.
  template <class Wanted, class Copy, class... Modifiers>
  TMA_DEVICE void with_tile(Copy copy, const Modifiers&... modifiers) const {
    constexpr int found = count_of<Wanted, Tiles...>;
    static_assert(
        sizeof...(Tiles) == 1 || found > 0,
        "tma: no tile of this stage has the type of this copy. Name the descriptor's tile (or a tma::Buffer of the "
        "chunk's size) among the tiles of the stage");
    static_assert(sizeof...(Tiles) == 1 || found < 2,
                  "tma: several tiles of this stage have this type; say which, behind the place: tma::slot<0>");
    constexpr int position = sizeof...(Tiles) > 1 && found == 1 ? index_of<Wanted, Tiles...>() : 0;
    copy(tiles_->template get<position>(stage_), modifiers...);
  }
  template <class Wanted, class Copy, int I, class... Modifiers>
  TMA_DEVICE void with_tile(Copy copy, Slot<I>, const Modifiers&... modifiers) const {
    constexpr bool exists = I >= 0 && I < int(sizeof...(Tiles));
    static_assert(exists, "tma: the stage has no tile at this slot");
    copy(tiles_->template get<exists ? I : 0>(stage_), modifiers...);
  }

private:
  StoredTiles<Stages, Tiles...>* tiles_;
  int                            stage_;
};

template <class... Tiles> TMA_HOST_DEVICE constexpr bool check_stored_tiles() {
  static_assert(sizeof...(Tiles) >= 1, "tma: a stage has at least one tile");
  static_assert((!is_const_v<Tiles> && ...), "tma: threads write the tiles of this ring: they are not const");
  static_assert(((is_tile_v<Tiles> || is_buffer_v<Tiles>) && ...),
                "tma: a stage holds tma::Tile and tma::Buffer objects, which the copy engine reads");
  return true;
}

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
