#pragma once

#include "../core/meta.hpp"

namespace tma::detail {

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
  TMA_DEVICE void advance(int steps) {
    const u32 to = u32(stage) + u32(steps);
    parity ^= to / Stages & 1;
    stage = int(to % Stages);
  }
};

}  // namespace tma::detail
