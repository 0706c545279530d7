// What descriptors cost: to make one on the host, to hand it to a kernel, to change it, and the first copy through it.
#include "descriptors.cuh"

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <stdexcept>

namespace descriptors {
namespace {

using harness::Bench, harness::Kind, harness::require;

constexpr int words = rows * columns;

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Kind kind_of(bool by_hand) { return by_hand ? Kind::hand : Kind::ours; }

std::string named(const std::string& name, bool by_hand) { return std::string(by_hand ? "hand: " : "ours: ").append(name); }

// Times of `variants`, by `time(variant, sample)`, in turns whose order is drawn anew.
template <class Variant, class Time>
std::vector<std::vector<double>> in_turns(const std::vector<Variant>& variants, int samples, unsigned seed, Time&& time) {
  std::vector<std::vector<double>> times(variants.size());
  std::vector<std::size_t>         order(variants.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::mt19937 random(seed);
  for (std::size_t v = 0; v < variants.size(); ++v) time(variants[v], 0);
  for (int s = 0; s < samples; ++s) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t v : order) times[v].push_back(time(variants[v], s));
  }
  return times;
}

template <class Variant, class Record>
void record_all(const std::vector<Variant>& variants, const std::vector<std::vector<double>>& times, Record&& record) {
  for (std::size_t v = 0; v < variants.size(); ++v) record(variants[v], times[v]);
}

template <class T> std::vector<T> join(std::vector<T> a, std::vector<T> b) {
  for (T& x : b) a.push_back(std::move(x));
  return a;
}

// Sums of what each thread reads of a matrix.
std::vector<unsigned> expected(const unsigned* matrix) {
  std::vector<unsigned> host(words), sums(blocks * threads);
  require(cudaMemcpy(host.data(), matrix, words * 4, cudaMemcpyDeviceToHost), "a matrix");
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t)
      for (int i = 0; i < per_thread; ++i)
        sums[std::size_t(b * threads + t)] += host[std::size_t(b * tile_rows * columns + t + i * threads)];
  return sums;
}

std::string differs(const unsigned* sums, const std::vector<unsigned>& expected, int n) {
  std::vector<unsigned> got(static_cast<std::size_t>(n));
  require(cudaMemcpy(got.data(), sums, got.size() * 4, cudaMemcpyDeviceToHost), "sums");
  require(cudaMemset(const_cast<unsigned*>(sums), 0, got.size() * 4), "sums");
  int wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
  return wrong ? std::to_string(wrong).append(" sums are wrong") : std::string();
}

void measure_calls(Bench& bench, const Problem& problem) {
  constexpr int calls = 500;
  auto          all   = join(our_calls(problem), hand_calls(problem));
  const auto    times = in_turns(all, bench.options().samples, bench.options().seed, [&](const Call& c, int) {
    const double start = now_us();
    for (int i = 0; i < calls; ++i) c.call();
    return (now_us() - start) * 1e3 / calls;
  });
  record_all(all, times, [&](const Call& c, const std::vector<double>& ns) {
    bench.record("a call of the host", "-", c.name, kind_of(c.by_hand), "ns", ns);
  });
}

// By rounds of 0 and 1, whose matrices differ.
void verify(const std::vector<Way>& ways, const Problem& problem, const std::vector<unsigned> (&sums)[2]) {
  for (const Way& w : ways)
    for (const int round : {0, 1, 2, 3}) {
      w.launch(round);
      require(cudaDeviceSynchronize(), w.name.c_str());
      const std::string wrong = differs(problem.sums, sums[w.moves ? round % 2 : 0], blocks * threads);
      if (!wrong.empty())
        throw std::runtime_error(
            std::string("descriptors: ").append(named(w.name, w.by_hand)).append(": ").append(wrong).append("\n"));
    }
}

