// `__shared__` variables of the blocks of a cluster. They are thread-local variables of the program, of which the cluster's OS
// thread has one set: each block finds its own bytes there while one of its threads runs. Until then they lie in its window,
// where the other blocks reach them.
#pragma once

#include "launch.hpp"

#include <algorithm>
#include <utility>

namespace tma::machine::model {

inline char* variables_of(Cluster& cl, u32 rank, u32 offset) {
  return cl.window + (rank << rank_shift) + variables_address + offset;
}

// These bytes belong to blocks from now on. What nobody has used yet is the same for all.
inline void use_variables(Cluster& cl, u32 offset, u32 bytes) {
  if (cl.is_one() || (offset >= cl.variables_low && offset + bytes <= cl.variables_high)) return;
  const auto share = [&](u32 low, u32 high) {
    Thread* const mine = std::exchange(current, nullptr);  // no access of the kernel's
    for (u32 r = 0; r < cl.blocks.size() && low < high; ++r)
      if (r != cl.loaded) std::copy_n(cl.variables + low, high - low, variables_of(cl, r, low));
    current = mine;
  };
  const u32 end = std::min(offset + bytes, u32(cl.variables_end - cl.variables));
  if (cl.variables_low >= cl.variables_high) {
    share(offset, end);
    cl.variables_low  = offset;
    cl.variables_high = end;
    return;
  }
  share(offset, cl.variables_low);
  share(cl.variables_high, end);
  cl.variables_low  = std::min(cl.variables_low, offset);
  cl.variables_high = std::max(cl.variables_high, end);
}

// A thread of another block is about to run.
inline void load_variables(Cluster& cl, u32 rank) {
  if (cl.variables_low < cl.variables_high) {
    const u32 low = cl.variables_low, bytes = cl.variables_high - low;
    char*     here = const_cast<char*>(cl.variables) + low;
    std::copy_n(here, bytes, variables_of(cl, cl.loaded, low));
    std::copy_n(variables_of(cl, rank, low), bytes, here);
  }
  cl.loaded = rank;
}

}  // namespace tma::machine::model
