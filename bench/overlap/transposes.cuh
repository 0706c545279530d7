// The transpose of a matrix in both shapes, over tile, threads, stages and blocks. A block a tile is bench/transpose's kernel.
#pragma once

#include <tma/pipeline/pipeline.hpp>

#include "../transpose/turn.cuh"
#include "candidates.cuh"

namespace overlap {

// Blocks that stay, with a ring of tiles. They take the tiles in the order in which those of `transpose::one_way` come: `down`
// of a panel, then the next of `panels`.
template <class S, int Threads, int Stages>
__global__ void __launch_bounds__(Threads)
    turn_in_ring(const __grid_constant__ typename S::FromWhole from, typename S::Element* to,
                 const __grid_constant__ transpose::Work w, transpose::Order order, int down, int panels) {
  using Ring = tma::Pipeline<Stages, typename S::Whole>;
  Ring               ring(tma::shared<typename Ring::Shared>());
  const sweep::Share share(sweep::Work{down * panels, 0});
  const auto         place = [&](int i) {
    const int tile = share.tile(i), panel = tile / down;
    return transpose::Place{0, tile % down * S::rows, (order.two ? transpose::in_turns(panel, panels) : panel) * S::columns};
  };
  ring.for_each(
      share.count,
      [&](auto load, int i) {
        const transpose::Place at = place(i);
        load(from, {at.column / S::width, 0, at.row / S::v, 0}, tma::evict_last());
      },
      [&](const auto& tile, int i, auto& stage) {
        const transpose::Part<S, Threads> part(tile, int(threadIdx.x));
        stage.release();
        transpose::store(part, place(i), to, w);
      });
}

// Calls make.template operator()<Tiles, Threads>() for each tile of at most 32 KiB whose sides are one to four times each other
// and no shorter than a piece, with every number of threads that have work and registers for it.
template <class T, class Make> void each_shape(Make&& make) {
  const auto of = [&]<int Down, int Across>() {  // pieces
    constexpr int width = 8 * transpose::vector<T>;
    using Tiles         = transpose::Tiles<T, Down * width, Across * width>;
    const auto by       = [&]<int Threads>() {
      constexpr int squares   = 64 * Down * Across;  // of v x v elements
      constexpr int registers = squares / Threads * 4 * transpose::vector<T>;
      if constexpr (squares % Threads == 0 && registers <= 64) make.template operator()<Tiles, Threads>();
    };
    if constexpr (Tiles::bytes <= 32 * 1024) {
      if constexpr (Down * Across == 1) by.template operator()<64>();
      by.template operator()<128>();
      by.template operator()<256>();
    }
  };
  of.template operator()<1, 1>();
  of.template operator()<2, 1>();
  of.template operator()<1, 2>();
  of.template operator()<4, 1>();
  of.template operator()<2, 2>();
  of.template operator()<1, 4>();
  of.template operator()<4, 2>();
  of.template operator()<2, 4>();
}

template <class T>
std::vector<Candidate> transposes(const T* from, T* to, const transpose::Work& matrix, int multiprocessors) {
  std::vector<Candidate> all;
  const transpose::Order order = transpose::order_of<T>(matrix);
  each_shape<T>([&]<class Tiles, int Threads>() {
    constexpr Shape shape{Tiles::rows, Tiles::columns, Threads};
    const auto      add = [&](bool persistent, int stages, int blocks, const transpose::Prepared& prepared) {
      all.push_back({{persistent, Tiles::bytes, stages, blocks, shape},
                     double(blocks) * Tiles::bytes * stages,
                     [launch = prepared.launch](int) { launch(); }});
    };

    const auto once = transpose::one_way<Tiles, Threads>;
    const auto grid = transpose::grid_of(matrix, order, Tiles::rows, Tiles::columns);
    const int  fit  = transpose::blocks_that_fit(once, Threads, 0);
    const auto on   = [&](int blocks) {
      const int more = blocks == fit ? 0 : transpose::more_shared(blocks, sizeof(transpose::In<Tiles>));
      add(false, 1, blocks,
          transpose::prepare(once, grid, Threads, more, Tiles::bytes, Tiles::from(from, matrix), to, matrix, order));
    };
    on(fit);
    // Fewer, by asking for more shared memory than is used: down to what memory needs in flight. The last asks for most, and is
    // what the kernel is allowed from then on.
    for (const int in_flight : {128 * 1024, 96 * 1024, 64 * 1024})
      if (in_flight % Tiles::bytes == 0 && in_flight / Tiles::bytes < fit) on(in_flight / Tiles::bytes);

    const auto staying = [&]<int Stages>() {
      const auto     ring   = turn_in_ring<Tiles, Threads, Stages>;
      const unsigned shared = tma::shared_bytes<typename tma::Pipeline<Stages, typename Tiles::Whole>::Shared>;
      const int      fit    = transpose::blocks_that_fit(ring, Threads, int(shared));
      const int      down = matrix.rows / Tiles::rows, panels = matrix.columns / Tiles::columns;
      for (const int blocks : shares)
        if (blocks <= fit)
          add(true, Stages, blocks,
              transpose::prepare(ring, unsigned(blocks * multiprocessors), Threads, int(shared), Tiles::bytes,
                                 Tiles::from_whole(from, matrix), to, matrix, order, down, panels));
    };
    // Not of all shapes: of squares, and of those that are twice as high.
    if constexpr (Threads > 64 && Tiles::rows >= Tiles::columns && Tiles::rows <= 2 * Tiles::columns) {
      staying.template operator()<2>();
      staying.template operator()<4>();
    }
  });
  return all;
}

}  // namespace overlap
