// One kernel that reads a matrix, tile by tile, with whoever loads; and one that has no tiles.
#pragma once

#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>
#include <tma/tma.hpp>

namespace fallback {

using Element = unsigned short;  // the smallest granule of interest is 2 bytes
using Tile    = tma::Tile<Element, tma::Shape<32, 128>>;

constexpr int stages = 4, threads = 256, producer_warps = 4;

// Whole tiles.
struct Matrix {
  int rows, columns;

  __host__ __device__ int tiles_across() const { return columns / 128; }
  __host__ __device__ int tiles() const { return rows / 32 * tiles_across(); }
  __host__ __device__ tma::Coord<2> at(int tile) const { return {tile / tiles_across() * 32, tile % tiles_across() * 128}; }
  // How many tiles block `b` of `n` reads: b, b + n, ...
  __host__ __device__ int steps(int b, int n) const { return (tiles() - b + n - 1) / n; }
};

// What is done with the bytes: as little as shows that all were read, in whatever order.
__device__ __forceinline__ void fold(unsigned& all, const void* vector) {
  const auto v = *static_cast<const uint4*>(vector);
  all ^= v.x ^ v.y ^ v.z ^ v.w;
}
__device__ __forceinline__ void add(unsigned all, unsigned* result) {
  all = __reduce_xor_sync(0xffffffff, all);
  if (threadIdx.x % 32 == 0) atomicXor(result, all);
}

template <class Loads> using Pipe       = tma::Pipeline<stages, Loads, Tile>;
template <class Loads> using Descriptor = tma::descriptor_for<Loads, const Element, 2, Tile>;

// Every thread consumes; one issues, or all load.
template <class Loads>
__global__ void __launch_bounds__(threads)
    all_threads(const __grid_constant__ Descriptor<Loads> in, Matrix m, unsigned* result) {
  Pipe<Loads> pipe(tma::shared<typename Pipe<Loads>::Shared>());
  const int   first = int(blockIdx.x), step = int(gridDim.x);
  unsigned    all = 0;
  pipe.for_each(
      m.steps(first, step), [&](auto load, int i) { load(in, m.at(first + i * step)); },
      [&](const Tile& tile, int) {
        for (int v = int(threadIdx.x); v < Tile::size / 8; v += threads) fold(all, &tile.vector<8>(v));
      });
  add(all, result);
}

// Warps of their own fill the stages.
template <class Loads>
__global__ void __launch_bounds__(threads + 32 * producer_warps)
    roles(const __grid_constant__ Descriptor<Loads> in, Matrix m, unsigned* result) {
  const int first = int(blockIdx.x), step = int(gridDim.x), steps = m.steps(first, step);
  tma::specialize(
      tma::shared<typename Pipe<Loads>::Shared>(), tma::producer_warps<producer_warps>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto& stage) { stage.load(in, m.at(first + i * step)); });
      },
      tma::consumer_warps<threads / 32>,
      [&](auto& consumer) {
        unsigned all = 0;
        for (int i = 0; i < steps; ++i)
          consumer.next([&](const Tile& tile) {
            for (const auto& v : consumer.template vectors<8>(tile)) fold(all, &v);
          });
        add(all, result);
      });
}

// No shared memory: loads of `Granule` bytes, each used at once.
template <class Granule>
__global__ void __launch_bounds__(threads) plain(const Element* in, long long pitch, Matrix m, unsigned* result) {
  constexpr int elements = int(sizeof(Granule) / sizeof(Element)), across = 128 / elements;
  unsigned      all = 0;
  for (int tile = int(blockIdx.x); tile < m.tiles(); tile += int(gridDim.x)) {
    const auto at = m.at(tile);
    for (int v = int(threadIdx.x); v < 32 * across; v += threads) {
      const Granule g = *reinterpret_cast<const Granule*>(in + (at[0] + v / across) * pitch + at[1] + v % across * elements);
      if constexpr (sizeof(Granule) == 16) all ^= g.x ^ g.y ^ g.z ^ g.w;
      else if constexpr (sizeof(Granule) == 8) all ^= g.x ^ g.y;
      else if constexpr (sizeof(Granule) == 4) all ^= g;
      else all ^= unsigned(g) << v % 2 * 16;
    }
  }
  add(all, result);
}

}  // namespace fallback
