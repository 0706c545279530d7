// Times of launches, by events, and what is said of them.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "require.hpp"

namespace harness {

struct Samples {
  std::vector<double> ms;

  double first() const { return ms.empty() ? 0 : ms.front(); }
  double mean() const { return ms.empty() ? 0 : std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size()); }
  double median() const { return quantile(0.5); }

  // Linear between the two neighbours.
  double quantile(double q) const {
    if (ms.empty()) return 0;
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    const double at = q * double(sorted.size() - 1);
    const auto   i  = std::size_t(at);
    return i + 1 < sorted.size() ? sorted[i] + (at - double(i)) * (sorted[i + 1] - sorted[i]) : sorted[i];
  }
};

class Timer {
public:
  Timer() {
    require(cudaEventCreate(&start_), "cudaEventCreate");
    require(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  ~Timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Timer(const Timer&)            = delete;
  Timer& operator=(const Timer&) = delete;

  // `hold` keeps the device busy for a moment, so that both events and the launch are queued before the first is reached:
  // otherwise the time of the launch on the host would be in the measurement.
  template <class Hold, class Launch> double operator()(Hold&& hold, Launch&& launch) {
    hold();
    require(cudaEventRecord(start_), "cudaEventRecord");
    launch();
    require(cudaEventRecord(stop_), "cudaEventRecord");
    require(cudaEventSynchronize(stop_), "a timed kernel");
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start_, stop_), "cudaEventElapsedTime");
    return ms;
  }

private:
  cudaEvent_t start_, stop_;
};

}  // namespace harness
