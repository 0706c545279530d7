// What is measured, and how.
#include <tma/tma.hpp>

#include <chrono>
#include <cstring>
#include <random>

#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "../harness/machine.hpp"
#include "../harness/progress.hpp"
#include "kernels.cuh"
#include "options.hpp"
#include "results.hpp"

namespace {

using namespace ring;
using harness::DeviceArray;
using harness::hold_device;
using harness::randomise;
using harness::require;
using harness::Samples;

constexpr std::size_t l2_bytes_per_block = 128 * 1024;  // of all blocks together well within the cache
constexpr int         latency_steps      = 64;
constexpr int         most_consumers     = 12 * 32;

// What consumers read, without a ring.
__global__ void reference(const float* data, int tile_vectors, Work work, unsigned* folded) {
  const int consumers = int(blockDim.x), rank = int(threadIdx.x);
  Fold      fold;
  for (int i = 0; i < work.steps; ++i) {
    const float4* tile =
        reinterpret_cast<const float4*>(data) + std::size_t(work.tile(int(blockIdx.x), i)) * std::size_t(tile_vectors);
    for (int v = rank; v < tile_vectors && (work.whole || v < consumers); v += consumers) fold.take(tile[v]);
  }
  folded[blockIdx.x * blockDim.x + threadIdx.x] = fold.value;
}

template <int TileBytes> CUtensorMap map_of(const float* data, std::size_t bytes) {
  using Box      = tma::Tile<float, tma::Shape<TileBytes / row_bytes, 32>>;
  const auto  in = tma::make_descriptor<Box>(tma::TensorView{data, {static_cast<long long>(bytes / row_bytes), 32ll}});
  CUtensorMap map;
  std::memcpy(&map, tma::tensor_map(in), sizeof map);
  return map;
}

// A section: a measurement on one kind of source.
struct Section {
  const char* name;
  Measure     measure;
  bool        cold;  // every tile from device memory, once; else from the cache
  const char* unit;
};

class Bench {
public:
  Bench(const Options& options, int multiprocessors)
      : o_(options),
        blocks_(multiprocessors),
        random_(options.seed),
        data_((std::size_t(options.mebibytes) << 20) / 4),
        folded_(results_size()),
        expected_(results_size()),
        arrivals_(1),
        begin_(latency_steps),
        end_(std::size_t(latency_steps) * most_consumers / 32),
        cycles_(1024) {
    const std::size_t bytes = std::size_t(o_.mebibytes) << 20;
    randomise<<<4096, 256>>>(reinterpret_cast<unsigned*>(data_.data), bytes / 4, o_.seed);
    require(cudaDeviceSynchronize(), "randomise");
    source_ = {data_.data,
               bytes,
               {map_of<tile_sizes[0]>(data_.data, bytes), map_of<tile_sizes[1]>(data_.data, bytes),
                map_of<tile_sizes[2]>(data_.data, bytes)}};
    add_ours(variants_, source_);
    add_hand(variants_, source_);
#if defined(TMA_BENCH_CUTLASS)
    add_cutlass(variants_, source_);
#endif
  }

  // All configurations of a section, each with the implementations for the same readers side by side.
  void run(const Section& section) {
    std::vector<Config> configs;
    for (const Variant& v : variants_)
      if (v.measure == section.measure && v.implementation == "ours" && v.reads == Reads::threads &&
          (!o_.quick || v.config.tile_bytes == 4096))
        configs.push_back(v.config);
    for (std::size_t c = 0; c < configs.size(); ++c) {
      harness::progress(section.name, c, configs.size());
      run(section, configs[c], Reads::threads);
      run(section, configs[c], Reads::matrix);
    }
    harness::progress("", 0, 0);
  }

