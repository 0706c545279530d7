// The ways to do it, each in a file of its own. What the problems need is prepared once; round r launches one of them.
#pragma once

#include "shapes.hpp"

namespace skinny {

using Launch = std::function<void(int round)>;

struct Prepared {
  Launch launch;
  double in_flight = 0;  // bytes on each multiprocessor; 0: not known
};

// `prepare(problem)` is a function that launches it.
template <class Prepare> Launch each_in_turn(const Problems& problems, Prepare prepare) {
  std::vector<decltype(prepare(problems.front()))> all;
  for (const Problem& p : problems) all.push_back(prepare(p));
  return [all](int round) { all[std::size_t(round) % all.size()](); };
}

// The library's ring, filled by the engine, m up to 128.
Prepared by_library(const Problems&);
// The same kernel in the same shapes with cp.async in the engine's place, and by hand: m up to 16.
Prepared by_threads(const Problems&);
Prepared by_hand(const Problems&);
// The vendor's product by the fastest of all algorithms that its heuristic proposes, each tried on these problems.
Prepared by_cublas(const Problems&);
// The limit: the engine reads the weights, and nothing is done with them. Without a cache hint, and with the kernel's.
Prepared by_reading(const Problems&, bool hint);

}  // namespace skinny