void measure_launches(Bench& bench, const std::vector<Way>& ways) {
  const int     samples = 4 * bench.options().samples;
  int           round   = 0;
  const auto    alone   = in_turns(ways, samples, bench.options().seed, [&](const Way& w, int) {
    const double start = now_us();
    w.launch(round++);
    require(cudaStreamSynchronize(nullptr), "a launch");
    return now_us() - start;
  });
  constexpr int queued  = 50;
  const auto    in_line = in_turns(ways, bench.options().samples, bench.options().seed, [&](const Way& w, int) {
    const double start = now_us();
    for (int i = 0; i < queued; ++i) w.launch(i);
    require(cudaStreamSynchronize(nullptr), "launches");
    return (now_us() - start) / queued;
  });
  const auto    record  = [&](const char* point, const auto& times) {
    record_all(ways, times, [&](const Way& w, const std::vector<double>& us) {
      bench.record(point, "-", named(w.name, w.by_hand), kind_of(w.by_hand), "us", us);
    });
  };
  record("launch to end", alone);
  record("launch of 50 in line", in_line);

  std::vector<harness::Variant> variants;
  for (const Way& w : ways) variants.push_back({named(w.name, w.by_hand), kind_of(w.by_hand), w.launch});
  bench.measure({.name     = "on the device",
                 .mode     = "l2",
                 .unit     = harness::Unit::us,
                 .variants = std::move(variants),
                 .launches = 20,
                 .hold_us  = 400});
}

__global__ void touch(const unsigned* data, int n, unsigned* sum) {
  unsigned all = 0;
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) all ^= data[i];
  if (all == 1) *sum = all;
}

void measure_first_tiles(Bench& bench, const Problem& problem, const std::vector<unsigned>& sums) {
  constexpr std::size_t           flush_bytes = std::size_t(256) << 20;
  harness::DeviceArray<unsigned>  flush(flush_bytes / 4);
  harness::DeviceArray<long long> cycles(1);
  auto                            all = join(our_first_tiles(problem), hand_first_tiles(problem));
  const auto times = in_turns(all, bench.options().samples, bench.options().seed, [&](const FirstTile& f, int) {
    // The descriptor leaves the caches with all else; the tile comes back into L2.
    require(cudaMemsetAsync(flush.data, 1, flush_bytes, nullptr), "a flush");
    touch<<<1, 256>>>(problem.matrix[0], tile_rows * columns, flush.data);
    f.launch(cycles.data);
    long long taken = 0;
    require(cudaMemcpy(&taken, cycles.data, sizeof taken, cudaMemcpyDeviceToHost), f.name.c_str());
    const std::string wrong = differs(problem.sums, sums, threads);
    if (!wrong.empty())
      throw std::runtime_error(
          std::string("descriptors: first tile: ").append(f.name).append(": ").append(wrong).append("\n"));
    return double(taken);
  });
  record_all(all, times, [&](const FirstTile& f, const std::vector<double>& values) {
    bench.record(f.prologue ? std::string("start to first tile after ").append(std::to_string(f.prologue)).append(" cycles")
                            : std::string("start to first tile"),
                 "cold", named(f.name, f.by_hand).append(f.prefetch ? " prefetched" : ""), kind_of(f.by_hand), "cycles",
                 values);
  });
}

}  // namespace
}  // namespace descriptors

const harness::About harness::about{
    "descriptors",
    "Measures what descriptors cost: made, passed, kept in memory, edited by kernels, prefetched, in graphs."};

void harness::run(Bench& bench) {
  using namespace descriptors;
  DeviceArray<unsigned> first(words), second(words), sums(blocks * threads);
  randomise<<<64, 256>>>(first.data, words, bench.options().seed);
  randomise<<<64, 256>>>(second.data, words, bench.options().seed + 1);
  DeviceArray<CUtensorMap> maps(1 + blocks);
  const CUtensorMap        map = encode(first.data);
  for (int i = 0; i <= blocks; ++i) require(cudaMemcpy(maps.data + i, &map, sizeof map, cudaMemcpyHostToDevice), "a map");
  const Problem               problem{{first.data, second.data}, sums.data, maps.data, maps.data + 1};
  const std::vector<unsigned> right[] = {expected(first.data), expected(second.data)};

  bench.note("the small kernel: 132 blocks of 128 threads, each loads a tile of 8 KiB and sums it");
  if (bench.wants("calls")) measure_calls(bench, problem);
  if (bench.wants("launches")) {
    const auto ways = join(ours(problem), hand(problem));
    verify(ways, problem, right);
    measure_launches(bench, ways);
  }
  if (bench.wants("first tile")) measure_first_tiles(bench, problem, right[0]);
}
