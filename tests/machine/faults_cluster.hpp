// For faults between the blocks of a cluster: the ring that every block has, and what they do to each other's.
#pragma once

#include "faults.hpp"

// Macros, for what is reported is the line where they stand.
#define MEET_CLUSTER() (ptx::cluster_arrive<tma::Order::ordered>(), ptx::cluster_wait())
#define AWAIT(barrier, parity) \
  while (!ptx::mbarrier_try_wait<tma::Order::ordered, tma::Scope::cluster>(barrier, parity)) {}
#define ARRIVE_AT(barrier, rank) ptx::mbarrier_arrive_peer<tma::Order::ordered>(ptx::map_shared(barrier, rank))
// A load of the tile at `row` into the blocks of a mask.
#define LOAD_FOR(blocks, tile, from, row, barrier)                                            \
  ptx::tensor_load<2, faults::into_several>(tile, tma::tensor_map(from), {{0, row}}, barrier, \
                                            {.mask = tma::detail::u16(blocks)})

namespace faults {

inline constexpr tma::detail::CopyForm into_several{.multicast = true};

// All threads of the cluster: the block's ring, its barriers initialised for all blocks to see.
template <int Stages> TMA_DEVICE Ring<Stages>& cluster_ring(u32 empty_arrivals = 1, u32 full_arrivals = 1) {
  auto& r = ring<Stages>(empty_arrivals, full_arrivals);
  ptx::cluster_arrive<tma::Order::relaxed>();
  ptx::cluster_wait();
  return r;
}

// The same place in the block of that rank, for loads and stores.
template <class T> TMA_DEVICE T& at_peer(T& object, u32 rank) { return *static_cast<T*>(ptx::map_generic(&object, rank)); }

// What one block writes, for the engine to read.
TMA_DEVICE void fill(Tile& tile, int from) {
  for (int i = int(threadIdx.x); i < Tile::size; i += int(blockDim.x)) tile[i] = from + i;
}

}  // namespace faults
