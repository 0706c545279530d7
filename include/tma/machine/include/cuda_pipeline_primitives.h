// Stand-in for CUDA's header of this name: cp.async, in groups of each thread.
#pragma once

#include <cstddef>

#include "../runtime.hpp"

// Copies `bytes` (4, 8 or 16), the last `zero_fill` of which become 0 instead.
inline void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes, std::size_t zero_fill = 0) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_fill > bytes)
    ::tma::machine::rt::trap("__pipeline_memcpy_async copies 4, 8 or 16 bytes");
  ::tma::machine::rt::cp_async(shared, global, bytes, zero_fill);
}
inline void __pipeline_commit() { ::tma::machine::rt::cp_async_commit(); }
inline void __pipeline_wait_prior(std::size_t newer) { ::tma::machine::rt::cp_async_wait(int(newer)); }
