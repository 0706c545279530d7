// The C library's functions that mean something else inside a kernel. Included by memory.hpp alone: these are definitions.
#pragma once

#include <assert.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

#include "../runtime.hpp"

// A program's own definition goes before the C library's.
extern "C" clock_t clock() noexcept {
  if (tma::machine::rt::in_kernel()) return clock_t(tma::machine::rt::clock());
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return clock_t(used.tv_sec) * CLOCKS_PER_SEC + clock_t(used.tv_nsec) / (1000000000 / CLOCKS_PER_SEC);
}

extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept {
  using namespace tma::machine;
  if (rt::in_kernel()) {
    const Index3 b = rt::block_index, t = rt::thread_index;
    std::printf("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
                function ? function : "?", b.x, b.y, b.z, t.x, t.y, t.z, assertion);
    rt::trap("assert");
  }
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "?", assertion);
  std::abort();
}
