// scale_2d on the library: kernel, descriptors, launch.
#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<32, 32>>;

__global__ void scale(const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> in,
                      const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> out, float factor) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const tma::Coord<2> at{blockIdx.y * 32, blockIdx.x * 32};

  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  for (auto& x : block.elements(tile)) x *= factor;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out, at, ready).wait_source_free();
}

void run(float* a, float* b, int rows, int columns) {
  auto in  = tma::make_descriptor<Tile>(tma::TensorView{a, {rows, columns}});
  auto out = tma::make_descriptor<Tile>(tma::TensorView{b, {rows, columns}});
  tma::launch(scale, {.grid = {columns / 32, rows / 32}, .block = 256}, in, out, 2.f);
}
