// A second file with kernels: the same names and types as in the first, and everything there is to include.
#include <tma/all.hpp>

using Tile = tma::Tile<float, tma::Shape<16, 16>>;

// Of both files, with relocatable device code: the tile that a kernel of the other file has in shared memory.
__device__ float total(const Tile& tile) {
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += tile[i];
  return sum;
}

__global__ void sums(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> in, float* out) {
  struct Shared {  // the other file's kernel has one of this name
    Tile             tile[2];
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {blockIdx.x * 16, 0}, tile[1], arrived);
  arrived.wait();
  if (block.rank() == 0) out[blockIdx.x] = total(tile[1]);
}

void run_sums(const tma::TmaDescriptor<const float, 2, Tile>& map, float* out) {
  tma::launch(sums, {.grid = 4, .block = 32}, map, out);
}
