// sweep: does the copy engine pay on this device, and from where on not?
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <functional>
#include <memory>
#include <random>

#include "../harness/machine.hpp"
#include "../harness/timing.hpp"
#include "kernels.cuh"
#include "results.hpp"
#include "verdict.hpp"

namespace {

using namespace sweep;
using harness::require;

constexpr int tile_elements = 1024;  // 4 KiB: 32 x 32

constexpr int unset = -0x7fffffff;  // the preset decides

struct Options {
  std::string      preset = "tutorial", mode = "sweep", format = "table", output;
  long long        n     = unset;
  int              tiles = unset, blocks_per_sm = 1, block = 256, runs = 7, warmup = 2, device = 0;
  std::vector<int> fma;
  unsigned         seed     = 1;
  bool             csv_only = false;
};

// A mistake in what was asked for, said as the library says it, and exit code 2.
[[noreturn]] void refuse(const char* field, const std::string& value, const std::string& rule, const std::string& fix) {
  std::fprintf(stderr, "sweep: %s = %s: %s. Fix: %s.\n", field, value.c_str(), rule.c_str(), fix.c_str());
  std::exit(2);
}

template <class T> struct DeviceArray {
  T* data = nullptr;
  explicit DeviceArray(std::size_t n) { require(cudaMalloc(&data, n * sizeof(T)), "cudaMalloc"); }
  ~DeviceArray() { cudaFree(data); }
  DeviceArray(const DeviceArray&)            = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
};

__global__ void hold_device(long long nanoseconds) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
}

struct Problem {
  std::size_t         n;
  Work                work;
  int                 blocks, threads;
  int                 columns_log2;  // of the matrix that the tensor modes see
  const float*        in;
  float *             out, *expected;
  unsigned long long* mismatches;
  unsigned*           folded;

  long long columns() const { return 1ll << columns_log2; }
};

using Run = std::function<void(int fma)>;

// Boxes are `rows` rows of 32: a matrix that holds whole ones, as square as powers of two allow.
int columns_log2_for(std::size_t n, int rows) {
  int best = 5;
  for (int k = 5; k < 31 && (std::size_t(1) << (2 * k)) <= n; ++k)
    if (n % ((std::size_t(1) << k) * std::size_t(rows)) == 0) best = k;
  return best;
}

template <int Threads> std::vector<Run> modes(const Problem& p) {
  constexpr int  E    = tile_elements;
  constexpr auto copy = Traffic::copy;
  const auto     in   = tma::aligned(p.in);
  const auto     map =
      tma::make_descriptor<Box<E>>(tma::TensorView{p.in, {static_cast<long long>(p.n) / p.columns(), p.columns()}});
  const BoxOrder<E> order{p.columns_log2 - 5};
  const auto        go = [=](auto kernel, int threads, unsigned shared, auto... arguments) {
    return Run(
        [=](int fma) { tma::launch(kernel, {.grid = p.blocks, .block = threads, .shared = shared}, arguments..., fma); });
  };
  const auto one_dimensional = [&](auto kernel, auto in_or_pointer, unsigned shared = 0, int more = 0) {
    return go(kernel, Threads + more, shared, in_or_pointer, p.out, p.work);
  };
  return {
      one_dimensional(sync_loads<Threads, E, copy>, p.in),
      one_dimensional(bulk_wait<Threads, E, copy>, in),
      go(tensor_wait<Threads, E, copy>, Threads, 0, map, p.out, p.work, order),
      one_dimensional(pipe<Threads, E, 2, copy>, in, tma::shared_bytes<BulkRing<E, 2>::Shared>),
      one_dimensional(cp_async<Threads, E, 4, copy>, p.in),
      one_dimensional(pipe<Threads, E, 4, copy>, in, tma::shared_bytes<BulkRing<E, 4>::Shared>),
      one_dimensional(pipe<Threads, E, 8, copy>, in, tma::shared_bytes<BulkRing<E, 8>::Shared>),
      one_dimensional(pipe<Threads, E, 16, copy>, in, tma::shared_bytes<BulkRing<E, 16>::Shared>),
      go(tensor_pipe<Threads, E, 4, copy>, Threads, tma::shared_bytes<TensorRing<E, 4>::Shared>, map, p.out, p.work, order),
      one_dimensional(warp_specialized<Threads, E, 8, copy>, in, tma::shared_bytes<BulkRing<E, 8>::Shared>, 32),
  };
}

