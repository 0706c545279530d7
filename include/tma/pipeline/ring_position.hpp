#pragma once

#include "../core/prologue.hpp"

#include "../device/instructions.hpp"

namespace tma::inline TMA_ABI::detail {

// Where a thread is in a ring: a stage, and how many times round, modulo 2.
template <int Stages> struct RingPosition {
  u32 parity = 0;
  int stage  = 0;

  TMA_DEVICE void advance() {
    if constexpr (Stages == 1) {
      parity ^= 1;
    } else {
      ++stage;
      if (stage == Stages) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
  // The same by who fills. The other parity is at hand, as that of the wait before: a choice between the two needs no
  // register beside them. An exclusive or would, and ptxas takes the one that the full barrier's arrival was just given the
  // bytes in: the step would then end only when the arrival has read it, some 11 cycles later on an H200.
  TMA_DEVICE void advance_filled() {
    const u32 other = ptx::opaque(parity ^ 1);
    if constexpr (Stages == 1) {
      parity = other;
    } else {
      ++stage;
      const bool round = stage == Stages;
      stage            = round ? 0 : stage;
      parity           = round ? other : parity;
    }
  }
  template <class Step> TMA_DEVICE void advance(Step steps) {
    using Number    = conditional_t<(sizeof(Step) > sizeof(int)), u64, u32>;
    const Number to = Number(stage) + Number(steps);
    parity ^= u32(to / Stages & 1);
    stage = int(to % Stages);
  }
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
