// What to keep in the second-level cache: a table that every block reads stays, tiles that are read once go first, and the
// tile after this one is on its way there meanwhile.
#include <tma/device/cache_policy.hpp>
#include <tma/device/prefetch.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;

// clang-format off
// [program]
__global__ void weigh(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> in,
                      const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> weights, float* out, int tiles) {
  struct Shared { Tile tile, weight; tma::LoadBarrier barrier; };
  auto& [tile, weight, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const auto once = tma::evict_first(), often = tma::evict_last();

  for (int i = 0; i < tiles; ++i) {
    const int row = (int(blockIdx.x) * tiles + i) * 32;
    if (auto issuer = block.elect()) {
      tma::LoadBatch(issuer, arrived).load(in, {row, 0}, tile, once).load(weights, {i * 32, 0}, weight, often);
      if (i + 1 < tiles) issuer.prefetch(in, {row + 32, 0}, once);
    }
    arrived.wait();
    for (int k = block.rank(); k < Tile::size; k += block.size()) out[row * 32 + k] = tile[k] * weight[k];
    block.release(tile);
  }
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    const int             blocks = 33, tiles = 5;
    auto                  a = example::Array<float>::random(blocks * tiles * Tile::size);
    auto                  w = example::Array<float>::random(tiles * Tile::size);
    example::Array<float> b(a.host.size());

    auto in      = tma::make_descriptor<Tile>(tma::TensorView{a.device, {blocks * tiles * 32, 32}});
    auto weights = tma::make_descriptor<Tile>(tma::TensorView{w.device, {tiles * 32, 32}});
    tma::launch(weigh, {.grid = blocks, .block = 128}, in, weights, b.device, tiles);

    b.download();
    return example::verify("cache", b.host, [&](std::size_t i) { return a.host[i] * w.host[i % w.host.size()]; });
  });
}
