// What the engine's copies move, without the engine: places, sizes and bytes. Whoever runs the copies brings the memory.
#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "element.hpp"
#include "meta.hpp"
#include "swizzle.hpp"
#include "tensor_box.hpp"

namespace tma::inline TMA_ABI {

/// The unit of a tensor copy: 16 bytes of shared memory, and where they belong in the tensor.
struct Chunk {
  detail::u32 shared;   // address in the shared window, the swizzle applied: a multiple of 16
  detail::i64 global;   // bytes from the tensor's base to its first byte: a multiple of 16. Means nothing where inside is 0
  int         inside;   // how many of its bytes, from the first on, lie in the tensor: 0 to 16
  bool        flipped;  // the swizzle has put its second half before its first in shared memory

  /// Bytes that a store writes at `global`: the whole piece, however little of it is inside.
  TMA_HOST_DEVICE constexpr int stored_bytes() const { return inside > 0 ? 16 : 0; }
};

namespace detail {

// The chunks of one row of a tile, which lies at `shared`. `first` is the byte in the tensor's row where it begins, a multiple
// of 16; `global` the tensor's row from its base, wrapped where it is far outside.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_chunk_of_row(const TensorBox& box, i64 first, bool row_inside, u64 global,
                                                     u32 shared, Visit& visit) {
  const i64 end = box.extent[box.inner()] * element_bytes(box.type);
  for (int column = 0, row_bytes = box.row_bytes(); column < row_bytes; column += 16) {
    const i64 start = first + column, left = end - start;
    const int inside = !row_inside || start < 0 || left <= 0 ? 0 : left < 16 ? int(left) : 16;
    const u32 place  = swizzle_address(box.swizzle, shared + u32(column));
    visit(Chunk{place & ~15u, i64(global + u64(start)), inside, (place & 8) != 0});
  }
}

}  // namespace detail

/// Calls `visit(chunk)` for every chunk of one copy, in C order of the tile.
///
/// `at` is the position of the tile, slowest dimension first, any of it outside the tensor; `shared` is the tile's address
/// in the shared window. Needs a dense box and a copy in which `check_tensor_copy` finds no fault: with the innermost
/// coordinate at a multiple of 16 bytes the tensor never begins within a chunk.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_chunk(const TensorBox& box, const int* at, detail::u32 shared, Visit visit) {
  using detail::i64, detail::u32, detail::u64;
  const int inner = box.inner(), pitch = box.pitch_bytes();
  const i64 first = i64(at[inner]) * element_bytes(box.type), rows = box.rows();
  for (i64 row = 0; row < rows; ++row, shared += u32(pitch)) {
    bool row_inside = true;
    u64  global     = 0;
    i64  rest       = row;
    for (int d = inner - 1; d >= 0; --d) {
      const i64 index = at[d] + rest % box.tile_extent(d) * box.element_stride[d];
      rest /= box.tile_extent(d);
      row_inside = row_inside && index >= 0 && index < box.extent[d];
      global += u64(index) * u64(box.stride[d]);
    }
    detail::for_each_chunk_of_row(box, first, row_inside, global, shared, visit);
  }
}

/// The bits of a float as a load of type tf32 leaves them: to nearest even at ten bits of mantissa, subnormals too.
/// What is too large becomes infinite, every NaN the same one.
TMA_HOST_DEVICE constexpr detail::u32 round_to_tf32(detail::u32 bits) {
  const detail::u32 magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fffe000;
  return magnitude == 0x7f800000 ? bits : (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
}

/// What every two bytes outside the tensor hold under the NaN fill, whatever the type: wider elements are made of it.
inline constexpr detail::u16 nan_fill = 0x7ff7;

namespace detail {

TMA_HOST_DEVICE constexpr void round_chunk_to_tf32(unsigned char* bytes, int count) {
  for (int i = 0; i < count; i += 4) {
    u32 word = 0;
    for (int k = 0; k < 4; ++k) word |= u32(bytes[i + k]) << 8 * k;
    word = round_to_tf32(word);
    for (int k = 0; k < 4; ++k) bytes[i + k] = static_cast<unsigned char>(word >> 8 * k);
  }
}

}  // namespace detail

/// Loads one chunk: writes 16 bytes to `shared`, which stands for address `chunk.shared`. Reads `chunk.inside` bytes of
/// `global`, which stands for the tensor's base + `chunk.global`; the rest is filled, and tf32 is rounded.
TMA_HOST_DEVICE constexpr void load_chunk(const TensorBox& box, const Chunk& chunk, const unsigned char* global,
                                          unsigned char* shared) {
  unsigned char bytes[16] = {};
  for (int i = 0; i < chunk.inside; ++i) bytes[i] = global[i];
  if (box.type == ElementType::tf32 || box.type == ElementType::tf32_ftz) detail::round_chunk_to_tf32(bytes, chunk.inside);
  if (box.fill == Fill::nan)
    for (int i = chunk.inside; i < 16; ++i) bytes[i] = static_cast<unsigned char>(nan_fill >> 8 * (i & 1));
  for (int i = 0; i < 16; ++i) shared[i ^ (chunk.flipped ? 8 : 0)] = bytes[i];
}

/// Stores one chunk: reads 16 bytes of `shared` and writes `chunk.stored_bytes()` bytes to `global`, no bit changed.
TMA_HOST_DEVICE constexpr void store_chunk(const Chunk& chunk, const unsigned char* shared, unsigned char* global) {
  for (int i = 0; i < chunk.stored_bytes(); ++i) global[i] = shared[i ^ (chunk.flipped ? 8 : 0)];
}

/// Bytes that a one-dimensional copy moves, and a barrier counts, of those it was asked for: what exceeds a multiple of 16
/// is dropped in silence.
TMA_HOST_DEVICE constexpr detail::u32 bulk_bytes(detail::u32 bytes) { return bytes & ~15u; }

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
