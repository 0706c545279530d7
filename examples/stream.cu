// Copy beside compute: each block walks its share of a matrix, tile by tile, with the next tiles already on their way.
#include <tma/tma.hpp>

#include "example.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;

// Tiles lie one below the other; block b walks tiles b, b + grid, ...
__device__ int tile_of(int i) { return int(blockIdx.x + i * gridDim.x); }

__device__ void consume(const Tile& tile, float* out, int i) {
  for (int k = int(threadIdx.x); k < Tile::size; k += int(blockDim.x))
    out[tile_of(i) * Tile::size + k] = sqrtf(fabsf(tile[k]));
}

__device__ tma::Coord<2> at(int i) { return {tile_of(i) * 32, 0}; }

// clang-format off
// [program]
using Pipe = tma::Pipeline<4, Tile>;
__global__ void stream(const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> in, float* out, int tiles) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(tiles, [&](auto load, int i) { load(in, at(i)); },                    // run by one elected thread, ahead of time
                       [&](const Tile& tile, int i) { consume(tile, out, i); });      // run by all threads
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    const int             blocks = 64, tiles = 37;  // for each block
    auto                  a = example::Array<float>::random(blocks * tiles * Tile::size);
    example::Array<float> b(a.host.size());

    auto in = tma::make_descriptor<Tile>(tma::TensorView{a.device, {blocks * tiles * 32, 32}});
    tma::launch(stream, {.grid = blocks, .block = 256, .shared = tma::shared_bytes<Pipe::Shared>}, in, b.device, tiles);

    b.download();
    return example::verify("stream", b.host, [&](std::size_t i) { return std::sqrt(std::fabs(a.host[i])); }, 1e-6);
  });
}
