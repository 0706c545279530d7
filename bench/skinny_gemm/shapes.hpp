// Y = X W^T with few rows of X: what is multiplied, and in which shape by which block.
#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace skinny {

using Element = __nv_bfloat16;

// Matrices whose rows lie one after another: x is m by k, w is n by k, y is m by n. m is 1 to 128; n and k are multiples of 8.
struct Problem {
  const Element *x, *w;
  Element*       y;
  int            m, n, k;
  float*         partials;  // room for sums of strips that several blocks share, and a flag for each: zeros
  unsigned*      ready;
  int            multiprocessors;
};
constexpr int most_m = 128, partials_of_block = 128 * most_m, flags_of_block = 2;

// Those that are launched in turns. They differ in their addresses alone.
using Problems = std::vector<Problem>;

// A block's shape: strips of `Rows` rows of the weights by `Columns` rows of x, in stages of `Depth` times 64 columns of both;
// clusters of `Blocks` blocks, which have neighbouring strips and load x for one another. As many stages as fit.
template <int Columns, int Rows, int Depth, int Blocks = 1> struct Shape {
  static constexpr int columns = Columns, rows = Rows, depth = Depth, blocks = Blocks;
  static constexpr int groups = (Rows + 63) / 64, consumers = 128 * groups;  // warpgroups, 64 rows each; their threads
  static constexpr int stage_bytes = Depth * (Rows + Columns) * 128;
  static constexpr int stages    = (227 * 1024 - 1024 - 512) / stage_bytes;  // room for barriers, and to round the begin up
  static constexpr int in_flight = stages * stage_bytes;
  // The matrix units take 64 rows at a time. Of what a strip has not they read what lies behind the tile, and its products are
  // left out. Behind the last tile of the weights are those of x.
  static_assert(Rows % 8 == 0 && Rows <= 128 && Columns <= most_m &&
                (64 * groups - Rows) * 128 <= stages * Depth * Columns * 128);
};

// How the strips of a matrix are shared out among `most` blocks, or clusters, by runs of equal length. Where a few of them less
// have runs of whole strips, or equal parts of one, these are as fast, because the memory is the limit, and no strip is cut.
inline bool nearly_all(int runs, int most) { return runs * 100 >= most * 96; }
inline int  runs_for(int strips, int steps, int most) {
  if (strips > most) {
    const int each = (strips + most - 1) / most, runs = strips / each;
    return strips % each == 0 && nearly_all(runs, most) ? runs : most;
  }
  const int runs = strips * std::min(most / strips, steps);
  return nearly_all(runs, most) ? runs : int(std::min<long long>(most, static_cast<long long>(strips) * steps));
}

// Calls f(Shape) with the shape for a problem of up to `Columns` rows of x. Measured on an H200: the wider a stage the better for
// the memory, which reads along the rows; the higher a strip the less often x is read, which counts where it has many rows; and
// best of all are strips that are shared out whole.
template <int Columns, class F> auto with_shape(const Problem& p, F f) {
  const auto whole = [&](int rows) {
    const int strips = (p.n + rows - 1) / rows, each = (strips + p.multiprocessors - 1) / p.multiprocessors;
    return p.n % rows == 0 && strips % each == 0 && nearly_all(strips / each, p.multiprocessors);
  };
  const bool many = p.n / 112 > p.multiprocessors;  // a block has several strips: the blocks of a cluster keep in step
  if constexpr (Columns <= 16) {
    if (whole(32) && p.n / 32 <= p.multiprocessors) return f(Shape<Columns, 32, 8>());
  }
  if constexpr (Columns <= 32) {
    if (whole(112)) return f(Shape<Columns, 112, 3>());
    return f(Shape<Columns, 64, 4>());
  } else if constexpr (Columns == 64) {
    if (whole(112)) return many ? f(Shape<64, 112, 2, 2>()) : f(Shape<64, 112, 2>());
    return many ? f(Shape<64, 64, 2, 2>()) : f(Shape<64, 64, 2>());
  } else {
    if (whole(112)) return many ? f(Shape<128, 112, 1, 2>()) : f(Shape<128, 112, 2>());
    return many ? f(Shape<128, 128, 1, 2>()) : f(Shape<128, 64, 2>());
  }
}

// What a kernel is told.
struct Job {
  Element*  y;
  int       m, n, steps;  // steps of a strip
  int       each, more;   // a run has so many steps, the first `more` runs one more
  float*    partials;
  unsigned* ready;
};

struct Plan {
  int blocks;
  Job job;
};

template <class S> Plan plan_of(const Problem& p) {
  constexpr int rows = S::rows * S::blocks, columns = 64 * S::depth;
  const int     strips = (p.n + rows - 1) / rows, steps = (p.k + columns - 1) / columns;
  const int     runs = runs_for(strips, steps, p.multiprocessors / S::blocks), all = strips * steps;
  return {runs * S::blocks, {p.y, p.m, p.n, steps, all / runs, all % runs, p.partials, p.ready}};
}

}  // namespace skinny
