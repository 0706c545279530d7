// What can be asked of the bench.
#pragma once

#include <string>

namespace ring {

struct Options {
  std::string csv;
  int         samples = 40, device = 0, mebibytes = 512;
  unsigned    seed  = 1;
  bool        quick = false;
};

// The exit code: 2 where what was asked for cannot be done. `command` goes to the results' head.
int run(const Options& options, const std::string& command);

}  // namespace ring
