// expect: a_ring_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

struct Two {
  Pipe::Shared first, second;
};

__global__ void kernel() {
  auto& [first, second] = tma::shared<Two>();
#ifndef FIXED
  second = first;
#endif
  Pipe a(first), b(second);
}
