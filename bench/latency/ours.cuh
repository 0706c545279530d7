// Hops by the copy engine, through this library. One warp: one thread issues, all wait and read where the next node is.
#pragma once

#include "walk.cuh"

namespace latency {

template <int Count> struct BulkRoom {
  tma::Buffer<int, Count> slot[slots];
  tma::LoadBarrier        barrier;
};

template <int Count, Address A> __global__ void __launch_bounds__(32) bulk(Walk w, Trace* out) {
  auto& s               = keep<A>(tma::shared<BulkRoom<Count>>());
  auto [block, arrived] = tma::this_block<32>(s.barrier);
  auto& group           = block;  // a lambda does not capture a structured binding everywhere
  auto& phase           = arrived;
  walk(
      w, out, w.base,
      [&](const Node* at, int slot) {
        const auto chunk = tma::assume_aligned(reinterpret_cast<const int*>(at)).template chunk<Count>(0);
        if (auto issuer = group.elect()) issuer.load(chunk, s.slot[slot], phase);
        phase.wait();
        return *reinterpret_cast<const Node* const*>(s.slot[slot].data());
      },
      [&] { group.release(s.slot); }, [&](const Node* at) { return index_of(w, at); });
}

using Tile                       = tma::Tile<int, tma::Shape<16, 256>>;  // a whole node, and room for any part of it
template <int Rank> using Tensor = tma::TmaDescriptor<const int, Rank>;  // the box is known at run time

struct TensorRoom {
  Tile             slot[slots];
  tma::LoadBarrier barrier;
};

// The word of a node with the next one's coordinate in a tensor of that rank.
template <int Rank> constexpr int coordinate_word = Rank == 1 ? 4 : Rank == 2 ? 3 : 2;

template <int Rank, Address A>
__global__ void __launch_bounds__(32) tensor(const __grid_constant__ Tensor<Rank> in, Walk w, Trace* out) {
  auto& s               = keep<A>(tma::shared<TensorRoom>());
  auto [block, arrived] = tma::this_block<32>(s.barrier);
  auto&         group   = block;  // a lambda does not capture a structured binding everywhere
  auto&         phase   = arrived;
  constexpr int in_node = Rank == 1 ? node_words : Rank == 2 ? node_words / 256 : 1;
  walk(
      w, out, 0,
      [&](int at, int slot) {
        tma::Coord<Rank> place;
        place[0] = at;
        if (auto issuer = group.elect()) issuer.load(in, place, s.slot[slot], phase);
        phase.wait();
        return s.slot[slot][coordinate_word<Rank>];
      },
      [&] { group.release(s.slot); }, [&](int at) { return at / in_node; });
}

}  // namespace latency
