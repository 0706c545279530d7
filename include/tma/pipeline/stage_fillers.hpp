// Who fills a stage.
#pragma once

#include "../core/prologue.hpp"

#include "../device/issuer.hpp"

namespace tma::inline TMA_ABI::detail {

// The threads that fill a stage together. One thread, elected; or all of a group, one of which issues.
struct OneThread {
  static constexpr bool group = false, leads = true;
  static constexpr u32  rank = 0, threads = 1;
};
struct ManyThreads {
  static constexpr bool group = true;
  bool                  leads;
  u32                   rank, threads;
};

// The batch of a ring whose full barriers count no bytes.
struct NoBatch {
  template <class Barrier> TMA_DEVICE NoBatch(const Issuer&, const Barrier&) {}
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
