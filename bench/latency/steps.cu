#include "steps.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "../harness/device_array.hpp"
#include "../harness/require.hpp"
#include "steps.cuh"

namespace latency {

namespace {

using harness::Bench;
using harness::DeviceArray;
using harness::Kind;
using harness::require;

template <int Threads> void costs(Bench& bench, const Tensor<2>& in, const int* data) {
  constexpr int         count = steps * step_repeats;
  DeviceArray<unsigned> out(count);
  std::vector<unsigned> cycles(count);
  tma::launch(step_costs<Threads>, {.grid = 1, .block = Threads, .shared = tma::shared_bytes<StepRoom>}, in, data, out.data);
  require(cudaMemcpy(cycles.data(), out.data, count * sizeof(unsigned), cudaMemcpyDeviceToHost), "the steps");
  double nothing = 0;
  for (int step = 0; step < steps; ++step) {
    std::vector<double> each;
    for (int r = 8; r < step_repeats; ++r) each.push_back(double(cycles[std::size_t(step * step_repeats + r)]));
    if (step == 0) {
      std::vector<double> sorted = each;
      std::sort(sorted.begin(), sorted.end());
      nothing = sorted[sorted.size() / 2];
    } else {
      for (double& v : each) v = (v - nothing) / step_row;
    }
    bench.record(std::string("step: ") + step_names[step], "-", std::to_string(Threads) + " threads", Kind::ours, "cycles",
                 each);
  }
}

template <bool Ours> void first(Bench& bench, const Tensor<2>& warm, const Tensor<2>& in, First how) {
  DeviceArray<unsigned> out(4);
  std::vector<double>   cycles[4];
  for (int r = 0; r < 100; ++r) {
    unsigned got[4];
    tma::launch(first_use<Ours>, {.grid = 1, .block = 32, .shared = tma::shared_bytes<TensorRoom>}, warm, in, how, out.data);
    require(cudaMemcpy(got, out.data, sizeof got, cudaMemcpyDeviceToHost), "the first use of a descriptor");
    for (int i = 0; i < 4 && r >= 10; ++i) cycles[i].push_back(got[i]);
  }
  const char* const names[] = {"first copy", "second copy", "third copy", "fourth copy"};
  for (int i = 0; i < 4; ++i)
    bench.record(std::string("descriptor: ") + first_names[int(how)], "l2",
                 std::string(Ours ? "ours: " : "hand: ") + names[i], Ours ? Kind::ours : Kind::hand, "cycles", cycles[i]);
}

}  // namespace

void measure_steps(Bench& bench) {
  constexpr int    rows = 64;  // each says which is next: row 0, again and again, in a line of its own
  DeviceArray<int> data(rows * 256);
  require(cudaMemset(data.data, 0, rows * 256 * sizeof(int)), "cudaMemset");
  const tma::TensorView<const int, 2> view{data.data, {rows, 256}};
  const Tensor<2>                     in = tma::make_descriptor(view, {1, 32}), warm = tma::make_descriptor(view, {1, 32});
  costs<32>(bench, in, data.data);
  costs<256>(bench, in, data.data);
  for (const First how : {First::cold, First::prefetched_early, First::prefetched_late}) {
    first<true>(bench, warm, in, how);
    first<false>(bench, warm, in, how);
  }
}

}  // namespace latency
