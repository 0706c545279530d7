// expect: tma: clusterlaunchcontrol needs sm_100 or newer; this compiles for sm_90a
#include "common.hpp"
#include <tma/device/launch_control.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
  auto& request                = tma::shared<tma::BlockRequest>();
#ifndef FIXED
  if (auto issuer = block.elect()) tma::request_block(issuer, request, loads);
#else
  (void)request;
#endif
}
