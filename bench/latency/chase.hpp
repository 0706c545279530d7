// The chases: each a way to go from a node to the next.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../harness/bench.hpp"
#include "chain.hpp"

namespace latency {

struct Chase {
  std::string                              point, name;  // what is brought, and by whom
  harness::Kind                            kind;
  std::function<void(const Walk&, Trace*)> launch;
  bool                                     in_l1 = false;  // reads through the first-level cache
};

// Of `nodes` nodes at `base`.
std::vector<Chase> chases(const Node* base, int nodes);

}  // namespace latency
