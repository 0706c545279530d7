// The kernels of this library: y = op(a, b), element by element. Arrays are dense, or matrices of which a block has a box.
#pragma once

#include <tma/device/cache_policy.hpp>
#include <tma/tma.hpp>

#include "ops.hpp"

namespace stream {

template <class T> inline constexpr int per_vector = 16 / int(sizeof(T));

template <class Op, class T, int N>
__device__ __forceinline__ tma::Vec<T, N> apply(const Op& op, const tma::Vec<T, N>& a, const tma::Vec<T, N>& b) {
  tma::Vec<T, N> y;
#pragma unroll
  for (int k = 0; k < N; ++k)
    if constexpr (Op::inputs == 2) y[k] = op(a[k], b[k]);
    else y[k] = op(a[k]);
  return y;
}

// What loads ask of the second-level cache. Kept: the priority evict_last, although nothing is read twice. The same bytes go to
// and from memory (counted), in less time: what is written leaves the cache earlier than what was read.
enum class Loads { usual, kept };

template <Loads How, class F> __device__ __forceinline__ void with_hint(F&& f) {
  if constexpr (How == Loads::kept) f(tma::evict_last());
  else f();
}

// The block's tile of an array: a chunk of it, or a box of a matrix, row by row of boxes as the grid has them.
template <class Tile, class T, class... Hint>
__device__ void load(auto& batch, const tma::AlignedPointer<const T>& in, Tile& tile, const Hint&... hint) {
  batch.load(in.template chunk<Tile::size>(blockIdx.x), tile, hint...);
}
template <class Tile, class T, class Box, class... Hint>
__device__ void load(auto& batch, const tma::TmaDescriptor<const T, 2, Box>& in, Tile& tile, const Hint&... hint) {
  batch.load(in, {blockIdx.y * (Tile::size / Tile::row_elements), blockIdx.x * Tile::row_elements}, tile, hint...);
}
template <class Tile, class T>
__device__ void store(const tma::Issuer& issuer, const tma::AlignedPointer<T>& out, const tma::Published<Tile>& tile) {
  issuer.store(out.template chunk<Tile::size>(blockIdx.x), tile).wait_source_free();
}
template <class Tile, class T, class Box>
__device__ void store(const tma::Issuer& issuer, const tma::TmaDescriptor<T, 2, Box>& out,
                      const tma::Published<Tile>& tile) {
  issuer.store(out, {blockIdx.y * (Tile::size / Tile::row_elements), blockIdx.x * Tile::row_elements}, tile)
      .wait_source_free();
}

// The results of a tile by threads, each from its registers.
template <int Threads, class Tile, class Op, class T>
__device__ __forceinline__ void write(T* y, const Op& op, const Tile& a, const Tile& b, int rank) {
  constexpr int vector = per_vector<T>;
  auto* const   out    = reinterpret_cast<tma::Vec<T, vector>*>(y);
#pragma unroll
  for (int v = rank; v < Tile::size / vector; v += Threads)
    out[v] = apply(op, a.template vector<vector>(v), b.template vector<vector>(v));
}
// In the place of a, for the engine to store.
template <int Threads, class Tile, class Op>
__device__ __forceinline__ void change(Tile& a, const Tile& b, const Op& op, int rank) {
  constexpr int vector = per_vector<typename Tile::value_type>;
#pragma unroll
  for (int v = rank; v < Tile::size / vector; v += Threads)
    a.template vector<vector>(v) = apply(op, a.template vector<vector>(v), b.template vector<vector>(v));
}

// Who writes the results to memory.
enum class Writes { threads, engine };

// A block for each tile, which is gone when its results are. What keeps the memory busy is how many of them a multiprocessor
// has at once.
template <class Tile, class Op, Loads How, Writes By, int Threads, class In, class Out>
__global__ void __launch_bounds__(Threads)
    once(const __grid_constant__ In a, const __grid_constant__ In b, const __grid_constant__ Out y, Op op) {
  constexpr int last = Op::inputs - 1;
  struct Shared {
    Tile             in[Op::inputs];
    tma::LoadBarrier barrier;
  };
  auto& shared          = tma::shared<Shared>();
  auto& in              = shared.in;
  auto [block, barrier] = tma::this_block<Threads>(shared.barrier);
  auto& arrived         = barrier;  // a lambda does not capture a structured binding everywhere
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, arrived);
    with_hint<How>([&](const auto&... hint) {
      load(batch, a, in[0], hint...);
      if constexpr (last > 0) load(batch, b, in[last], hint...);
    });
  }
  if constexpr (Op::moves && By == Writes::engine) {
    if (auto issuer = block.elect()) {
      arrived.wait();
      store(issuer, y, tma::as_loaded(in[0]));
    }
  } else if constexpr (By == Writes::engine) {
    arrived.wait();
    change<Threads>(in[0], in[last], op, block.rank());
    auto ready = block.publish(in[0]);
    if (auto issuer = block.elect()) store(issuer, y, ready);
  } else {
    arrived.wait();
    write<Threads>(y.template chunk<Tile::size>(blockIdx.x).get(), op, in[0], in[last], block.rank());
  }
}

template <class T> __host__ __device__ inline int elements_past_boundary(const T* p) {
  return int(reinterpret_cast<unsigned long long>(p) % 128 / sizeof(T));
}

// Any pointers and any length. A block copies `Count` elements, from the boundary of 128 bytes at or before y on: only the
// first and the last have ends that threads move, where both pointers lie alike.
template <class T, int Count, int Threads> __global__ void __launch_bounds__(Threads) ragged(const T* a, T* y, long long n) {
  struct Shared {
    tma::RaggedBuffer<T, Count> tile;
    tma::LoadBarrier            barrier;
  };
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block<Threads>(shared.barrier);
  const long long begin = (long long)(blockIdx.x) * Count - elements_past_boundary(y), end = begin + Count;
  const long long first = begin > 0 ? begin : 0;
  const int       count = int((end < n ? end : n) - first);
  tma::BulkCopy1D copy;
  auto            data = copy.load(block, shared.tile, a + first, count, arrived, tma::evict_last());
  arrived.wait();
  copy.store(block, y + first, tma::as_loaded(data));
}

}  // namespace stream
