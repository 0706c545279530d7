// expect: tma: the copy engine does not add elements of this type
// expect: view i64 as u64, whose sums have the same bits
#include <tma/device/reduce.hpp>

#include "common.hpp"

__global__ void
kernel(const __grid_constant__ tma::TmaDescriptor<long long, 2, tma::Tile<long long, tma::Shape<32, 32>>> out) {
  auto& tile  = tma::shared<tma::Tile<long long, tma::Shape<32, 32>>>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready);
#else
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);
#endif
}
