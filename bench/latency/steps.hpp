// The steps of a copy, and the first copy through a descriptor.
#pragma once

#include "../harness/bench.hpp"

namespace latency {

void measure_steps(harness::Bench& bench);

}  // namespace latency
