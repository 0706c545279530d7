// What came with compute capability 10: the next block's index, zeros by one instruction, a flag whose store does not wait.
// target: sm_100a
//
// The request is issued by one thread and counted by the barrier as a load of 16 bytes is; the answer is read after the wait.
// kernel: next_block
//   order-ptx: clusterlaunchcontrol\.try_cancel\.async\.shared::cta\.mbarrier::complete_tx::bytes\.b128 ; mbarrier\.arrive\.expect_tx ; try_wait ; ld\.shared ; clusterlaunchcontrol\.query_cancel\.is_canceled
//   expect-ptx: , 16;
//   expect-sass: UGETNEXTWORKID
//
// One block of a cluster asks for all; the others expect the answer.
// kernel: next_cluster
//   expect-ptx: clusterlaunchcontrol\.try_cancel\.async\.shared::cta\.mbarrier::complete_tx::bytes\.multicast::cluster::all\.b128
//   order-ptx: try_cancel ; mbarrier\.arrive\.expect_tx ; mbarrier\.arrive\.expect_tx
//
// A tile is cleared with its padding before it is published.
// kernel: zeroed
//   order-ptx: st\.bulk\.weak\.shared::cta \[%r\d+\], %rd\d+, 0; ; fence\.proxy\.async\.shared::cta ; bar\.sync
//   expect-ptx: mov\.(u64|b64)\s+%rd\d+, 1152;
//
// kernel: flags
//   order-ptx: st\.global ; st\.async\.release\.gpu\.global\.b32 ; st\.async\.release\.sys\.global\.b64
#include <tma/device/cluster.hpp>
#include <tma/device/launch_control.hpp>
#include <tma/device/release_store.hpp>
#include <tma/device/zero.hpp>
#include <tma/tma.hpp>

struct Shared {
  tma::BlockRequest request;
  tma::LoadBarrier  barrier;
};

extern "C" __global__ void next_block(unsigned* out) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) tma::request_block(issuer, s.request, arrived);
  arrived.wait();
  if (auto next = s.request.answer()) *out = next.x + 3 * next.y + 5 * next.z;
}

extern "C" __global__ void next_cluster(unsigned* out) {
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(s.barrier);
  if (auto issuer = cluster.elect()) {
    if (cluster.rank() == 0) tma::request_cluster(issuer, s.request, arrived);
    else issuer.expect(s.request, arrived);
  }
  arrived.wait();
  if (auto next = s.request.answer()) *out = next.x;
}

extern "C" __global__ void zeroed() {
  using Tile  = tma::Tile<float, tma::Shape<9, 16>, tma::Swizzle::bytes_128>;
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  if (block.rank() == 0) tma::zero(tile);
  (void)block.publish(tile);
}

extern "C" __global__ void flags(int* value, int* ready, double* also) {
  *value = 3;
  tma::release_store(ready, 1);
  tma::release_store<tma::Scope::system>(also, 1.5);
}
