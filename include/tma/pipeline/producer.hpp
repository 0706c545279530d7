#pragma once

#include "../core/prologue.hpp"

#include "../device/device_code.hpp"
#include "pipeline.hpp"

namespace tma::inline TMA_ABI {

/// A producer's side of a pipeline, from `tma::specialize`: one elected thread, which fills stage after stage.
///
/// Of several (`tma::producers<N>`), each fills its share of every stage, and all take the same number of steps.
template <class PipelineT, class Filler = detail::OneThread> class Producer {
  using a_producer_has_its_phases_once__take_it_by_reference = Producer;  // what the compiler prints of a copy

public:
  Producer(const a_producer_has_its_phases_once__take_it_by_reference&)            = delete;
  Producer& operator=(const a_producer_has_its_phases_once__take_it_by_reference&) = delete;

  /// Fills the next stage once its consumers have freed it: `issue(stage)` calls `stage.load(descriptor, at)` for the
  /// tiles of the stage, or for some of them, or for none: the stage is then full at once.
  template <class Issue> TMA_DEVICE void next(Issue&& issue) {
    pipeline_.fill(pipeline_.position_, filler_, issue);
    pipeline_.position_.advance_filled();
  }

  /// The next stage, once its consumers have freed it: `auto stage = producer.acquire()`. Its loads are issued as long as it
  /// lives, and other things done meanwhile; several may be open at once, up to the number of stages.
  [[nodiscard]] TMA_DEVICE FillingStage<PipelineT, Filler> acquire() {
    const auto here = pipeline_.position_;
    pipeline_.position_.advance();
    return pipeline_.acquire(here, filler_);
  }

  /// Whether the next stage is free now: `next` would not wait.
  [[nodiscard]] TMA_DEVICE bool is_free() const { return pipeline_.is_free(); }

  /// Which of the producers this is: 0 to N - 1 of `tma::producers<N>`.
  TMA_DEVICE int index() const { return index_; }

protected:
  friend struct detail::PipelineAccess;
  TMA_DEVICE Producer(PipelineT& pipeline, const Filler& filler, int index = 0)
      : pipeline_(pipeline),
        filler_(filler),
        index_(index) {}

  PipelineT&                   pipeline_;
  [[no_unique_address]] Filler filler_;
  int                          index_;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
