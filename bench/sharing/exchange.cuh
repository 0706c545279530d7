// Tiles that the blocks of a cluster send one another, each to the next, all at once: from shared memory to shared memory.
#pragma once

#include "sharing.cuh"

namespace sharing {

constexpr int slots = 3, slot_rows = 32, slot_bytes = slot_rows * row_bytes;  // of a block's outgoing and incoming tiles

constexpr int copying_threads = 512;

enum class Sender { engine, by_hand, stores, loads };

// Each block loads `slots` tiles of the matrix, its own, and sends them round and round: `steps` tiles, a multiple of `slots`.
// A consumer thread leaves the fold of all that came; where threads copy, of what came last.
struct Exchange {
  Sender sender;
  Reads  reads;
  int    blocks;

  const void*                                                                            kernel = nullptr;
  int                                                                                    shared = 0;
  std::function<void(const unsigned* matrix, int clusters, int steps, unsigned* folded)> launch = {};

  int  threads() const { return by_threads() ? copying_threads : sharing::threads(reads); }
  bool by_threads() const { return sender == Sender::stores || sender == Sender::loads; }
};

std::vector<Exchange> exchanges();
Exchange              exchange_by_hand(Reads reads, int blocks, int slots_ = slots, int tile_bytes = slot_bytes);

}  // namespace sharing
