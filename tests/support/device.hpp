// What is said where no device has the copy engine, in the words that tests/summary.py reads.
#pragma once

#include <tma/host/driver.hpp>

#include <cstdio>

namespace gpu {

// The exit code that tells CTest of a skip.
inline constexpr int skipped = 77;

// Whether there is no such device. Then the reason is said, and how many tests do not run for it.
inline bool no_device_for(int tests) {
  tma::Driver      driver;
  const tma::Error error = tma::system_driver(driver);
  if (error) std::printf("SKIPPED %d gpu tests: %s", tests, error.what());
  return bool(error);
}

}  // namespace gpu