  void run_scopes() {
    const auto           forms = scopes();
    std::vector<Samples> samples(forms.size());
    for (const auto& form : forms) form.launch(cycles_.data);
    for (int s = 0; s < o_.samples; ++s) {
      for (std::size_t i : shuffled(forms.size())) {
        forms[i].launch(cycles_.data);
        float cycles = 0;
        require(cudaMemcpy(&cycles, cycles_.data, sizeof cycles, cudaMemcpyDeviceToHost), forms[i].name.c_str());
        if (cycles <= 0) fail(forms[i].name, {}, "a wait for a complete phase did not return");
        samples[i].ms.push_back(cycles);
      }
    }
    for (std::size_t i = 0; i < forms.size(); ++i) add("cluster", forms[i].name, "", {}, 0, samples[i], "cycles");
  }

  const std::vector<Row>& rows() const { return rows_; }

private:
  struct Entry {
    const Variant* variant;
    Samples        samples;
  };

  std::size_t results_size() const { return std::size_t(blocks_) * most_consumers; }

  std::vector<std::size_t> shuffled(std::size_t n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  // What is timed. A ring alone shows where its consumers do little: from the cache they read a vector each; from device
  // memory, as kernels do, the whole tile.
  Job job(const Section& section, const Config& c) const {
    const int tiles = int(source_.bytes / std::size_t(c.tile_bytes)), in_cache = int(l2_bytes_per_block) / c.tile_bytes;
    Job       j{{}, blocks_, {folded_.data, nullptr, begin_.data, end_.data}};
    if (section.measure != Measure::stream) {
      j.blocks = 1;
      if (section.cold) j.work = {latency_steps, 0, tiles / latency_steps, 0x7fffffff, 0, false};
      else j.work = {latency_steps, 0, 1, in_cache - 1, 0, false};
    } else if (section.cold) {
      j.work = {tiles / blocks_, 1, blocks_, 0x7fffffff, 0, true};
    } else {
      j.work = {512 * c.stages, in_cache, 1, in_cache - 1, 0, false};
    }
    return j;
  }

  // A launch whose consumers' readings are compared with those of the reference.
  void verify(const Variant& v, Job j) {
    const auto n = std::size_t(j.blocks * v.config.consumer_warps * 32);
    require(cudaMemset(folded_.data, 0xff, n * sizeof(unsigned)), "cudaMemset");
    reference<<<unsigned(j.blocks), unsigned(v.config.consumer_warps * 32)>>>(data_.data, v.config.tile_bytes / 16, j.work,
                                                                              expected_.data);
    require(cudaGetLastError(), "the reference");
    v.launch(j);
    std::vector<unsigned> is(n), wanted(n);
    require(cudaMemcpy(is.data(), folded_.data, n * sizeof(unsigned), cudaMemcpyDeviceToHost), v.implementation.c_str());
    require(cudaMemcpy(wanted.data(), expected_.data, n * sizeof(unsigned), cudaMemcpyDeviceToHost), "the reference");
    if (is == wanted) return;
    const char* const what = "its consumers read something else than the source has";
    if (v.reads == Reads::threads) fail(v.implementation, v.config, what);
    say(v.implementation + " for matrix units", v.config, what);  // threads read here what this ring does not promise them
  }

  // Of a whole tile, in a number of steps that ends within a round; and by asking the barriers, of a stage's arrivals.
  int verify_and_count(const Variant& v, const Section& section, const Job& timed) {
    Job whole        = timed;
    whole.work.whole = true;
    whole.work.steps = std::min(timed.work.steps, 5 * v.config.stages + v.config.stages / 2 + 1);
    verify(v, whole);
    if (section.measure != Measure::stream) return v.arrivals_per_stage;
    unsigned counted       = 0;
    whole.work.steps       = 5 * v.config.stages;
    whole.results.arrivals = arrivals_.data;
    verify(v, whole);
    require(cudaMemcpy(&counted, arrivals_.data, sizeof counted, cudaMemcpyDeviceToHost), "the count of arrivals");
    if (counted != unsigned(v.arrivals_per_stage * v.config.stages))
      std::fprintf(stderr,
                   "ring: %s, %d stages, %d warps: its barriers count %u arrivals in all stages, and its protocol %d\n",
                   v.implementation.c_str(), v.config.stages, v.config.consumer_warps, counted,
                   v.arrivals_per_stage * v.config.stages);
    return int(counted) / v.config.stages;
  }

  void run(const Section& section, const Config& config, Reads reads) {
    const Job          j = job(section, config);
    std::vector<Entry> entries;
    for (const Variant& v : variants_)
      if (v.measure == section.measure && v.reads == reads && v.config.stages == config.stages &&
          v.config.tile_bytes == config.tile_bytes && v.config.consumer_warps == config.consumer_warps)
        entries.push_back({&v, {}});
    std::vector<int> arrivals;
    for (const Entry& e : entries) arrivals.push_back(verify_and_count(*e.variant, section, j));
    for (const Entry& e : entries) verify(*e.variant, j);
    entries.push_back(entries.front());  // ours once more, under another label: what differs is noise
    arrivals.push_back(arrivals.front());

    hold_device<<<1, 1>>>(10'000'000);  // brings the clocks up: short kernels with pauses between them would not
    for (int round = 0; round < 2; ++round)
      for (const Entry& e : entries) e.variant->launch(j);
    for (int s = 0; s < o_.samples; ++s)
      for (std::size_t i : shuffled(entries.size()))
        entries[i].samples.ms.push_back(section.measure == Measure::stream ? rate(section, entries[i], j)
                                                                           : latency(section, entries[i], j));
    const double ours = entries.front().samples.median(), aa = entries.back().samples.median() / ours;
    for (std::size_t i = 0; i < entries.size(); ++i)
      add(section.name, i + 1 == entries.size() ? "ours again" : entries[i].variant->implementation, name(reads), config,
          arrivals[i], entries[i].samples, section.unit, entries[i].samples.median() / ours, aa);
  }

  // Steps of a block in a microsecond, or bytes of all in a nanosecond.
  double rate(const Section& section, const Entry& e, const Job& j) {
    const double ms    = timer_([] { hold_device<<<1, 1>>>(40000); }, [&] { e.variant->launch(j); });
    const double steps = j.work.steps;
    return section.cold ? steps * j.blocks * e.variant->config.tile_bytes / ms / 1e6 : steps / ms / 1e3;
  }

  // The median over a launch's steps, the first rounds left out, between the one side's clock and the last of the other's.
  double latency(const Section& section, const Entry& e, Job j) {
    const Config& c = e.variant->config;
    if (section.cold) j.work.first = int(launches_++ * 7919 % unsigned(j.work.step_stride));  // tiles of no launch before
    e.variant->launch(j);
    std::vector<long long> begin(latency_steps), end(std::size_t(latency_steps * c.consumer_warps));
    require(cudaMemcpy(begin.data(), begin_.data, begin.size() * 8, cudaMemcpyDeviceToHost),
            e.variant->implementation.c_str());
    require(cudaMemcpy(end.data(), end_.data, end.size() * 8, cudaMemcpyDeviceToHost), e.variant->implementation.c_str());
    const auto last = [&](int step) {
      const auto first = end.begin() + step * c.consumer_warps;
      return *std::max_element(first, first + c.consumer_warps);
    };
    Samples cycles;
    for (int i = 8; i + c.stages < latency_steps; ++i)
      cycles.ms.push_back(section.measure == Measure::issue_to_wait ? double(last(i) - begin[std::size_t(i)])
                                                                    : double(begin[std::size_t(i + c.stages)] - last(i)));
    return cycles.median();
  }

  void add(const char* section, const std::string& implementation, const char* reads, const Config& config, int arrivals,
           const Samples& samples, const char* unit, double ratio = 0, double aa = 0) {
    rows_.push_back({section, implementation, reads, config, arrivals, samples.median(), samples.quantile(0.05),
                     samples.quantile(0.95), unit, ratio, aa});
  }

  static void say(const std::string& who, const Config& c, const char* what) {
    std::fprintf(stderr, "ring: %s, %d stages of %d bytes, %d consumer warps: %s\n", who.c_str(), c.stages, c.tile_bytes,
                 c.consumer_warps, what);
  }
  [[noreturn]] static void fail(const std::string& who, const Config& c, const char* what) {
    say(who, c, what);
    std::fprintf(stderr, "ring: nothing was written\n");
    std::exit(1);
  }

  const Options&        o_;
  int                   blocks_;
  unsigned              launches_ = 0;
  std::mt19937          random_;
  harness::Timer        timer_;
  DeviceArray<float>    data_;
  DeviceArray<unsigned> folded_, expected_, arrivals_;

  DeviceArray<long long> begin_, end_;
  DeviceArray<float>     cycles_;
  Source                 source_{};
  Variants               variants_;
  std::vector<Row>       rows_;
};

}  // namespace

namespace ring {

int run(const Options& o, const std::string& command) {
  tma::Driver driver;
  if (cudaSetDevice(o.device) != cudaSuccess) cudaGetLastError();  // the next call says what is wrong
  if (const tma::Error error = tma::system_driver(driver)) {
    std::fprintf(stderr, "%s", error.what());
    return 2;
  }
  const harness::Machine machine = harness::machine(o.device);
  const auto             started = std::chrono::steady_clock::now();

  Bench bench(o, machine.multiprocessors);
  bench.run({"stream_l2", Measure::stream, false, "steps/us"});
  bench.run({"stream_hbm", Measure::stream, true, "GB/s"});
  bench.run({"issue_to_wait_l2", Measure::issue_to_wait, false, "cycles"});
  bench.run({"issue_to_wait_hbm", Measure::issue_to_wait, true, "cycles"});
  bench.run({"hand_off", Measure::hand_off, false, "cycles"});
  bench.run_scopes();
  const auto lines = verdict(bench.rows());

  if (!o.csv.empty()) {
    std::FILE* file = std::fopen(o.csv.c_str(), "w");
    if (!file) {
      std::fprintf(stderr, "ring: --csv = %s: the file cannot be written. Fix: name a folder that exists.\n", o.csv.c_str());
      return 2;
    }
    harness::write_header(file, machine, command);
#if defined(TMA_BENCH_CUTLASS)
    std::fprintf(file, "# cutlass: %s\n", cutlass_version().c_str());
#endif
    const char* const columns[] = {
        "stream_l2: steps/us of a block, one block an SM, tiles from L2, each consumer reads a vector",
        "stream_hbm: GB/s of all blocks, one an SM, tiles from device memory, read whole",
        "issue_to_wait: from before the producer acquires until the last consumer warp has the tile; the ring is idle",
        "hand_off: from before the last consumer warp releases until the waiting producer may load",
        "cluster: barrier instructions at block and cluster scope, in PTX; a hand-off is half of a round trip",
        "reads: threads: a proxy fence before each load, as PTX asks where threads have read; matrix: none, as where the "
        "matrix "
        "units alone read",
        "medians of samples, each a launch, in random order; ratio_to_ours: of medians, to ours of the same reads; aa: ours "
        "again / ours"};
    for (const char* line : columns) std::fprintf(file, "# %s\n", line);
    for (const auto& line : lines) std::fprintf(file, "# %s\n", line.c_str());
    write_csv(file, bench.rows());
    std::fclose(file);
  } else {
    write_csv(stdout, bench.rows());
  }
  for (const auto& line : lines) std::printf("%s\n", line.c_str());
  for (const Row& r : bench.rows())
    if (r.section == "cluster") std::printf("cluster: %s: %.0f cycles\n", r.implementation.c_str(), r.median);
  std::printf("%.1f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  return 0;
}

}  // namespace ring
