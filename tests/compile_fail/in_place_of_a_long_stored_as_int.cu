// expect: tma: the count has 64 bits, and this function takes the step as a narrower number, which would cut it
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map, long n) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto keep = [&](auto store, int i) { store(map, {i, 0}); };
#else
  auto keep = [&](auto store, auto i) { store(map, {int(i % 8), 0}); };
#endif
  pipe.for_each(n, [&](auto load, auto i) { load(map, {int(i % 8), 0}); }, [](Tile&, auto) {}, keep);
}
