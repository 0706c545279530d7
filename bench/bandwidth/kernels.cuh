// The kernels of this library that read: a ring whose tiles are folded and thrown away.
#pragma once

#include <tma/tma.hpp>

#include "bandwidth.hpp"
#include "fold.cuh"

namespace bandwidth {

// Tile `i` of one dimension, and of a matrix, row by row of tiles.
template <class Tile, class Load> __device__ void ask(Load& load, const tma::AlignedPointer<const Word>& in, int i) {
  load.load(in.chunk<Tile::size>(i));
}
template <class Tile, class Load, class Box>
__device__ void ask(Load& load, const tma::TmaDescriptor<const Word, 2, Box>& in, int i) {
  constexpr int width = Tile::row_elements, height = Tile::size / width, across = Source::columns / width;
  load.load(in, {i / across * height, i % across * width});
}

// A warp loads, the others fold.
template <class Tile, int Stages, class In>
__global__ void __launch_bounds__(consumers + 32) roles(const __grid_constant__ In in, int tiles, Word* sum) {
  using Ring      = tma::Pipeline<Stages, Tile>;
  const int first = int(blockIdx.x), step = int(gridDim.x), steps = (tiles - first + step - 1) / step;
  tma::specialize(
      tma::shared<typename Ring::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto& stage) { ask<Tile>(stage, in, first + i * step); });
      },
      tma::consumer_warps<consumers / 32>,
      [&](auto& consumer) {
        Word all = 0;
        for (int i = 0; i < steps; ++i)
          consumer.next([&](const Tile& tile) {
            for (const auto& v : consumer.template vectors<4>(tile)) fold(all, v);
          });
        give(all, sum);
      });
}

// Every thread folds; one of them loads.
template <class Tile, int Stages, class In>
__global__ void __launch_bounds__(consumers) all_threads(const __grid_constant__ In in, int tiles, Word* sum) {
  using Ring = tma::Pipeline<Stages, Tile>;
  Ring      ring(tma::shared<typename Ring::Shared>());
  const int first = int(blockIdx.x), step = int(gridDim.x), steps = (tiles - first + step - 1) / step;
  Word      all = 0;
  ring.for_each(
      steps, [&](auto load, int i) { ask<Tile>(load, in, first + i * step); },
      [&](const Tile& tile, int) {
#pragma unroll
        for (int v = int(threadIdx.x); v < Tile::size / 4; v += consumers) fold(all, tile.template vector<4>(v));
      });
  give(all, sum);
}

template <class Tile, int Stages, class In> void add_ring(Readers& to, const char* name, const In& in, const Source& s) {
  constexpr int shared = int(tma::shared_bytes<typename tma::Pipeline<Stages, Tile>::Shared>);
  const int     tiles  = int(s.words / Tile::size);
  const auto    add    = [&](const char* how, auto kernel, int threads) {
    const Config config{std::string(name) + ": " + how, Tile::payload_bytes, Stages, 0};
    add_for_blocks(to, harness::Kind::ours, config, kernel, threads, shared, [=](int blocks) {
      tma::launch(kernel, {.grid = blocks * s.multiprocessors, .block = threads, .shared = tma::detail::u64(shared)}, in,
                  tiles, s.sum);
    });
  };
  add("a warp loads", roles<Tile, Stages, In>, consumers + 32);
  add("all threads", all_threads<Tile, Stages, In>, consumers);
}

// Each number of stages whose ring fits a block.
template <class Tile, class In> void add_rings(Readers& to, const char* name, const In& in, const Source& s) {
  constexpr int room = 224 * 1024 / Tile::payload_bytes;
  add_ring<Tile, 2>(to, name, in, s);
  if constexpr (room >= 4) add_ring<Tile, 4>(to, name, in, s);
  if constexpr (room >= 8) add_ring<Tile, 8>(to, name, in, s);
  if constexpr (room >= 16) add_ring<Tile, 16>(to, name, in, s);
}

}  // namespace bandwidth
