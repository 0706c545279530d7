// A step of an optimiser: weights and momenta are loaded, changed where they lie in shared memory, and stored from there;
// gradients are loaded beside them and only read. One warp moves, the others compute, and no tile is copied.
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int workers = 4;

// clang-format off
// [program]
using Tile   = tma::Tile<float, tma::Shape<16, 64>>;
using Ring   = tma::InPlacePipeline<3, Tile, Tile, Tile>;              // a stage: weights, momenta, gradients
using Read   = tma::TmaDescriptor<const float, 2, Tile>;
using Update = tma::TmaDescriptor<float, 2, Tile>;

__global__ void step(const __grid_constant__ Update weights, const __grid_constant__ Update momenta,
                     const __grid_constant__ Read gradients, int across, int tiles, float decay, float rate) {
  // Block b takes tiles b, b + grid, b + 2 grid, ...
  const int  first = int(blockIdx.x), stride = int(gridDim.x), mine = first < tiles ? (tiles - first - 1) / stride + 1 : 0;
  const auto at    = [=](int i) {
    const int tile = first + i * stride;
    return tma::Coord<2>{tile / across * 16, tile % across * 64};
  };

  tma::transform(tma::shared<Ring::Shared>(),
    tma::producer_warp<0>, [&](auto& mover) {                           // one thread
      mover.for_each(mine,
        [&](auto load, int i) {
          load(weights, at(i), tma::slot<0>);
          load(momenta, at(i), tma::slot<1>);
          load(gradients, at(i), tma::slot<2>);
        },
        [&](auto store, int i) {                                        // when all have changed the stage
          store(weights, at(i), tma::slot<0>);
          store(momenta, at(i), tma::slot<1>);
        });
    },
    tma::consumer_warps<workers>, [&](auto& worker) {
      for (int i = 0; i < mine; ++i)
        worker.next([&](Tile& weight, Tile& momentum, const Tile& gradient) {
          for (int k = worker.rank(); k < Tile::size; k += worker.size()) {
            momentum[k] = decay * momentum[k] + gradient[k];
            weight[k] -= rate * momentum[k];
          }
        });
    });
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    // Neither extent is a multiple of the tile's.
    const int   rows = 1003, columns = 500, across = (columns + 63) / 64, tiles = across * ((rows + 15) / 16);
    const float decay = 0.5f, rate = 0.25f;
    auto        weight   = example::Array<float>::random(rows * columns);
    auto        momentum = example::Array<float>::random(rows * columns);
    auto        gradient = example::Array<float>::random(rows * columns);

    auto w = tma::make_descriptor<Tile>(tma::TensorView{weight.device, {rows, columns}});
    auto m = tma::make_descriptor<Tile>(tma::TensorView{momentum.device, {rows, columns}});
    auto g = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(gradient.device), {rows, columns}});

    std::vector<float> expected(weight.host);
    for (int round = 0; round < 3; ++round) {
      tma::launch(step, {.grid = 60, .block = 32 * (workers + 1)}, w, m, g, across, tiles, decay, rate);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        momentum.host[i] = decay * momentum.host[i] + gradient.host[i];
        expected[i] -= rate * momentum.host[i];
      }
    }
    weight.download();
    return example::verify("in_place", weight.host, [&](std::size_t i) { return expected[i]; });
  });
}
