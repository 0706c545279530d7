// expect: tma::Coord: an index is a signed 32-bit number; a 64-bit one (size_t, long) would be cut
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in, std::size_t first) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {first + i, 0}); }, [](const Tile&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {int(first) + i, 0}); }, [](const Tile&, int) {});
#endif
}
