// What a search can choose, what its kernels are called, and what the library is told of them.
#pragma once

#include <tma/host/advise.hpp>

#include <string>

namespace overlap {

// What is more of a transpose's tile than its bytes.
struct Shape {
  int rows, columns;  // of the input
  int threads;
};

struct Configuration {
  bool  persistent;
  int   tile_bytes;  // of one input
  int   stages;
  int   blocks_per_multiprocessor;
  Shape shape = {};  // none: any tile of so many bytes is as good as another

  std::string name() const {
    const auto  number = [](int n) { return std::to_string(n); };
    std::string text   = persistent ? "ring " : "once ";
    if (shape.rows > 0) text += number(shape.rows) + "x" + number(shape.columns) + " " + number(shape.threads) + "t";
    else text += number(tile_bytes / 1024) + "K";
    if (persistent) text += " x" + number(stages);
    return text + " on " + number(blocks_per_multiprocessor);
  }
};

// Threads of a block: in all that stream, and in those transposes that the advice stands for.
inline constexpr int threads = 256;

// Bytes of an element of the matrix that is transposed; 0: `what` is no transpose.
inline int transposed_bytes(const std::string& what) {
  return what == "transpose-f32" ? 4 : what == "transpose-f16" ? 2 : 0;
}

// Whether `what` is searched: read, copy or triad, with so many multiply-adds for each float, or a transpose, with none.
inline bool is_searched(const std::string& what) {
  return what == "read" || what == "copy" || what == "triad" || transposed_bytes(what) > 0;
}

// The library is told of a transpose what its kernel is like, and nothing that a search has found: the registers are the
// compiler's. A thread turns at least one square of 16 bytes a side, so the least tile has a square for each thread. That makes
// it 256 bytes wide and high.
inline tma::StreamKernel kernel_of_transpose(int element) {
  const bool words = element == 4;
  return {.inputs                = 1,
          .outputs               = 1,
          .instructions_per_byte = words ? 0 : 0.25,  // a word of the output is one of the input, or made of two of them
          .threads               = threads,
          .registers             = words ? 32 : 54,
          .least_tile            = threads * 16 * 16 / element,
          .needs_tiles           = true};
}

// A kernel that only reads keeps its sums, so its blocks stay.
inline tma::StreamKernel kernel_of(const std::string& what, int fma) {
  if (const int element = transposed_bytes(what)) return kernel_of_transpose(element);
  return {.inputs                = what == "triad" ? 2 : 1,
          .outputs               = what == "read" ? 0 : 1,
          .instructions_per_byte = fma / 4.0,
          .threads               = threads,
          .may_end               = what != "read"};
}

// What the advice stands for, with so many blocks. Of a transpose it gives the bytes of a tile. This is the rule for its sides:
// 256 bytes of each row, which L2 fetches at once, so that a wider tile fetches no better; and as many rows as that leaves,
// since more of them make longer what a block writes to each row of the output.
inline Configuration configuration_of(const std::string& what, const tma::StreamAdvice& advice, int blocks) {
  Configuration c{advice.shape == tma::StreamShape::persistent, advice.tile_bytes, advice.stages, blocks};
  if (const int element = transposed_bytes(what)) c.shape = {advice.tile_bytes / 256, 256 / element, threads};
  return c;
}

}  // namespace overlap
