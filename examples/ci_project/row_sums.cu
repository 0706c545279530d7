#include <tma/tma.hpp>

#include "row_sums.hpp"

namespace {

// A row for each of eight warps. What a tile has beyond the matrix is loaded as 0, so that no size needs a case of its own.
using Tile = tma::Tile<float, tma::Shape<8, 128>>;
using Pipe = tma::Pipeline<3, Tile>;

__global__ void row_sums_kernel(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> matrix, float* sums,
                                int rows, int columns) {
  Pipe      pipe(tma::shared<Pipe::Shared>());
  const int first = int(blockIdx.x) * 8, warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  float     sum = 0;
  pipe.for_each((columns + 127) / 128,                                      //
                [&](auto load, int i) { load(matrix, {first, i * 128}); },  //
                [&](const Tile& tile, int, auto& stage) {
#if defined(ROW_SUMS_FAULT)  // for the second test: the tile is given back before it is read
                  stage.release();
#endif
                  float mine[4];
                  for (int k = 0; k < 4; ++k) mine[k] = tile(warp, k * 32 + lane);
#if !defined(ROW_SUMS_FAULT)
                  stage.release();
#endif
                  sum += (mine[0] + mine[1]) + (mine[2] + mine[3]);
                });
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (lane == 0 && first + warp < rows) sums[first + warp] = sum;
}

}  // namespace

void row_sums(const float* matrix, float* sums, int rows, int columns) {
  const auto in = tma::make_descriptor<Tile>(tma::TensorView{matrix, {rows, columns}});
  tma::launch(row_sums_kernel, {.grid = (rows + 7) / 8, .block = 256}, in, sums, rows, columns);
}
