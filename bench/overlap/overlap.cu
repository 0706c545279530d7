// overlap: how much of the copies runs beside the work, and whether the library's advice finds what a search of all finds.
#include <tma/host/advise.hpp>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "candidates.cuh"
#include "model.cuh"

const harness::About harness::about{
    "overlap", "Searches tile, stages and blocks of streaming kernels over arithmetic intensity, beside what "
               "tma::advise advises, and fits how copies and work overlap."};

namespace {

using namespace overlap;
using harness::Bench;
using harness::Kind;
using harness::Result;

constexpr std::size_t elements = std::size_t(1) << 28;  // 1 GiB an array

__global__ void fill(float* data, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < elements;
       i += std::size_t(gridDim.x) * blockDim.x)
    data[i] = sweep::input_at(i, seed);
}

// What a search found at one intensity, and what the library had advised.
struct Found {
  double best, advised;

  double ratio() const { return advised / best; }
};

// Measures all configurations at each intensity, beside the library's advice, which has seen none of them.
std::vector<Found> search(Bench& bench, const char* what, const std::vector<Candidate>& candidates, int inputs, int outputs,
                          const std::vector<int>& intensities) {
  tma::StreamDevice device;
  if (const tma::Error error = tma::stream_device(device)) throw error;
  std::vector<Found> all;
  for (const int fma : intensities) {
    harness::Point point{.name     = std::string(what) + " fma " + std::to_string(fma),
                         .mode     = "cold",
                         .unit     = harness::Unit::gb_per_s,
                         .work     = 4.0 * elements * (inputs + outputs),
                         .variants = {},
                         .limit    = 4800,
                         .samples  = 12};
    for (const Candidate& c : candidates)
      point.variants.push_back({c.configuration.name(), Kind::ours, [&c, fma](int) { c.launch(fma); }, {}, c.in_flight});
    const std::vector<Result> results = bench.measure(point);

    tma::StreamAdvice       advice;
    const tma::StreamKernel kernel{.inputs                = inputs,
                                   .outputs               = outputs,
                                   .instructions_per_byte = fma / 4.0,
                                   .threads               = threads,
                                   .least_tile            = candidates.front().configuration.tile_bytes,
                                   .most_tile             = 32 * 1024,
                                   .may_end               = !candidates.front().configuration.persistent};
    if (const tma::Error error = tma::try_advise(kernel, device, advice)) throw error;
    // The configuration itself; where the compiler gave the kernel more registers than was said, the nearest number of blocks.
    const Result *   best = &results.front(), *mine = nullptr;
    int              away = 0;
    const Candidate* same = nullptr;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Configuration& c = candidates[i].configuration;
      if (results[i].median > best->median) best = &results[i];
      if (c.persistent != (advice.shape == tma::StreamShape::persistent) || c.tile_bytes != advice.tile_bytes ||
          c.stages != advice.stages)
        continue;
      const int by = std::abs(c.blocks_per_multiprocessor - advice.blocks_per_multiprocessor);
      if (mine && by >= away) continue;
      mine = &results[i];
      same = &candidates[i];
      away = by;
    }
    if (!mine) throw std::runtime_error("overlap: " + point.name + ": what was advised is none of the search\n");
    const std::string advised = same->configuration.name();
    all.push_back({best->median, mine->median});
    bench.record("advice: " + point.name, "cold", advised, Kind::ours, "of best", {all.back().ratio()});
    bench.note("advice: " + point.name + ": " + advised + ", " + std::to_string(int(mine->median)) +
               " GB/s (the model expected " + std::to_string(int(advice.gb_per_s)) + "); best of " +
               std::to_string(candidates.size()) + ": " + best->variant + ", " + std::to_string(int(best->median)) +
               " GB/s");
  }
  return all;
}

}  // namespace

void harness::run(Bench& bench) {
  DeviceArray<float> a(elements), b(elements), c(elements);
  for (auto* x : {&a, &b}) fill<<<2048, 256>>>(x->data, bench.options().seed);
  const Job              job{{a.data, b.data}, c.data, elements, bench.machine().multiprocessors};
  const std::vector<int> intensities = bench.quick() ? std::vector<int>{0, 64} : std::vector<int>{0, 16, 32, 64, 256};

  if (bench.wants("depth")) fit_overlap(bench, job);

  std::vector<Found> found;
  const auto         add = [&](const char* what, auto candidates, int inputs, int outputs) {
    if (!bench.wants(what)) return;
    for (const Found& f : search(bench, what, candidates(job), inputs, outputs, intensities)) found.push_back(f);
  };
  add("read", readers, 1, 0);
  add("copy", copies, 1, 1);
  add("triad", triads, 2, 1);
  if (found.empty()) return;
  const auto worst =
      std::min_element(found.begin(), found.end(), [](const Found& x, const Found& y) { return x.ratio() < y.ratio(); });
  bench.goal("advise", "GB/s", worst->advised, worst->best, "the best of an exhaustive search", 0.97);
}
