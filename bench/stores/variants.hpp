// The ways to write a region, each a variant of the harness.
#pragma once

#include <vector>

#include "../harness/bench.hpp"
#include "work.hpp"

namespace stores {

// Memory that is written, in slices that the rounds of a cold point take in turns.
struct Region {
  unsigned char*      data;
  unsigned long long  slice_bytes;
  int                 slices;
  unsigned long long  one_tile;  // 0; or all blocks write the same so many bytes
  int                 rounds;    // how often a launch goes over them; odd
  const void*         pattern;   // of the element type, at least a tile
  unsigned long long* wrong;     // a number on the device
  int                 multiprocessors;
};

// Unsigned words that are stored, float and bf16 that are added.
std::vector<harness::Variant> stored(const Region& r);
std::vector<harness::Variant> added_f32(const Region& r);
std::vector<harness::Variant> added_bf16(const Region& r);

}  // namespace stores
