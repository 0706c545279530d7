// One kernel that reads boxes, whatever their shape: a warp loads, four warps fold what has come. And its twins.
#pragma once

#include <tma/device/cache_policy.hpp>
#include <tma/tma.hpp>

#include "spec.hpp"

namespace geometry {

inline constexpr int consumers = 4, engine_threads = 32 * (consumers + 1), plain_threads = 256, plain_each = 4;
inline constexpr int ring_bytes = 32 * 1024, blocks_on_each = 4;

template <int Rank> __device__ __forceinline__ tma::Coord<Rank> place(const Boxes& b, int t) {
  tma::Coord<Rank> at;
#pragma unroll
  for (int d = Rank - 1; d >= 0; --d) {
    at[d] = (t & ((1 << b.shift[d]) - 1)) * b.step[d] + b.origin[d];
    t >>= b.shift[d];
  }
  return at;
}

__device__ __forceinline__ void fold(unsigned& all, const uint4& v) { all ^= v.x ^ v.y ^ v.z ^ v.w; }
__device__ __forceinline__ void add(unsigned all, unsigned* result) {
  all = __reduce_xor_sync(0xffffffff, all);
  if (threadIdx.x % 32 == 0) atomicXor(result + blockIdx.x % results * 8, all);
}

__device__ __forceinline__ tma::CachePolicy policy_of(Hint hint) {
  if (hint == Hint::evict_first) return tma::evict_first();
  if (hint == Hint::evict_last) return tma::evict_last();
  return tma::evict_unchanged();
}

// `TileT` is the room of a stage: the box has as many bytes.
template <class TileT, int Rank, bool Hinted>
__global__ void __launch_bounds__(engine_threads)
    read(const __grid_constant__ tma::TmaDescriptor<const typename TileT::value_type, Rank> in, Boxes boxes, Hint hint,
         unsigned* result) {
  constexpr int stages = ring_bytes / TileT::payload_bytes, in_vector = 16 / int(sizeof(typename TileT::value_type));
  using Pipe      = tma::Pipeline<stages, TileT>;
  const int first = int(blockIdx.x), step = int(gridDim.x);
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        const auto policy = policy_of(hint);
        for (int t = first; t < boxes.total; t += step)
          producer.next([&](auto& stage) {
            const auto at = place<Rank>(boxes, t & (boxes.count - 1));
            if constexpr (Hinted) stage.load(in, at, tma::slot<0>, policy);
            else stage.load(in, at, tma::slot<0>);
          });
      },
      tma::consumer_warps<consumers>,
      [&](auto& consumer) {
        unsigned all = 0;
        for (int t = first; t < boxes.total; t += step)
          consumer.next([&](const TileT& tile) {
            for (const auto& v : consumer.template vectors<in_vector>(tile)) fold(all, reinterpret_cast<const uint4&>(v));
          });
        add(all, result);
      });
}

}  // namespace geometry
