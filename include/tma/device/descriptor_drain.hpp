#pragma once

#include "../core/prologue.hpp"

#include "group.hpp"

namespace tma::inline TMA_ABI {

namespace detail {
struct DrainAccess;
}

/// That no copy in flight reads a descriptor any more, so that it may be written: what writing one in global memory asks
/// for. From `tma::drain(group)`, or from `tma::no_copy_uses_it()`.
///
/// A copy reads its map when it runs, not when it is issued: one that is still under way when the map changes goes to the
/// old tensor, to the new one, or to neither.
class Drained {
  using drained_comes_from_tma_drain_or_tma_no_copy_uses_it = bool;  // what the compiler prints of one made by hand

  friend struct detail::DrainAccess;
  TMA_DEVICE explicit Drained(drained_comes_from_tma_drain_or_tma_no_copy_uses_it) {}
};

namespace detail {

struct DrainAccess {
  static TMA_DEVICE Drained make() { return Drained(true); }
};

}  // namespace detail

/// All threads of the group. Every copy that its elected thread has issued, load or store, has read its descriptor; the
/// group meets. Nothing is said of data: what a load brought is there when its phase is over.
///
/// Where the loads' phases have been waited for this costs next to nothing. Copies of other groups are not covered: each
/// that uses the descriptor drains, and they meet before it is written (a whole grid: by a grid-wide barrier, or two
/// kernels).
template <class Derived, int Threads> [[nodiscard]] TMA_DEVICE Drained drain(const ThreadGroup<Derived, Threads>& group) {
  if (group.elect()) {
    ptx::bulk_commit_group();
    ptx::bulk_wait_group_read<0>();
  }
  static_cast<const Derived&>(group).sync();
  return detail::DrainAccess::make();
}

/// Where nothing is to be waited for: the descriptor was never used, or whoever used it has waited for its copies and has
/// met the caller since.
[[nodiscard]] TMA_DEVICE Drained no_copy_uses_it() { return detail::DrainAccess::make(); }

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
