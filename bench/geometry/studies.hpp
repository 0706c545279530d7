// The studies: each a point, whose variants differ in one thing.
#pragma once

#include "../harness/bench.hpp"
#include "spec.hpp"

namespace geometry {

void measure_studies(harness::Bench& bench, const char* mode, const Source& from);

}  // namespace geometry
