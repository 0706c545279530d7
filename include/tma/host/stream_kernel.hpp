#pragma once

#include "../core/prologue.hpp"

namespace tma::inline TMA_ABI {

/// A kernel that streams: it loads tiles of its inputs, works on them, and stores tiles of its outputs, each byte once. What is
/// its own and does not change with the tile; the defaults are those of a kernel that only reads.
struct TMA_PUBLIC StreamKernel {
  int       inputs                = 1;     ///< tensors that a step loads a tile of
  int       outputs               = 0;     ///< tensors that a step stores a tile of
  double    instructions_per_byte = 0;     ///< of a thread, for each byte of one input, beside the load and the store of it
  int       threads               = 256;   ///< of a block, that work
  int       registers             = 32;    ///< of a thread, as `-Xptxas -v` says
  int       shared_bytes          = 0;     ///< of a block, beside the tiles
  int       least_tile            = 2048;  ///< bytes of one input's tile: what the algorithm needs at least
  int       most_tile             = 32 * 1024;  ///< and at most; equal: the tile is given
  bool      stored_from_loaded    = true;   ///< results are stored from where the tile was loaded to, and need no other room
  long long input_bytes           = 0;      ///< of one input; 0: many megabytes
  bool      in_l2                 = false;  ///< inputs and outputs are resident in the second-level cache
  bool      needs_tiles           = false;  ///< threads use elements that others load: plain loads do not do
  bool      may_end               = true;  ///< a block may do one tile and end; false: what it gathers must last for several
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
