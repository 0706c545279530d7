// How far a long run is, where somebody is looking.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace harness {

// `all` of 0 ends the line.
inline void progress(const char* what, std::size_t done, std::size_t all) {
  if (!isatty(2)) return;
  if (all) std::fprintf(stderr, "\r%s: %zu of %zu ", what, done + 1, all);
  else std::fprintf(stderr, "\r%60s\r", "");
  std::fflush(stderr);
}

}  // namespace harness
