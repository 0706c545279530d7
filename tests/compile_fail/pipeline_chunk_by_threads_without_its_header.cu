// expect: tma: loads by threads are in a header of their own: #include <tma/pipeline/thread_loads.hpp>
#include "common.hpp"
#include <tma/core/thread_descriptor.hpp>
#ifdef FIXED
#  include <tma/pipeline/thread_loads.hpp>
#endif

using Line = tma::Buffer<float, 64>;
using Pipe = tma::Pipeline<2, Tile, tma::ByThreads<Line>>;

__global__ void kernel(tma::AlignedPointer<const float> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<64>(i)); }, [](const Tile&, const Line&, int) {});
}
