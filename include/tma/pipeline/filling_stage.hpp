#pragma once

#include "../core/prologue.hpp"

#include "../device/group_arrival.hpp"
#include "stage_loads.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

// What remains to be done when all of a stage is issued and written: the arrivals of those who filled it.
template <class Traits, class Filler>
TMA_DEVICE void close_stage(typename Traits::batch& batch, u32 full, const Filler& filler) {
  if constexpr (Traits::threads) {
    if constexpr (Traits::by_threads) {
      if constexpr (has_forms_for<Traits>()) forms_for<Traits>::wait_also_for_cp_async(full);
    }
    // What was written may be read by the matrix units, or stored. Of a ring that threads load those who wait for a stage fence
    // (Pipeline::wait_full): here the fence would wait for the copies that have just been issued.
    if constexpr (!Traits::by_threads) ptx::fence_proxy_async_shared();
  }
  if constexpr (Traits::threads && Filler::group) {
    ptx::sync_warp();
    GroupArrival::arrive(full, filler.rank % 32, warp_lanes(filler.rank, filler.threads));
  }
  if constexpr (Traits::engine) LoadBatchAccess::commit(batch);
  else if constexpr (!Traits::threads || !Filler::group) {
    if (filler.leads) ptx::mbarrier_arrive(full);
  }
}

}  // namespace detail

/// A stage that its producer has acquired: from `producer.acquire()`. Loads are issued as long as it lives; `commit`, or the
/// end of its scope, tells the barrier what was issued and makes the producer's arrival. Not copied, not moved: what is
/// acquired is committed, once.
template <class PipelineT, class Filler>
class FillingStage : public detail::StageFiller<FillingStage<PipelineT, Filler>, PipelineT, Filler> {
  using a_stage_is_committed_once__take_it_by_reference = FillingStage;  // what the compiler prints of a copy

  using Base = detail::StageFiller<FillingStage, PipelineT, Filler>;

public:
  FillingStage(const a_stage_is_committed_once__take_it_by_reference&)                       = delete;
  TMA_DEVICE FillingStage& operator=(const a_stage_is_committed_once__take_it_by_reference&) = delete;

  TMA_DEVICE ~FillingStage() {
    if (open_) close();
  }

  /// By all who fill the stage: no more is loaded or written. Its consumers go on when the last byte is there.
  TMA_DEVICE void commit() {
    if constexpr (detail::checked)
      detail::check(open_,
                    "a stage is committed once. Fix: leave the second commit() out; the end of its scope does it as "
                    "well; stage",
                    this->stage_);
    if (open_) close();
    open_ = false;
  }

private:
  template <int, class...> friend class Pipeline;
  template <class, class, class> friend class detail::StageFiller;

  TMA_DEVICE FillingStage(typename Base::Objects& objects, LoadBarrier& full, int stage, const Filler& filler)
      : Base(objects, detail::BarrierAccess::address(full), stage, filler),
        batch_(detail::IssuerAccess::make(filler.leads), full) {}

  TMA_DEVICE void close() { detail::close_stage<typename PipelineT::traits>(batch_, this->full_, this->filler_); }
  TMA_DEVICE typename Base::Batch& batch() const { return batch_; }

  mutable typename Base::Batch batch_;
  bool                         open_ = true;  // known when compiling
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
