#pragma once

#include "../core/prologue.hpp"

#include "../device/grid.hpp"
#include "../device/handout.hpp"
#include "../device/launch_control.hpp"
#include "tile_walk.hpp"

namespace tma::inline TMA_ABI {

/// Tiles by demand, without a counter: the grid has a block for each tile, and a block that is done takes over the tile of
/// one that has not started (clusterlaunchcontrol, sm_100 and newer). Blocks save their start, the hardware keeps the
/// balance, and kernels of higher priority get in between. Asked as `AtomicTiles` is, in the same places of a kernel:
///
///     auto& room = tma::shared<tma::ClaimedBlocks<>::Shared>();
///     tma::ClaimedBlocks<> tiles(room);             // all threads of the block, or of the cluster
///     ... one thread of each block ...               for (int tile : tiles) ...
///
/// The index is that of the block in the grid, x fastest; the first is this block's own. In clusters of `ClusterSize` blocks
/// whole clusters are taken over, and each block gets the index of the block in its place: all take the same number of
/// steps. A grid has up to 2^31 - 1 blocks.
///
/// The beginning of its scope meets the block, or the cluster; with clusters the end as well.
template <int ClusterSize = 1> class ClaimedBlocks : public detail::TileWalk<ClaimedBlocks<ClusterSize>> {
  using Handout                                             = detail::Handout<ClusterSize>;
  using each_tile_is_asked_for_once__pass_them_by_reference = ClaimedBlocks;  // what the compiler prints of a copy

public:
  ClaimedBlocks(const each_tile_is_asked_for_once__pass_them_by_reference&)            = delete;
  ClaimedBlocks& operator=(const each_tile_is_asked_for_once__pass_them_by_reference&) = delete;

  static_assert(ClusterSize >= 1 && ClusterSize <= 16, "tma::ClaimedBlocks: a cluster has at most 8 blocks, 16 where the "
                                                       "device allows it");

  /// What it keeps in the shared memory of each block.
  class Shared : public Handout::Shared {
    friend class ClaimedBlocks;
    BlockRequest request_;
  };

  /// All threads of the block; of the cluster, where there are.
  TMA_DEVICE explicit ClaimedBlocks(Shared& shared) : handout_(shared), request_(shared.request_) {}

  /// One thread of each block, the same for the whole kernel, in all blocks of a cluster equally often: the next tile, or
  /// the end, from then on always. Waits for the hardware's answer, a microsecond or less.
  template <class Index = unsigned> TMA_DEVICE TileOrEnd next() {
    if (ended_) return {};
    if (!begun_) {
      begun_ = true;
      return TileOrEnd(int(ptx::block_index()));
    }
    const auto issuer = detail::IssuerAccess::make(true);
    if (!handout_.gives()) {
      issuer.expect(request_, handout_.given());
    } else {
      handout_.wait_read();
      // The answer is written by the engine's proxy where threads have read the one before.
      if constexpr (ClusterSize > 1) ptx::fence_proxy_async_shared_cluster();
      else ptx::fence_proxy_async_shared();
      request_block_as<(ClusterSize > 1)>(issuer, request_, handout_.given());
    }
    handout_.wait_given();
    const auto answer = request_.template answer<Index>();
    handout_.has_read();
    // PTX leaves undefined what happens to who asks after a no.
    ended_ = !answer;
    return answer ? TileOrEnd(int(in_place_of(answer.x, answer.y, answer.z))) : TileOrEnd{};
  }

private:
  // `x`, `y`, `z`: the first block of the cluster.
  static TMA_DEVICE detail::u32 in_place_of(detail::u32 x, detail::u32 y, detail::u32 z) {
    if constexpr (ClusterSize > 1)
      return ptx::block_index(x + ptx::block_in_cluster_x(), y + ptx::block_in_cluster_y(), z + ptx::block_in_cluster_z());
    else return ptx::block_index(x, y, z);
  }

  Handout       handout_;
  BlockRequest& request_;
  bool          begun_ = false, ended_ = false;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
