// What schedulers that are asked have in common: a range-for over the answers.
#pragma once

#include "../core/prologue.hpp"

#include "../core/tile_or_end.hpp"

namespace tma::inline TMA_ABI::detail {

// Base of a scheduler with `next()`.
template <class Tiles> class TileWalk {
public:
  struct End {};

  class Iterator {
  public:
    TMA_DEVICE int       operator*() const { return tile_.index(); }
    TMA_DEVICE Iterator& operator++() {
      tile_ = tiles_.next();
      return *this;
    }
    TMA_DEVICE bool operator!=(End) const { return bool(tile_); }

  private:
    friend class TileWalk;
    TMA_DEVICE explicit Iterator(Tiles& tiles) : tiles_(tiles), tile_(tiles.next()) {}

    Tiles&    tiles_;
    TileOrEnd tile_;
  };

  /// `for (int tile : tiles)` is `while (auto tile = tiles.next())`. A loop that is left early goes on at the next tile.
  TMA_DEVICE Iterator begin() { return Iterator(static_cast<Tiles&>(*this)); }
  TMA_DEVICE End      end() const { return {}; }
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
