// expect: tma: this form of a barrier's instruction needs #include <tma/device/barrier_forms.hpp>
#include "common.hpp"
#ifdef FIXED
#  include <tma/device/barrier_forms.hpp>
#endif

using Pipe = tma::Pipeline<2, Tile, tma::ByThreads<tma::Buffer<int, 32>>>;

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  auto issue = [&](auto load, int i) {
    load(in, {i, 0});
    load.wait_also_for_cp_async();
  };
  pipe.for_each(2, issue, [](const Tile&, const auto&, int) {});
}
