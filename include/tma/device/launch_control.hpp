#pragma once

#include "../core/prologue.hpp"

#include "block.hpp"

#include TMA_DETAIL_PTX(_launch)

namespace tma::inline TMA_ABI {

/// A request for the work of a block that has not started, in shared memory: blocks that are done early take over others'
/// and save their start.
///
///     if (auto issuer = block.elect()) tma::request_block(issuer, request, arrived);
///     ... the work of this block ...
///     arrived.wait();
///     if (auto next = request.answer()) ... the work of the block (next.x, next.y, next.z) ...
///     block.release(request);   // all have read it; it may be asked again
///
/// The answer is written by the copy engine's proxy and counted on a LoadBarrier as a load is. sm_100 and newer
/// (clusterlaunchcontrol).
class alignas(16) BlockRequest {
  using a_request_is_a_place_in_shared_memory__take_it_by_reference = BlockRequest;

public:
  static constexpr int payload_bytes = 16;

  /// Whether there is a block, and its index in the grid; of a cluster's request, that of its first block.
  struct Answer {
    bool                given;
    unsigned            x, y, z;
    TMA_DEVICE explicit operator bool() const { return given; }
  };

  BlockRequest()                                                                              = default;
  BlockRequest(const a_request_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  BlockRequest& operator=(const a_request_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  /// Any thread that has waited for the request. After an answer that says no, no block asks again: PTX leaves that
  /// undefined.
  template <class Index = unsigned> [[nodiscard]] TMA_DEVICE Answer answer() const {
    Answer a{};
    a.given = ptx::launch_query<Index>(words_, a.x, a.y, a.z);
    return a;
  }

private:
  template <bool Cluster, class Barrier>
  friend TMA_DEVICE void request_block_as(const Issuer& issuer, BlockRequest& request, const Barrier& barrier);

  detail::u64 words_[2];
};

template <bool Cluster, class Barrier>
TMA_DEVICE void request_block_as(const Issuer& issuer, BlockRequest& request, const Barrier& barrier) {
  LoadBatch batch(issuer, barrier);
  if (issuer) ptx::launch_try_cancel<Cluster>(ptx::shared_address(request.words_), detail::load_barrier_address(barrier));
  batch.expect(request);
}

/// Asks for a block; completes a phase of `barrier` (a LoadBarrier or its phase) by itself. One issuing thread of the grid's
/// block. In a kernel with clusters: `request_cluster`.
template <class Barrier> TMA_DEVICE void request_block(const Issuer& issuer, BlockRequest& request, const Barrier& barrier) {
  request_block_as<false>(issuer, request, barrier);
}

/// Asks for a whole cluster: the answer comes to every block of this one, at the same place in each, and completes on the
/// barrier at the same place in each. One block of the cluster asks; the others expect: `issuer.expect(request, arrived)`.
template <class Barrier>
TMA_DEVICE void request_cluster(const Issuer& issuer, BlockRequest& request, const Barrier& barrier) {
  static_assert(
      !detail::waits_at_block_scope_v<Barrier>,
      "tma::request_cluster: the answer completes on barriers of a cluster, whose phases acquire at its scope: auto "
      "[cluster, arrived] = tma::this_cluster(barrier)");
  request_block_as<true>(issuer, request, barrier);
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
