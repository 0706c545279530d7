// How copies and work overlap: N (C + M), one after the other, against N max(C, M), beside each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../harness/bench.hpp"
#include "candidates.cuh"

namespace overlap {

// A ring of so many stages, one block on each multiprocessor, 8 KiB tiles, from memory.
struct Depth {
  int                          stages;
  std::function<void(int fma)> launch;
};

std::vector<Depth> depths(const Job& job);

// Microseconds of a launch at each intensity.
using Curve = std::vector<double>;

inline double root_mean_square(const Curve& measured, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) sum += std::pow(expected[i] / measured[i] - 1, 2);
  return 100 * std::sqrt(sum / double(measured.size()));
}

// Measures each depth over intensity, and tells by how much both models miss it. C is a line through the last two points of the
// deepest ring, where the work is all that is left; M is a depth's own time without work.
inline void fit_overlap(harness::Bench& bench, const Job& job) {
  const std::vector<int>   intensities = {0, 8, 16, 32, 48, 64, 96, 128, 192, 256};
  const std::vector<Depth> rings       = depths(job);
  std::vector<Curve>       curves(rings.size());
  for (const int fma : intensities) {
    harness::Point point{.name     = "depth fma " + std::to_string(fma),
                         .mode     = "cold",
                         .unit     = harness::Unit::us,
                         .variants = {},
                         .samples  = 20};
    for (const Depth& d : rings)
      point.variants.push_back({std::to_string(d.stages) + " stages",
                                harness::Kind::ours,
                                [&d, fma](int) { d.launch(fma); },
                                {},
                                d.stages * 8192.0});
    const std::vector<harness::Result> results = bench.measure(point);
    for (std::size_t k = 0; k < rings.size(); ++k) curves[k].push_back(results[k].median);
  }
  const Curve&      deepest = curves.back();
  const std::size_t n       = intensities.size();
  const double      slope   = (deepest[n - 1] - deepest[n - 2]) / (intensities[n - 1] - intensities[n - 2]);
  const double      fixed   = deepest[n - 1] - slope * intensities[n - 1];
  for (std::size_t k = 0; k < rings.size(); ++k) {
    std::vector<double> sum, most;
    for (std::size_t i = 0; i < n; ++i) {
      const double work = std::max(0.0, fixed) + slope * intensities[i], copies = curves[k][0];
      sum.push_back(copies + slope * intensities[i]);
      most.push_back(std::max(copies, work));
    }
    const std::string name = "model of " + std::to_string(rings[k].stages) + " stages";
    bench.record(name, "cold", "N (C + M)", harness::Kind::limit, "% rms", {root_mean_square(curves[k], sum)});
    bench.record(name, "cold", "N max(C M)", harness::Kind::limit, "% rms", {root_mean_square(curves[k], most)});
  }
  bench.note("model: C = " + std::to_string(slope) + " us for each multiply-add an element, and " + std::to_string(fixed) +
             " us; M: the launch without work, of each depth its own");
}

}  // namespace overlap
