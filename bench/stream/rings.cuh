// The same with blocks that stay, and a ring of tiles: by a stride, or by demand.
#pragma once

#include <tma/pipeline/atomic_tiles.hpp>
#include <tma/pipeline/in_place_roles.hpp>

#include "kernels.cuh"

namespace stream {

// What a block that stays has of `tiles`.
struct Share {
  int first, step, count;
  __device__ explicit Share(int tiles)
      : first(int(blockIdx.x)),
        step(int(gridDim.x)),
        count((tiles - first + step - 1) / step) {}
  __device__ int tile(int i) const { return first + i * step; }
};

template <int Stages, class Tile, int Inputs> struct RingsOf {
  using loads     = tma::Pipeline<Stages, Tile>;
  using in_place  = tma::InPlacePipeline<Stages, Tile>;
  using by_demand = tma::Pipeline<Stages, Tile, tma::Meta<tma::TileOrEnd>>;
};
template <int Stages, class Tile> struct RingsOf<Stages, Tile, 2> {
  using loads     = tma::Pipeline<Stages, Tile, Tile>;
  using in_place  = tma::InPlacePipeline<Stages, Tile, Tile>;
  using by_demand = tma::Pipeline<Stages, Tile, Tile, tma::Meta<tma::TileOrEnd>>;
};

// The loads of a step, of one input or two.
template <class Tile, class Op, class Stage, class In>
__device__ __forceinline__ void load_step(const Stage& stage, const In& a, const In& b, int tile) {
  with_hint<Loads::kept>([&](const auto&... hint) {
    stage.load(a.template chunk<Tile::size>(tile), tma::slot<0>, hint...);
    if constexpr (Op::inputs == 2) stage.load(b.template chunk<Tile::size>(tile), tma::slot<1>, hint...);
  });
}

// All threads compute and write; one of them loads ahead. By a stride.
template <class Tile, class Op, int Stages, int Threads, class In, class Out>
__global__ void __launch_bounds__(Threads) ring(const __grid_constant__ In a, const __grid_constant__ In b,
                                                const __grid_constant__ Out y, Op op, int tiles, unsigned*) {
  using Pipe = typename RingsOf<Stages, Tile, Op::inputs>::loads;
  Pipe        pipe(tma::shared<typename Pipe::Shared>());
  const Share share(tiles);
  const auto  issue = [&](auto loads, int i) { load_step<Tile, Op>(loads, a, b, share.tile(i)); };
  const auto  use   = [&](const Tile& x, const Tile& z, int i) {
    write<Threads>(y.template chunk<Tile::size>(share.tile(i)).get(), op, x, z, int(threadIdx.x));
  };
  if constexpr (Op::inputs == 2) pipe.for_each(share.count, issue, use);
  else pipe.for_each(share.count, issue, [&](const Tile& x, int i) { use(x, x, i); });
}

// A warp loads and stores; the others change the tile where it lies. By a stride.
template <class Tile, class Op, int Stages, int Threads, class In, class Out>
__global__ void __launch_bounds__(Threads + 32) in_place(const __grid_constant__ In a, const __grid_constant__ In b,
                                                         const __grid_constant__ Out y, Op op, int tiles, unsigned*) {
  using Pipe = typename RingsOf<Stages, Tile, Op::inputs>::in_place;
  const Share share(tiles);
  tma::transform(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(
            share.count, [&](auto loads, int i) { load_step<Tile, Op>(loads, a, b, share.tile(i)); },
            [&](auto stores, int i) { stores.store(y.template chunk<Tile::size>(share.tile(i)), tma::slot<0>); });
      },
      tma::consumer_warps<Threads / 32>,
      [&](auto& worker) {
        const auto work = [&](Tile& x, const Tile& z) {
          if constexpr (!Op::moves) change<Threads>(x, z, op, worker.rank());
        };
        for (int i = 0; i < share.count; ++i) {
          if constexpr (Op::inputs == 2) worker.next([&](Tile& x, Tile& z) { work(x, z); });
          else worker.next([&](Tile& x) { work(x, x); });
        }
      });
}

// A warp takes tiles from a counter and loads them; the others compute and write. All blocks together go through the arrays
// from their beginning to their end, whoever is late.
template <class Tile, class Op, int Stages, int Threads, class In, class Out>
__global__ void __launch_bounds__(Threads + 32)
    by_demand(const __grid_constant__ In a, const __grid_constant__ In b, const __grid_constant__ Out y, Op op, int tiles,
              unsigned* counter) {
  using Pipe = typename RingsOf<Stages, Tile, Op::inputs>::by_demand;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        tma::AtomicTiles next(tiles, counter);
        while (const auto tile = next.next())
          producer.next([&](auto& stage) {
            stage.meta() = tile;
            load_step<Tile, Op>(stage, a, b, tile.index());
          });
        producer.next([&](auto& stage) { stage.meta() = tma::TileOrEnd{}; });
      },
      tma::consumer_warps<Threads / 32>,
      [&](auto& consumer) {
        bool       more = true;
        const auto use  = [&](const Tile& x, const Tile& z, const tma::TileOrEnd& tile) {
          more = bool(tile);
          if (more) write<Threads>(y.template chunk<Tile::size>(tile.index()).get(), op, x, z, consumer.rank());
        };
        while (more) {
          if constexpr (Op::inputs == 2) consumer.next(use);
          else consumer.next([&](const Tile& x, const tma::TileOrEnd& tile) { use(x, x, tile); });
        }
      });
}

}  // namespace stream
