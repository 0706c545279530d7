#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// How the engine permutes 16-byte chunks within each 128-byte line of shared memory, with the driver's numbers
/// (CUtensorMapSwizzle).
///
/// A swizzle exists so that the matrix units, or a column of threads, meet every bank once. It buys nothing for
/// a kernel that reads rows. The `atom` modes need compute capability 10 (the driver refuses them below).
enum class Swizzle : int {
  none                     = 0,
  bytes_32                 = 1,
  bytes_64                 = 2,
  bytes_128                = 3,
  bytes_128_atom_32        = 4,
  bytes_128_atom_32_flip_8 = 5,
  bytes_128_atom_64        = 6,
  bytes_96 = 96,  ///< sm_103a, and set on the device only: no encode function of the driver has a number for it
};

TMA_DETAIL_COLD_BEGIN
TMA_HOST_DEVICE constexpr const char* swizzle_name(Swizzle mode) {
  constexpr const char* names[] = {
      "none", "bytes_32", "bytes_64", "bytes_128", "bytes_128_atom_32", "bytes_128_atom_32_flip_8", "bytes_128_atom_64"};
  const int i = static_cast<int>(mode);
  return mode == Swizzle::bytes_96 ? "bytes_96" : i >= 0 && i < 7 ? names[i] : "?";
}
TMA_DETAIL_COLD_END

/// The widest row in bytes that a mode can hold, and the row pitch of a narrower one. 0: no limit, no padding.
TMA_HOST_DEVICE constexpr int swizzle_span(Swizzle mode) {
  switch (mode) {
    case Swizzle::none: return 0;
    case Swizzle::bytes_32: return 32;
    case Swizzle::bytes_64: return 64;
    case Swizzle::bytes_96: return 96;
    default: return 128;
  }
}

/// The distance in bytes after which the pattern repeats. A tile aligned to it starts the pattern at its own
/// first row; at any other multiple of 128 the pattern is shifted, because it is made from absolute addresses.
TMA_HOST_DEVICE constexpr int swizzle_repeat(Swizzle mode) {
  switch (mode) {
    case Swizzle::none: return 128;
    case Swizzle::bytes_32: return 256;
    case Swizzle::bytes_64: return 512;
    case Swizzle::bytes_128: return 1024;
    case Swizzle::bytes_128_atom_32: return 512;
    case Swizzle::bytes_128_atom_32_flip_8: return 512;
    case Swizzle::bytes_128_atom_64: return 256;
    case Swizzle::bytes_96: return 256;
  }
  return 128;
}

/// What a swizzle exclusive-ors the column bytes of a row with, where rows are `swizzle_span` bytes wide and the row number
/// is counted from a multiple of `swizzle_repeat`.
///
/// It depends on the row alone and touches only bits below the span: a compiler that knows the row, or the column, keeps
/// the rest of the address a constant. (Not of bytes_96, whose rows do not divide a line of 128: there is none for it.)
TMA_HOST_DEVICE constexpr detail::u32 swizzle_mask(Swizzle mode, detail::u32 row) {
  switch (mode) {
    case Swizzle::none: return 0;
    case Swizzle::bytes_32: return ((row >> 2) & 1) << 4;
    case Swizzle::bytes_64: return ((row >> 1) & 3) << 4;
    case Swizzle::bytes_128: return (row & 7) << 4;
    case Swizzle::bytes_128_atom_32: return (row & 3) << 5;
    case Swizzle::bytes_128_atom_32_flip_8: return ((row & 3) << 5) ^ ((row & 1) << 3);
    case Swizzle::bytes_128_atom_64: return (row & 1) << 6;
    case Swizzle::bytes_96: return 0;
  }
  return 0;
}

/// Where the byte that belongs at shared-window address `address` really lies. Its own inverse.
///
/// The address is the absolute one in the shared window (what `cvta.to.shared` gives), not an offset in a tile:
/// the engine takes the row number from the address bits. For a tile aligned to `swizzle_repeat` offset and
/// address give the same permutation.
TMA_HOST_DEVICE constexpr detail::u32 swizzle_address(Swizzle mode, detail::u32 address) {
  if (mode == Swizzle::bytes_96) return address ^ (address >> 7 & 1) << 4;
  return mode == Swizzle::none ? address : address ^ swizzle_mask(mode, address / detail::u32(swizzle_span(mode)));
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