// A kernel that only reads, with its share of the device.
struct Reader {
  int stages, elements, blocks_per_sm, blocks;
  Run run;
};

template <int Elements, int Stages> void add_readers(std::vector<Reader>& to, const Problem& p, int multiprocessors) {
  constexpr int threads = 256;
  for (int per_sm : {1, 2, 4}) {
    if (sizeof(typename BulkRing<Elements, Stages>::Shared) * std::size_t(per_sm) > 200 * 1024) continue;
    const int  blocks = multiprocessors * per_sm;
    const Work work{int(p.n / Elements), 0};
    to.push_back({Stages, Elements, per_sm, blocks, [=, &p](int fma) {
                    tma::launch(pipe<threads, Elements, Stages, Traffic::read>,
                                {.grid   = blocks,
                                 .block  = threads,
                                 .shared = tma::shared_bytes<typename BulkRing<Elements, Stages>::Shared>},
                                tma::aligned(p.in), p.out, work, fma);
                  }});
  }
}

class Sweep {
public:
  Sweep(const Options& options, const Problem& problem, int multiprocessors)
      : o_(options),
        p_(problem),
        multiprocessors_(multiprocessors),
        random_(options.seed) {}

  // What every mode writes is compared, bit by bit, with what one thread an element computes.
  void verify(const std::vector<Run>& modes, const std::vector<int>& which, int fma) {
    launch_reference(fma, p_.expected);
    for (int m : which) {
      require(cudaMemset(p_.out, 0xff, p_.n * sizeof(float)), "cudaMemset");
      modes[std::size_t(m)](fma);
      require(cudaMemset(p_.mismatches, 0, sizeof(*p_.mismatches)), "cudaMemset");
      differences<<<1024, 256>>>(reinterpret_cast<const unsigned*>(p_.out), reinterpret_cast<const unsigned*>(p_.expected),
                                 p_.n, p_.mismatches);
      unsigned long long wrong = 0;
      require(cudaMemcpy(&wrong, p_.mismatches, sizeof wrong, cudaMemcpyDeviceToHost), mode_names()[std::size_t(m)].c_str());
      if (wrong) fail(mode_names()[std::size_t(m)], fma, wrong);
    }
  }

