// The transpose of a tile: its load by the engine, the turn in registers, the store by threads; and a kernel of them, a block a
// tile. bench/overlap has one whose blocks stay.
#pragma once

#include <tma/device/cache_policy.hpp>
#include <tma/tma.hpp>

#include "implementations.hpp"
#include "shapes.hpp"

namespace transpose {

// Vector i of a piece of a tile that came in pieces, and of one that came whole.
template <class S> __device__ __forceinline__ const auto& vector_of(const typename S::In* in, int piece, int i) {
  return in[piece].template vector<S::v>(i);
}
template <class S> __device__ __forceinline__ const auto& vector_of(const typename S::Whole& in, int piece, int i) {
  return in.template vector<S::v>(piece * S::rows * 8 + i);
}

// A thread's part of a tile: units of v x v elements. Neighbours have neighbours down a column.
template <class S, int Threads> class Part {
public:
  using Vector               = tma::Vec<typename S::Element, S::v>;
  static constexpr int v     = S::v;
  static constexpr int units = S::down * (S::columns / v) / Threads;
  static_assert(units * Threads == S::down * (S::columns / v));

  template <class In> __device__ Part(const In& in, int rank) : rank_(rank) {
#pragma unroll
    for (int n = 0; n < units; ++n)
#pragma unroll
      for (int k = 0; k < v; ++k) x_[n][k] = vector_of<S>(in, across(n) / 8, (k * S::down + down(n)) * 8 + across(n) % 8);
  }

  // Calls f(vector, column, down) for each vector of the output: the one that begins at row down * v.
  template <class F> __device__ void turned(F&& f) const {
#pragma unroll
    for (int n = 0; n < units; ++n)
#pragma unroll
      for (int j = 0; j < v; ++j) {
        Vector y;
#pragma unroll
        for (int k = 0; k < v; ++k) y[k] = x_[n][k][j];
        f(y, across(n) * v + j, down(n));
      }
  }

private:
  __device__ int down(int n) const { return (rank_ + n * Threads) % S::down; }
  __device__ int across(int n) const { return (rank_ + n * Threads) / S::down; }

  int    rank_;
  Vector x_[units][v];
};

// What is read once is to stay longest: lines that were written then leave L2 soon, in the order in which they came.
template <class S, class Block, class Barrier>
__device__ __forceinline__ void load(const Block& block, const typename S::From& from, const Place& at, typename S::In* in,
                                     const Barrier& loaded) {
  const auto last = tma::evict_last();
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, loaded);
#pragma unroll
    for (int i = 0; i < S::pieces_in; ++i)
      batch.load(from, {at.batch, 0, at.row / S::v, at.column + i * S::width}, in[i], last);
  }
}

// By threads: neighbours along a row.
template <class S, int Threads>
__device__ __forceinline__ void store(const Part<S, Threads>& part, const Place& at, typename S::Element* to,
                                      const Work& w) {
  to += at.batch * w.to_batch;
  part.turned([&](const auto& y, int column, int down) {
    const int c = at.column + column, r = at.row + down * S::v;
    if (c < w.columns && r < w.rows) *reinterpret_cast<tma::Vec<typename S::Element, S::v>*>(to + c * w.to_row + r) = y;
  });
}

template <class S> struct In {
  typename S::In   in[S::pieces_in];
  tma::LoadBarrier loaded;
};

// The engine loads, and threads store.
template <class S, int Threads>
__global__ void __launch_bounds__(Threads) one_way(const __grid_constant__ typename S::From from, typename S::Element* to,
                                                   const __grid_constant__ Work w, Order order) {
  auto& shared         = tma::shared<In<S>>();
  auto [block, loaded] = tma::this_block<Threads>(shared.loaded);
  const Place at       = place<S::rows, S::columns>(order);
  load<S>(block, from, at, shared.in, loaded);
  loaded.wait();
  store(Part<S, Threads>(shared.in, block.rank()), at, to, w);
}

// Descriptors and whatever else a kernel takes are made once.
template <class Kernel, class... Arguments>
Prepared prepare(Kernel kernel, dim3 grid, int threads, int more_shared, int bytes, const Arguments&... arguments) {
  const tma::LaunchConfig config{
      .grid = {grid.x, grid.y, grid.z}, .block = threads, .shared = tma::detail::u64(more_shared)};
  const double asked = in_flight(kernel, threads, more_shared, bytes);
  return {[=] { tma::launch(kernel, config, arguments...); }, asked};
}

}  // namespace transpose
