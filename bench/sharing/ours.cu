// The library's ring: of each block alone, and with tiles that the blocks of a cluster load for one another.
#include "sharing.cuh"

#include <tma/pipeline/cluster_parts.hpp>
#include <tma/tma.hpp>

namespace sharing {
namespace {

template <int Rows> using Tile = tma::Tile<unsigned, tma::Shape<Rows, row_words>>;

// What a block of a cluster has of a stage: all of the tile, or a slice that it brings for the others as well.
template <int Blocks, int Rows> struct Part {
  using type   = tma::SharedInCluster<Tile<Rows>, tma::ClusterShape<Blocks>>;
  using loaded = tma::slice_t<Tile<Rows>, Blocks>;
};
template <int Rows> struct Part<1, Rows> {
  using type   = Tile<Rows>;
  using loaded = Tile<Rows>;
};

template <int Blocks, int Rows> using Pipe = tma::Pipeline<stages_of(Rows), typename Part<Blocks, Rows>::type>;
template <int Blocks, int Rows> using In   = tma::TmaDescriptor<const unsigned, 2, typename Part<Blocks, Rows>::loaded>;

template <Reads R>
constexpr auto consumers = tma::consumer_groups < 1,
               consumer_warps(R), 0, R == Reads::all_then_meet ? tma::ReleaseBy::group : tma::ReleaseBy::warp > ;

template <Reads R, int Blocks, int Rows>
__global__ void __launch_bounds__(threads(R))
    ring(const __grid_constant__ In<Blocks, Rows> in, Work work, unsigned* folded) {
  tma::specialize(
      tma::shared<typename Pipe<Blocks, Rows>::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        Walk walk(work);
        for (int i = 0; i < work.steps; ++i, walk.next())
          producer.next([&](auto& stage) { stage.load(in, {walk.index() * Rows, 0}); });
      },
      consumers<R>,
      [&](auto& consumer) {
        Fold<R> fold;
        for (int i = 0; i < work.steps; ++i)
          consumer.next([&](const Tile<Rows>& tile) { fold.take(tile.data(), Tile<Rows>::size, consumer.rank(), i); });
        folded[int(blockIdx.x) * Fold<R>::threads + consumer.rank()] = fold.value;
      });
}

// `Sharing`: 1 where each of the `blocks` loads for itself.
template <Reads R, int Sharing, int Rows> Way make(int blocks = Sharing) {
  Way way;
  way.form      = Sharing > 1 ? Form::slices : Form::each;
  way.reads     = R;
  way.blocks    = blocks;
  way.tile_rows = Rows;
  way.stages    = stages_of(Rows);
  way.shared    = int(tma::shared_bytes<typename Pipe<Sharing, Rows>::Shared>);
  way.kernel    = reinterpret_cast<const void*>(ring<R, Sharing, Rows>);
  way.launch    = [blocks](const Source& s) {
    const auto in =
        tma::make_descriptor<typename Part<Sharing, Rows>::loaded>(tma::TensorView{s.matrix, {s.rows, row_words}});
    tma::launch(ring<R, Sharing, Rows>,
                {.grid    = s.work.clusters * s.work.sharing,
                 .block   = threads(R),
                 .shared  = tma::shared_bytes<typename Pipe<Sharing, Rows>::Shared>,
                 .cluster = blocks},
                in, s.work, s.folded);
  };
  return way;
}

template <Reads R, int Rows> void add(std::vector<Way>& to) {
  to.push_back(make<R, 2, Rows>());
  to.push_back(make<R, 4, Rows>());
  to.push_back(make<R, 8, Rows>());
}

}  // namespace

std::vector<Way> ours() {
  std::vector<Way> ways;
  add<Reads::sample, 16>(ways);
  add<Reads::all, 32>(ways);
  add<Reads::all_then_meet, 32>(ways);
  return ways;
}

Way ours_each(Reads reads, int blocks) {
  switch (reads) {
    case Reads::sample: return make<Reads::sample, 1, 16>(blocks);
    case Reads::all: return make<Reads::all, 1, 32>(blocks);
    case Reads::all_then_meet: break;
  }
  return make<Reads::all_then_meet, 1, 32>(blocks);
}

}  // namespace sharing
