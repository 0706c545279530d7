// expect: tma: loads by threads are in a header of their own: #include <tma/pipeline/thread_loads.hpp>
#include "common.hpp"
#include <tma/core/thread_descriptor.hpp>
#ifdef FIXED
#  include <tma/pipeline/thread_loads.hpp>
#endif

using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile>;

__global__ void kernel(const __grid_constant__ tma::ThreadDescriptor<const float, 2, Tile> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
}
