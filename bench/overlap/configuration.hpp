// What a search can choose, what its kernels are called, and what the library is told of them.
#pragma once

#include <tma/host/advise.hpp>

#include <string>

namespace overlap {

struct Configuration {
  bool persistent;
  int  tile_bytes;  // of one input
  int  stages;
  int  blocks_per_multiprocessor;

  std::string name() const {
    std::string text = persistent ? "ring " : "once ";
    text += std::to_string(tile_bytes / 1024) + "K";
    if (persistent) text += " x" + std::to_string(stages);
    return text + " on " + std::to_string(blocks_per_multiprocessor);
  }
};

// Threads of a block, in all of them.
inline constexpr int threads = 256;

// `what`: read, copy or triad, with so many multiply-adds for each float. A kernel that only reads keeps its sums, so its blocks
// stay.
inline tma::StreamKernel kernel_of(const std::string& what, int fma) {
  return {.inputs                = what == "triad" ? 2 : 1,
          .outputs               = what == "read" ? 0 : 1,
          .instructions_per_byte = fma / 4.0,
          .threads               = threads,
          .may_end               = what != "read"};
}

}  // namespace overlap
