#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<8, 32>>;
using In   = tma::TmaDescriptor<const float, 2, Tile>;

__global__ void sum(const In in, float* sums) {
  if (threadIdx.x == 0) sums[blockIdx.x] = float(sizeof in);
}

int main() {}
