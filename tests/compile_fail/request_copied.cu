// expect: a_request_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"
#include <tma/device/launch_control.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
  __shared__ tma::BlockRequest request;
#ifndef FIXED
  auto again = request;
#else
  auto& again = request;
  (void)again;
#endif
}
