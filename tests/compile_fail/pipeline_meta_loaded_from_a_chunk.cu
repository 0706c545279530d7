// expect: tma::Pipeline: the part at this slot is a tma::Meta, which is not loaded but assigned: stage.meta() = x
#include "common.hpp"

using Line = tma::Buffer<float, 64>;
using Pipe = tma::Pipeline<2, Line, tma::Meta<int>>;

__global__ void kernel(tma::AlignedPointer<const float> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<64>(i), tma::slot<1>); }, [](const Line&, int, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<64>(i), tma::slot<0>); }, [](const Line&, int, int) {});
#endif
}
