// The simple form on the library: the first block of a cluster loads, for all; the others say what comes and when it may.
#include "sharing.cuh"

#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

namespace sharing {
namespace {

constexpr Reads reads     = Reads::all;
constexpr int   tile_rows = rows_of_tile(reads), stages = stages_of(tile_rows);
static_assert(stages == 3);

using Tile = tma::Tile<unsigned, tma::Shape<tile_rows, row_words>>;
using In   = tma::TmaDescriptor<const unsigned, 2, Tile>;

template <int Blocks> struct Room {
  Tile                                    tiles[stages];
  tma::LoadBarrier                        full[stages];
  tma::Mbarrier<releases(reads)>          free[stages];      // this block's warps have read the tile
  tma::Mbarrier<releases(reads) * Blocks> all_free[stages];  // those of all blocks: in the first
};

template <int Blocks>
__global__ void __launch_bounds__(threads(reads)) one_loads(const __grid_constant__ In in, Work work, unsigned* folded) {
  auto& s                                                                    = tma::shared<Room<Blocks>>();
  auto [cluster, full0, full1, full2, free0, free1, free2, all0, all1, all2] = tma::this_cluster<Blocks>(
      s.full[0], s.full[1], s.full[2], s.free[0], s.free[1], s.free[2], s.all_free[0], s.all_free[1], s.all_free[2]);
  const auto& block = cluster.block();

  if (block.rank() < 32) {
    if (auto issuer = cluster.elect()) {
      Walk       walk(work);
      const auto load = [&](int i, int t, auto& full, auto& free, auto& all_free) {
        if (i + t >= work.steps) return;
        if (cluster.rank() == 0) {
          if (i > 0) all_free.wait_to_refill();
          issuer.load(in, {walk.index() * tile_rows, 0}, s.tiles[t], full, cluster.everyone());
          walk.next();
        } else {
          if (i > 0) free.wait();  // its phase is over: the next may be expected
          issuer.expect(s.tiles[t], full);
        }
      };
      for (int i = 0; i < work.steps; i += stages) {
        load(i, 0, full0, free0, all0);
        load(i, 1, full1, free1, all1);
        load(i, 2, full2, free2, all2);
      }
    }
  } else {
    const int   mine = block.rank() - 32;
    Fold<reads> fold;
    const auto  use = [&](int i, int t, auto& full) {
      if (i + t >= work.steps) return;
      full.wait();
      fold.take(s.tiles[t].data(), Tile::size, mine, i + t);
      __syncwarp();
      if (mine % 32 == 0) {
        if (cluster.rank() > 0) s.free[t].arrive();
        cluster.peer(s.all_free[t], 0).arrive();
      }
    };
    for (int i = 0; i < work.steps; i += stages) {
      use(i, 0, full0);
      use(i, 1, full1);
      use(i, 2, full2);
    }
    folded[int(blockIdx.x) * Fold<reads>::threads + mine] = fold.value;
  }
}

template <int Blocks> Way make() {
  Way way;
  way.form      = Form::one;
  way.reads     = reads;
  way.blocks    = Blocks;
  way.tile_rows = tile_rows;
  way.stages    = stages;
  way.shared    = int(tma::shared_bytes<Room<Blocks>>);
  way.kernel    = reinterpret_cast<const void*>(one_loads<Blocks>);
  way.launch    = [](const Source& s) {
    const auto in = tma::make_descriptor<Tile>(tma::TensorView{s.matrix, {s.rows, row_words}});
    tma::launch(one_loads<Blocks>,
                {.grid    = s.work.clusters * Blocks,
                 .block   = threads(reads),
                 .shared  = tma::shared_bytes<Room<Blocks>>,
                 .cluster = Blocks},
                in, s.work, s.folded);
  };
  return way;
}

}  // namespace

Way ours_one(int blocks) { return blocks == 2 ? make<2>() : blocks == 4 ? make<4>() : make<8>(); }

}  // namespace sharing
