// expect: tma: loads by threads are in a header of their own: #include <tma/pipeline/thread_loads.hpp>
#include "common.hpp"

#include <tma/core/thread_descriptor.hpp>
#ifdef FIXED
#  include <tma/pipeline/thread_loads.hpp>
#else
#  include <tma/device/barrier_forms.hpp>
#endif

__global__ void kernel(const __grid_constant__ tma::ThreadDescriptor<const float, 2, Tile> in) {
  using Pipe = tma::Pipeline<4, tma::ThreadLoads, Tile>;
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(3, [&](auto load, int i) { load(in, {i * 32, 0}); }, [&](const Tile&, int) {});
}
