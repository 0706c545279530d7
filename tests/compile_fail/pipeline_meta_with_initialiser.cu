// expect: tma::Meta: a value that is copied as its bytes, has no constructor, and is not const
#include "common.hpp"

struct Step {
  int k = 0;
};
struct PlainStep {
  int k;
};
#ifndef FIXED
using Pipe = tma::Pipeline<2, Tile, tma::Meta<Step>>;
#else
using Pipe = tma::Pipeline<2, Tile, tma::Meta<PlainStep>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
