// Blocks that take over the tiles of others which have not started.
// target: sm_100a
//
// The first tile is the block's own. Before each request the reads of the last answer are fenced from the engine's write;
// after a no nobody asks again.
// kernel: claimed
//   order-ptx: mbarrier\.init ; fence\.proxy\.async\.shared::cta ; clusterlaunchcontrol\.try_cancel\.async\.shared::cta\.mbarrier::complete_tx::bytes\.b128 ; mbarrier\.arrive\.expect_tx ; try_wait ; clusterlaunchcontrol\.query_cancel\.is_canceled
//   expect-sass: UGETNEXTWORKID
//
// In clusters one block asks for all, after all have read; each expects the answer, and says when it has read it. No block
// leaves before.
// kernel: claimed_clusters
//   order-ptx: barrier\.cluster\.arrive\.relaxed\.aligned ; barrier\.cluster\.wait ; try_wait\.parity\.acquire\.cluster ; fence\.proxy\.async\.shared::cluster ; try_cancel\.async\.shared::cta\.mbarrier::complete_tx::bytes\.multicast::cluster::all\.b128 ; mbarrier\.arrive\.expect_tx ; try_wait\.parity\.acquire\.cluster ; query_cancel\.is_canceled ; mbarrier\.arrive\.release\.cluster\.shared::cluster ; barrier\.cluster\.arrive\.release ; barrier\.cluster\.wait
#include <tma/pipeline/claimed_blocks.hpp>
#include <tma/tma.hpp>

extern "C" __global__ void claimed(int* out) {
  tma::ClaimedBlocks<> tiles(tma::shared<tma::ClaimedBlocks<>::Shared>());
  if (threadIdx.x == 0)
    while (auto tile = tiles.next()) out[tile.index()] = 1;
}

extern "C" __global__ void claimed_clusters(int* out) {
  using Tiles = tma::ClaimedBlocks<2>;
  Tiles tiles(tma::shared<Tiles::Shared>());
  if (threadIdx.x == 0)
    while (auto tile = tiles.next()) out[tile.index()] = 1;
}
