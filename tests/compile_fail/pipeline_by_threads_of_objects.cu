// expect: tma::ByThreads: the part lies uninitialised in shared memory: it has no constructor and is not const
#include "common.hpp"

struct Row {
  int length = 0;
  int x[32];
};
struct PlainRow {
  int length;
  int x[32];
};
#ifndef FIXED
using Pipe = tma::Pipeline<2, Tile, tma::ByThreads<Row>>;
#else
using Pipe = tma::Pipeline<2, Tile, tma::ByThreads<PlainRow>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
