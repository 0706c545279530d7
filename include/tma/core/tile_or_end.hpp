#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "count.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// What a scheduler answers: the index of a tile, or that there is none left. Four bytes, of which zeros are the end:
/// `tma::TileOrEnd{}`. A pipeline carries it from the thread that asks to those that compute, as
/// `tma::Meta<tma::TileOrEnd>`.
///
///     while (auto tile = tiles.next()) ... tile.index() ...
class TileOrEnd {
public:
  TileOrEnd() = default;  // uninitialised, as an int is: for a place in shared memory
  TMA_HOST_DEVICE constexpr explicit TileOrEnd(detail::Int32 index) : after_(detail::u32(index) + 1) {}

  /// Of a tile: 0 to 2^31 - 1.
  TMA_HOST_DEVICE constexpr int      index() const { return int(after_ - 1); }
  TMA_HOST_DEVICE constexpr explicit operator bool() const { return after_ != 0; }

  friend TMA_HOST_DEVICE constexpr bool operator==(TileOrEnd a, TileOrEnd b) { return a.after_ == b.after_; }

private:
  detail::u32 after_;  // index + 1
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
