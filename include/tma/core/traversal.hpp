#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// How a copy walks the tensor: what the mode of a tensor map, and the form of the instruction, say.
enum class Traversal : int {
  tiled,        ///< a box of the tensor
  rows4,        ///< four rows, each anywhere: gather4 and scatter4. Its map is a tiled one, one row high
  im2col,       ///< pixels one after another inside a bounding box, a filter's offset added to each
  im2col_w,     ///< the same along W alone (compute capability 10)
  im2col_w128,  ///< the same, and always 128 pixels
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
