// Stores and sums by the copy engine, through this library. A block holds its tile, and the opposite, in shared memory; one
// thread sends them to place after place.
#pragma once

#include <cuda_bf16.h>
#include <tma/device/reduce.hpp>
#include <tma/tma.hpp>

#include "work.hpp"

namespace stores {

template <class Place> struct Sources {
  Place plus, minus;
};

// By all threads: both sources filled. Element i of the pattern is element i of a row-major tile.
template <class Block, class Place, class T>
__device__ __forceinline__ auto prepare(const Block& block, Sources<Place>& s, const T* pattern) {
  constexpr int each = 16 / int(sizeof(T));
  for (int i = block.rank(); i < Place::size / each; i += block.size()) {
    const uint4 v                                              = reinterpret_cast<const uint4*>(pattern)[i];
    reinterpret_cast<uint4&>(s.plus.template vector<each>(i))  = v;
    reinterpret_cast<uint4&>(s.minus.template vector<each>(i)) = opposite<T>(v);
  }
  return block.publish(s.plus, s.minus);
}

// By the elected thread: `send(stores, tile, source)` for each step.
template <class Source, class Send>
__device__ __forceinline__ void send_all(const tma::Issuer& issuer, const Walk& w, const Source& plus, const Source& minus,
                                         Send send) {
  tma::StoreGroup group(issuer);
  for (int g = int(blockIdx.x); g < w.total; g += int(gridDim.x)) {
    send(group, w.tile(g), w.opposite(g) ? minus : plus);
    group.wait_source_free<depth - 1>();
  }
}

template <Action A, class T, int Count>
__global__ void __launch_bounds__(engine_threads) bulk(tma::AlignedPointer<T> out, const T* pattern, Walk w) {
  auto& s            = tma::shared<Sources<tma::Buffer<T, Count>>>();
  auto  block        = tma::this_block<engine_threads>();
  auto [plus, minus] = prepare(block, s, pattern);
  if (auto issuer = block.elect())
    send_all(issuer, w, plus, minus, [&](tma::StoreGroup& group, int tile, const auto& source) {
      const auto to = out.template chunk<Count>(tile);
      if constexpr (A == Action::store) group.store(to, source);
      else group.template reduce<tma::Reduction::add>(to, source);
    });
}

template <Action A, class T, class TileT>
__global__ void __launch_bounds__(engine_threads)
    tensor(const __grid_constant__ tma::TmaDescriptor<T, 2, TileT> out, const T* pattern, Walk w, Layout l) {
  auto& s            = tma::shared<Sources<TileT>>();
  auto  block        = tma::this_block<engine_threads>();
  auto [plus, minus] = prepare(block, s, pattern);
  const int across   = l.across();
  if (auto issuer = block.elect())
    send_all(issuer, w, plus, minus, [&](tma::StoreGroup& group, int tile, const auto& source) {
      const tma::Coord<2> at{tile / across * l.rows, tile % across * l.columns};
      if constexpr (A == Action::store) group.store(out, at, source);
      else group.template reduce<tma::Reduction::add>(out, at, source);
    });
}

}  // namespace stores