  // The reference itself, against the host, on a sample.
  void verify_reference(int fma) {
    launch_reference(fma, p_.expected);
    const std::size_t  count = std::min<std::size_t>(p_.n, 4096);
    std::vector<float> in(count), out(count);
    require(cudaMemcpy(in.data(), p_.in, count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    require(cudaMemcpy(out.data(), p_.expected, count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (std::size_t i = 0; i < count; ++i) {
      float x = in[i];
      for (int f = 0; f < fma; ++f) x = std::fma(x, factor, term);
      if (x != out[i]) fail("the reference", fma, 1);
    }
  }

  // Fills the cache with what the modes read and write, and nothing else.
  void settle(const std::vector<Run>& modes, const std::vector<int>& which, int fma) {
    for (int round = 0; round < 20; ++round)
      for (int m : which) modes[std::size_t(m)](fma);
  }

  std::vector<harness::Samples> time(const std::vector<Run>& modes, const std::vector<int>& which, int fma) {
    std::vector<harness::Samples> samples(modes.size());
    hold_device<<<1, 1>>>(30'000'000);  // brings the clocks up: short kernels with pauses between them would not
    for (int w = 0; w < o_.warmup; ++w)
      for (int m : which) modes[std::size_t(m)](fma);
    std::vector<int> order = which;
    for (int r = 0; r < o_.runs; ++r) {
      std::shuffle(order.begin(), order.end(), random_);
      for (int m : order)
        samples[std::size_t(m)].ms.push_back(
            timer_([] { hold_device<<<1, 1>>>(20000); }, [&] { modes[std::size_t(m)](fma); }));
    }
    return samples;
  }

  std::vector<ReadRow> reads() {
    std::vector<Reader> readers;
    add_readers<1024, 2>(readers, p_, multiprocessors_);
    add_readers<1024, 4>(readers, p_, multiprocessors_);
    add_readers<1024, 8>(readers, p_, multiprocessors_);
    add_readers<4096, 2>(readers, p_, multiprocessors_);
    add_readers<4096, 4>(readers, p_, multiprocessors_);
    add_readers<4096, 8>(readers, p_, multiprocessors_);
    add_readers<8192, 2>(readers, p_, multiprocessors_);
    add_readers<8192, 4>(readers, p_, multiprocessors_);
    add_readers<8192, 6>(readers, p_, multiprocessors_);
    launch_reference(1, p_.expected);
    const unsigned       expected = folded(reinterpret_cast<const unsigned*>(p_.expected), p_.n);
    std::vector<ReadRow> rows;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const Reader& r = readers[i];
      progress("reading only", i, readers.size());
      require(cudaMemset(p_.out, 0xff, std::size_t(r.blocks) * 256 * sizeof(float)), "cudaMemset");
      r.run(1);
      if (folded(reinterpret_cast<const unsigned*>(p_.out), std::size_t(r.blocks) * 256) != expected)
        fail("a reading pipeline", 1, 1);
      const auto s = time({r.run}, {0}, 1)[0];
      rows.push_back({r.stages, r.elements * 4, r.blocks_per_sm, s.median(), double(p_.n) * 4 / s.median() / 1e6});
    }
    progress("", 0, 0);
    return rows;
  }

  void progress(const char* what, std::size_t done, std::size_t all) const {
    if (!isatty(2)) return;
    if (all) std::fprintf(stderr, "\r%s: %zu of %zu ", what, done + 1, all);
    else std::fprintf(stderr, "\r%60s\r", "");
    std::fflush(stderr);
  }

private:
  void launch_reference(int fma, float* out) {
    reference<<<4096, 256>>>(p_.in, out, p_.n, fma);
    require(cudaGetLastError(), "the reference");
  }

  unsigned folded(const unsigned* data, std::size_t n) {
    unsigned result = 0;
    require(cudaMemset(p_.folded, 0, sizeof result), "cudaMemset");
    fold<<<1024, 256>>>(data, n, p_.folded);
    require(cudaMemcpy(&result, p_.folded, sizeof result, cudaMemcpyDeviceToHost), "a checksum");
    return result;
  }

  [[noreturn]] static void fail(const std::string& what, int fma, unsigned long long wrong) {
    std::fprintf(stderr, "sweep: %s computed %llu wrong elements at fma %d: nothing was timed\n", what.c_str(), wrong, fma);
    std::exit(1);
  }

  const Options& o_;
  const Problem& p_;
  int            multiprocessors_;
  std::mt19937   random_;
  harness::Timer timer_;
};

int run(Options o, const std::string& command) {
  if (o.n == unset) o.n = o.preset == "hbm" ? 1ll << 28 : 4194304;
  if (o.tiles == unset) o.tiles = o.preset == "hbm" ? 0 : 64;
  if (o.fma.empty()) o.fma = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  if (o.n <= 0 || o.n % tile_elements != 0)
    refuse("--n", std::to_string(o.n), "the number of elements is a positive multiple of the tile, 1024",
           "use " + std::to_string(std::max(1ll, (o.n + tile_elements - 1) / tile_elements) * tile_elements));
  if (o.n / tile_elements > 0x7fffffff / 2) refuse("--n", std::to_string(o.n), "at most 2^40 elements", "use fewer");
  if (o.block != 128 && o.block != 256 && o.block != 512)
    refuse("--block", std::to_string(o.block), "the kernels are built for blocks of 128, 256 and 512 threads",
           "choose one of them");
  for (int f : o.fma)
    if (f < 0) refuse("--fma-iters", std::to_string(f), "a number of iterations is not negative", "use 0 or more");

  tma::Driver driver;
  if (cudaSetDevice(o.device) != cudaSuccess) cudaGetLastError();  // the next call says what is wrong
  if (const tma::Error error = tma::system_driver(driver)) {
    std::fprintf(stderr, "%s", error.what());
    return 2;
  }
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (o.device < 0 || o.device >= devices)
    refuse("--device", std::to_string(o.device), "this machine has devices 0 to " + std::to_string(devices - 1),
           "choose one of them");
  const harness::Machine machine = harness::machine(o.device);

  const std::size_t bytes      = std::size_t(o.n) * sizeof(float);
  std::size_t       free_bytes = 0, all_bytes = 0;
  require(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
  if (3 * bytes > free_bytes)
    refuse("--n", std::to_string(o.n),
           "input, output and reference take " + std::to_string(3 * bytes >> 20) + " MiB; the device has " +
               std::to_string(free_bytes >> 20) + " free",
           "use at most " + std::to_string(free_bytes / 3 / 4 / tile_elements * tile_elements));

  DeviceArray<float>              in(std::size_t(o.n)), out(std::size_t(o.n)), expected(std::size_t(o.n));
  DeviceArray<unsigned long long> mismatches(1);
  DeviceArray<unsigned>           folded(1);
  randomise<<<4096, 256>>>(in.data, std::size_t(o.n), o.seed);
  require(cudaDeviceSynchronize(), "randomise");

  const int     tiles = int(o.n / tile_elements);
  const Problem problem{std::size_t(o.n),
                        {tiles, o.tiles},
                        o.tiles > 0 ? (tiles + o.tiles - 1) / o.tiles
                                    : std::min(tiles, machine.multiprocessors * o.blocks_per_sm),
                        o.block,
                        columns_log2_for(std::size_t(o.n), tile_elements / 32),
                        in.data,
                        out.data,
                        expected.data,
                        mismatches.data,
                        folded.data};
  const auto    all = o.block == 128 ? modes<128>(problem) : o.block == 256 ? modes<256>(problem) : modes<512>(problem);

  Sweep sweep(o, problem, machine.multiprocessors);
  sweep.verify_reference(o.fma.front());

  if (o.mode != "sweep") {
    const int m = mode_index(o.mode);
    for (int fma : o.fma) {
      sweep.verify(all, {m}, fma);
      sweep.settle(all, {m}, fma);
      const auto s = sweep.time(all, {m}, fma)[std::size_t(m)];
      std::printf("%s fma=%d first=%.6f ms median=%.6f ms p95=%.6f ms mean=%.6f ms %.1f GB/s\n", o.mode.c_str(), fma,
                  s.first(), s.median(), s.quantile(0.95), s.mean(), 2.0 * double(bytes) / s.median() / 1e6);
    }
    return 0;
  }

  Results results;
  results.tile_bytes    = tile_elements * 4;
  results.blocks_per_sm = double(problem.blocks) / machine.multiprocessors;
  std::vector<int> every;
  for (std::size_t m = 0; m < all.size(); ++m) every.push_back(int(m));
  // First everything is verified, then everything is timed: what verifying leaves in the cache would otherwise decide which
  // rows are fast.
  for (std::size_t i = 0; i < o.fma.size(); ++i) {
    sweep.progress("verifying", i, o.fma.size());
    sweep.verify(all, every, o.fma[i]);
  }
  sweep.settle(all, every, o.fma.front());
  for (std::size_t i = 0; i < o.fma.size(); ++i) {
    sweep.progress("timing", i, o.fma.size());
    Row row{o.fma[i], {}};
    for (const auto& s : sweep.time(all, every, o.fma[i])) row.ms.push_back(s.median());
    results.rows.push_back(row);
  }
  sweep.progress("", 0, 0);
  if (o.preset == "hbm") results.reads = sweep.reads();
  const auto advice = verdict(results);

  const auto save = [&](const std::string& path, auto write) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) refuse("--output", path, "the file cannot be written", "name a folder that exists");
    harness::write_header(file, machine, command);
    write(file);
    std::fclose(file);
  };
  if (!o.output.empty()) {
    save(o.output + ".csv", [&](std::FILE* f) {
      for (const auto& line : advice) std::fprintf(f, "# %s\n", line.c_str());
      write_csv(f, results.rows);
    });
    if (!results.reads.empty()) save(o.output + "-read.csv", [&](std::FILE* f) { write_reads_csv(f, results.reads); });
  }
  if (o.format == "json") {
    write_json(stdout, results, advice);
    return 0;
  }
  if (o.csv_only) {
    write_csv(stdout, results.rows);
    return 0;
  }
  std::printf("%s, %d SMs, driver %s: %lld elements, %d blocks of %d threads, tiles of 4 KiB\n", machine.gpu.c_str(),
              machine.multiprocessors, machine.driver.c_str(), o.n, problem.blocks, o.block);
  if (o.format == "csv") {
    write_csv(stdout, results.rows);
    if (!results.reads.empty()) {
      std::printf("\n");
      write_reads_csv(stdout, results.reads);
    }
  } else {
    write_table(stdout, results);
  }
  std::printf("\n");
  for (const auto& line : advice) std::printf("%s\n", line.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options  o;
  CLI::App app{
      "Measures whether the copy engine (TMA) pays on this GPU: the same elementwise work with tiles loaded by threads, "
      "by the engine and waited for at once, and by the engine ahead of use, over arithmetic intensity. Every mode's "
      "output is verified before it is timed."};
  app.name("sweep");
  std::vector<std::string> names = mode_names();
  names.push_back("sweep");
  app.add_option("--preset", o.preset,
                 "tutorial: 16 MiB, 64 blocks, L2-resident; hbm: 1 GiB, one block an SM, and a read-only scan")
      ->check(CLI::IsMember({"tutorial", "hbm"}))
      ->capture_default_str();
  app.add_option("--mode", o.mode, "one mode, or sweep for all over --fma-iters")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  app.add_option("--n", o.n, "elements (float), a multiple of 1024 [preset]");
  app.add_option("--tiles", o.tiles, "tiles a block walks, one after another; 0: blocks take turns [preset]")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--blocks-per-sm", o.blocks_per_sm, "blocks for each SM where blocks take turns [1]")
      ->check(CLI::PositiveNumber);
  app.add_option("--block", o.block, "threads of a block: 128, 256 or 512")->capture_default_str();
  app.add_option("--fma-iters", o.fma, "multiply-adds for each element; several for a sweep [1 2 4 ... 256]")
      ->delimiter(',');
  app.add_option("--runs", o.runs, "timed runs of each mode")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--warmup", o.warmup, "runs before those")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--device", o.device, "CUDA device")->capture_default_str();
  app.add_option("--seed", o.seed, "of input and of the order of runs")->capture_default_str();
  app.add_option("--format", o.format, "of what is printed")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  app.add_option("--output", o.output, "also write PREFIX.csv (and PREFIX-read.csv) with the machine in its head");
  app.add_flag("--csv-only", o.csv_only, "print the CSV and nothing else");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::string command = "sweep";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--output") ++i;
    else command += std::string(" ") + argv[i];
  try {
    return run(o, command);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s", e.what());
    return 1;
  }
}
