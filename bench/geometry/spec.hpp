// A tensor, the boxes of it that are read, and the memory it lies in: what a variant is made of. Slowest dimension first.
#pragma once

#include <tma/core/swizzle.hpp>
#include <tma/host/options.hpp>

namespace geometry {

// Which boxes a block reads: box t of all of them, t = block, block + blocks, ... below `total`, over and over.
struct Boxes {
  int shift[5]  = {};  // how many there are along a dimension, as a power of two
  int step[5]   = {};  // elements from one to the next
  int origin[5] = {};  // of the first
  int count = 1, total = 1;
};

enum class Hint { none, evict_first, evict_last, evict_unchanged };

struct Spec {
  int            rank         = 2;
  int            element_size = 4;
  long           extent[5]    = {1, 1, 1, 1, 1};
  long           stride[5]    = {};  // bytes; of the innermost the element's size
  int            box[5]       = {1, 1, 1, 1, 1};
  int            skip[5]      = {1, 1, 1, 1, 1};  // element strides
  tma::Swizzle   swizzle      = tma::Swizzle::none;
  tma::Promotion promotion    = tma::Promotion::none;
  Hint           hint         = Hint::none;
  Boxes          boxes        = {};

  long box_bytes() const {
    long n = element_size;
    for (int d = 0; d < rank; ++d) n *= box[d];
    return n;
  }
};

inline constexpr int results = 256;  // words in which blocks leave what they have read, 32 bytes apart

struct Source {
  const unsigned char* data;
  unsigned long long   slice_bytes;
  int                  slices;  // that rounds take in turns
  int                  passes;  // of a launch, odd
  unsigned*            result;  // `results` of them: all that was read, by exclusive or
  int                  multiprocessors;

  const unsigned char* slice(int round) const {
    return data + static_cast<unsigned long long>(round % slices) * slice_bytes;
  }
};

}  // namespace geometry
