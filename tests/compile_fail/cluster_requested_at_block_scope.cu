// expect: tma::request_cluster: the answer completes on barriers of a cluster, whose phases acquire at its scope
#include "cluster.hpp"
#include <tma/device/launch_control.hpp>

struct Asked {
  tma::BlockRequest request;
  tma::LoadBarrier  barrier;
};

__global__ void kernel() {
  auto& s                 = tma::shared<Asked>();
  auto [cluster, arrived] = tma::this_cluster<2>(s.barrier);
#ifndef FIXED
  auto [block, phase] = tma::this_block(s.barrier);
  if (auto issuer = cluster.elect()) tma::request_cluster(issuer, s.request, phase);
#else  // not on this target
  if (auto issuer = cluster.elect()) issuer.expect(s.request, arrived);
#endif
}
