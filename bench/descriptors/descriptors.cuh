// The small kernel of which all is measured: each block loads one tile of its own and sums the words. How it comes by its
// descriptor is what the ways differ in.
#pragma once

#include <cuda.h>

#include <functional>
#include <string>
#include <vector>

namespace descriptors {

constexpr int tile_rows = 32, columns = 64, threads = 128, blocks = 132, rows = blocks * tile_rows;
constexpr int per_thread = tile_rows * columns / threads;

// Two matrices, of which a launch reads one: where the tensor moves, its descriptor has to follow.
struct Problem {
  const unsigned* matrix[2];
  unsigned*       sums;  // `blocks` * `threads`
  // The map of the first matrix, and room for one of each block. Both sides use the same places: where a map lies is worth
  // more than the ways to use it differ in.
  CUtensorMap *map, *edits;
};

struct Way {
  std::string                    name;
  bool                           by_hand;
  bool                           moves;   // round i reads matrix i % 2; else always the first
  std::function<void(int round)> launch;  // on the default stream, or what is replayed there
};

std::vector<Way> ours(const Problem& problem);
std::vector<Way> hand(const Problem& problem);

// Times of the host, for one call each; what is made is kept from the optimiser.
struct Call {
  std::string           name;
  bool                  by_hand;
  std::function<void()> call;
};
std::vector<Call> our_calls(const Problem& problem);
std::vector<Call> hand_calls(const Problem& problem);

// One block, from its start to its first tile. `prologue`: cycles that it works before it loads.
struct FirstTile {
  std::string name;
  bool        by_hand, prefetch;
  int         prologue;
  // Leaves the cycles from the start to the tile in `cycles`.
  std::function<void(long long* cycles)> launch;
};
std::vector<FirstTile> our_first_tiles(const Problem& problem);
std::vector<FirstTile> hand_first_tiles(const Problem& problem);

// By the driver; the entry is looked up in each call where `anew`.
CUtensorMap encode(const unsigned* matrix, bool anew = false);

constexpr int prologues[] = {0, 1000};

// Work that a kernel does before it loads: a wait, of so many cycles.
__device__ __forceinline__ void work_until(long long end) {
  while (clock64() < end) {}
}

}  // namespace descriptors
