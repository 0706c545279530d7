#pragma once

#include "../core/prologue.hpp"

#include "../device/device_code.hpp"
#include "roles.hpp"

namespace tma::inline TMA_ABI {

/// A producer of `Warps` whole warps, from `tma::specialize` with `tma::producer_warps<Warps>`: its threads fill a stage
/// together. One of them issues the engine's loads; all write what is `ByThreads`, and load where threads do.
///
/// All its threads call `next`, and the functions of the group, together.
template <class PipelineT, int Warps, int NamedBarrier>
class ProducerGroup : public ThreadGroup<ProducerGroup<PipelineT, Warps, NamedBarrier>, Warps * 32>,
                      public Producer<PipelineT, detail::ManyThreads> {
  using Group = ThreadGroup<ProducerGroup, Warps * 32>;
  using Side  = Producer<PipelineT, detail::ManyThreads>;

  using a_producer_has_its_phases_once__take_it_by_reference = ProducerGroup;  // what the compiler prints of a copy

public:
  ProducerGroup(const a_producer_has_its_phases_once__take_it_by_reference&)            = delete;
  ProducerGroup& operator=(const a_producer_has_its_phases_once__take_it_by_reference&) = delete;

  /// All its threads meet; nobody else takes part.
  TMA_DEVICE void sync() const {
    if constexpr (Warps == 1) ptx::sync_warp();
    else ptx::sync_threads(NamedBarrier, Warps * 32);
  }

private:
  friend struct detail::PipelineAccess;
  TMA_DEVICE ProducerGroup(PipelineT& pipeline, detail::u32 rank, bool leads)
      : Group(rank),
        Side(pipeline, detail::ManyThreads{leads, rank, Warps * 32}) {}
};

namespace detail {

template <class PipelineT, int Warps, int NamedBarrier> struct MakeProducerGroup {
  using type = ProducerGroup<PipelineT, Warps, NamedBarrier>;
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
