// A tile in, a tile out: each block loads one tile of a matrix, scales it, and stores it.
#include <tma/tma.hpp>

#include "example.hpp"

// clang-format off
// [program]
using Tile = tma::Tile<float, tma::Shape<32, 32>>;               // 4 KiB, aligned for the engine

__global__ void scale(const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> in,
                      const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> out, float factor) {
  struct Shared { Tile tile; tma::LoadBarrier barrier; };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);              // initialises, fences, synchronises: once
  const tma::Coord<2> at{blockIdx.y * 32, blockIdx.x * 32};      // row, column: as in C

  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  for (auto& x : block.elements(tile)) x *= factor;
  auto ready = block.publish(tile);                              // every writer fences, then the block meets
  if (auto issuer = block.elect()) issuer.store(out, at, ready).wait_source_free();
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    // Neither extent is a multiple of the tile: what lies outside is filled on the way in, and not written on the way out.
    const int             rows = 1000, columns = 2040;
    auto                  a = example::Array<float>::random(rows * columns);
    example::Array<float> b(rows * columns);

    auto in = tma::make_descriptor<Tile>(tma::TensorView{a.device, {rows, columns}});  // throws tma::Error: all broken rules
    auto out = tma::make_descriptor<Tile>(tma::TensorView{b.device, {rows, columns}});
    tma::launch(scale, {.grid = {(columns + 31) / 32, (rows + 31) / 32}, .block = 256}, in, out, 2.f);

    b.download();
    return example::verify("scale_2d", b.host, [&](std::size_t i) { return a.host[i] * 2; });
  });
}
