// expect: tma::shared: the object lies uninitialised in shared memory: it has no constructor and no member initialiser
#include "common.hpp"

struct Counted {
  Tile tile;
#ifndef FIXED
  int count = 0;
#else
  int count;
#endif
};

__global__ void kernel(float* out) {
  auto& shared = tma::shared<Counted>();
  auto  block  = tma::this_block();
  if (block.rank() == 0) shared.count = 0;
  block.sync();
  *out = float(shared.count);
}
