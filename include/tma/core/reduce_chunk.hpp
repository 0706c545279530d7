#pragma once

#include "prologue.hpp"

#include "reduce_bytes.hpp"
#include "transfer.hpp"

namespace tma::inline TMA_ABI {

/// Bytes of a chunk that a reduction writes.
TMA_HOST_DEVICE constexpr int reduced_bytes(const Chunk& chunk) { return chunk.stored_bytes(); }

/// Reduces one chunk: 16 bytes of `shared` into `reduced_bytes(chunk)` bytes of `global`, as `store_chunk` writes them.
TMA_HOST_DEVICE constexpr void reduce_chunk(Reduction op, ElementType type, const Chunk& chunk, const unsigned char* shared,
                                            unsigned char* global) {
  unsigned char bytes[16] = {};
  for (int i = 0; i < 16; ++i) bytes[i] = shared[i ^ (chunk.flipped ? 8 : 0)];
  reduce_bytes(op, type, global, bytes, reduced_bytes(chunk));
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
