#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// A `TileOrEnd` of tiles that are counted in 64 bits: what a `tma::StaticTiles` of a 64-bit count answers. Eight bytes, of
/// which zeros are the end.
class TileOrEnd64 {
public:
  TileOrEnd64() = default;  // uninitialised, as an int is: for a place in shared memory
  TMA_HOST_DEVICE constexpr explicit TileOrEnd64(detail::i64 index) : after_(detail::u64(index) + 1) {}

  /// Of a tile: 0 to 2^63 - 1.
  TMA_HOST_DEVICE constexpr detail::i64 index() const { return detail::i64(after_ - 1); }
  TMA_HOST_DEVICE constexpr explicit    operator bool() const { return after_ != 0; }

  friend TMA_HOST_DEVICE constexpr bool operator==(TileOrEnd64 a, TileOrEnd64 b) { return a.after_ == b.after_; }

private:
  detail::u64 after_;  // index + 1
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
