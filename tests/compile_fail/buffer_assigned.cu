// expect: a_buffer_is_a_place_in_shared_memory__take_it_by_reference
#include <tma/tma.hpp>

struct Two {
  tma::Buffer<float, 64> a, b;
};

__global__ void kernel() {
  auto& [a, b] = tma::shared<Two>();
#ifndef FIXED
  a = b;
#else
  a[0] = b[0];
#endif
}
