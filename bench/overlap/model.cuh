// How copies and work overlap: N (C + M), one after the other, against N max(C, M), beside each other. C is measured: the same
// kernel on tiles that are there at once. So is M: the kernel without work.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../harness/bench.hpp"
#include "candidates.cuh"
#include "verify.cuh"

namespace overlap {

// A way to stream with one block on each multiprocessor, in 8 KiB tiles, from memory. The first of `depths` is the work alone.
struct Depth {
  std::string                  name;
  int                          in_flight;  // bytes
  std::function<void(int fma)> launch;
};

std::vector<Depth> depths(const Job& job);

// Of what was measured, in per cent.
inline double root_mean_square(const std::vector<double>& measured, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) sum += std::pow(expected[i] / measured[i] - 1, 2);
  return 100 * std::sqrt(sum / double(measured.size()));
}

// Measures each way over intensity, and tells by how much both models miss it.
inline void fit_overlap(harness::Bench& bench, Verifier& verifier, const Job& job) {
  const std::vector<int>           intensities = {0, 4, 8, 16, 32, 64, 128};
  const std::vector<Depth>         ways        = depths(job);
  std::vector<std::vector<double>> curves(ways.size());  // microseconds
  for (const int fma : intensities) {
    harness::Point point{.name     = "depth fma " + std::to_string(fma),
                         .mode     = "cold",
                         .unit     = harness::Unit::us,
                         .variants = {},
                         .samples  = 20};
    for (const Depth& d : ways) {
      std::function<std::string()> verify;  // the work alone reads one tile again and again: it has no result
      if (&d != &ways.front()) verify = [&verifier, &job, fma] { return verifier.read(job.multiprocessors * threads, fma); };
      point.variants.push_back(
          {d.name, harness::Kind::ours, [&d, fma](int) { d.launch(fma); }, verify, double(d.in_flight)});
    }
    const std::vector<harness::Result> results = bench.measure(point);
    for (std::size_t k = 0; k < ways.size(); ++k) curves[k].push_back(results[k].median);
  }
  const std::vector<double>& work = curves.front();
  for (std::size_t k = 1; k < ways.size(); ++k) {
    const double        copies = curves[k][0];
    std::vector<double> sum, most;
    for (std::size_t i = 0; i < work.size(); ++i) {
      sum.push_back(copies + work[i] - work[0]);
      most.push_back(std::max(copies, work[i]));
    }
    const std::string name = "model: " + ways[k].name;
    bench.record(name, "cold", "N (C + M)", harness::Kind::limit, "% rms", {root_mean_square(curves[k], sum)});
    bench.record(name, "cold", "N max(C M)", harness::Kind::limit, "% rms", {root_mean_square(curves[k], most)});
  }
}

}  // namespace overlap
