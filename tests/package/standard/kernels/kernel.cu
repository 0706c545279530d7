#include <tma/core/tile.hpp>

static_assert(__cplusplus >= 202002L);
using Tile = tma::Tile<float, tma::Shape<16, 16>>;

__global__ void copy(float* out) {
  __shared__ Tile tile;
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
