// sweep: does the copy engine pay on this device, and from where on not?
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "../harness/machine.hpp"
#include "../harness/progress.hpp"
#include "../harness/timing.hpp"
#include "modes.cuh"
#include "reference.cuh"
#include "verdict.hpp"

namespace {

using namespace sweep;
using harness::DeviceArray;
using harness::hold_device;
using harness::require;

class Sweep {
public:
  Sweep(const Options& options, const Problem& problem, int multiprocessors)
      : o_(options),
        p_(problem),
        multiprocessors_(multiprocessors),
        random_(options.seed),
        expected_(problem.n),
        mismatches_(1),
        folded_(1) {}

  // What every mode writes is compared, bit by bit, with what one thread an element computes.
  void verify(const std::vector<Run>& modes, const std::vector<int>& which, int fma) {
    launch_reference(fma, expected_.data);
    for (int m : which) {
      require(cudaMemset(p_.out, 0xff, p_.n * sizeof(float)), "cudaMemset");
      modes[std::size_t(m)](fma);
      require(cudaMemset(mismatches_.data, 0, sizeof(*mismatches_.data)), "cudaMemset");
      differences<<<1024, 256>>>(reinterpret_cast<const unsigned*>(p_.out),
                                 reinterpret_cast<const unsigned*>(expected_.data), p_.n, mismatches_.data);
      unsigned long long wrong = 0;
      require(cudaMemcpy(&wrong, mismatches_.data, sizeof wrong, cudaMemcpyDeviceToHost),
              mode_names()[std::size_t(m)].c_str());
      if (wrong) fail(mode_names()[std::size_t(m)], fma, wrong);
    }
  }

  // The reference itself, against the host, on a sample.
  void verify_reference(int fma) {
    launch_reference(fma, expected_.data);
    const std::size_t  count = std::min<std::size_t>(p_.n, 4096);
    std::vector<float> in(count), out(count);
    require(cudaMemcpy(in.data(), p_.in, count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    require(cudaMemcpy(out.data(), expected_.data, count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (std::size_t i = 0; i < count; ++i)
      if (expected_of(in[i], fma) != out[i]) fail("the reference", fma, 1);
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
    const auto readers = sweep::readers(p_, multiprocessors_);
    launch_reference(1, expected_.data);
    const unsigned       expected = folded(reinterpret_cast<const unsigned*>(expected_.data), p_.n);
    std::vector<ReadRow> rows;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const Reader& r = readers[i];
      harness::progress("reading only", i, readers.size());
      require(cudaMemset(p_.out, 0xff, std::size_t(r.blocks) * Reader::threads * sizeof(float)), "cudaMemset");
      r.run(1);
      if (folded(reinterpret_cast<const unsigned*>(p_.out), std::size_t(r.blocks) * Reader::threads) != expected)
        fail("a reading pipeline", 1, 1);
      const auto s = time({r.run}, {0}, 1)[0];
      rows.push_back({r.stages, r.elements * 4, r.blocks_per_sm, s.median(), double(p_.n) * 4 / s.median() / 1e6});
    }
    harness::progress("", 0, 0);
    return rows;
  }

private:
  void launch_reference(int fma, float* out) {
    reference<<<4096, 256>>>(p_.in, out, p_.n, fma);
    require(cudaGetLastError(), "the reference");
  }

  unsigned folded(const unsigned* data, std::size_t n) {
    unsigned result = 0;
    require(cudaMemset(folded_.data, 0, sizeof result), "cudaMemset");
    fold<<<1024, 256>>>(data, n, folded_.data);
    require(cudaMemcpy(&result, folded_.data, sizeof result, cudaMemcpyDeviceToHost), "a checksum");
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

  // What results are held against, and what comes of it.
  DeviceArray<float>              expected_;
  DeviceArray<unsigned long long> mismatches_;
  DeviceArray<unsigned>           folded_;
};

// The modes on the CPU machine: the program beside this one, since none may hold both compilations of a kernel. Returns
// where there is no such program.
void run_machine(char** arguments) {
  char          self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || length == ssize_t(sizeof self)) return;
  const std::string program = std::string(self, std::size_t(length)) + "-machine";
  execv(program.c_str(), arguments);
  std::fprintf(stderr, "sweep: %s: %s. Fix: build the target sweep-machine to see the modes run without a GPU.\n",
               program.c_str(), std::strerror(errno));
}

int run(Options o, const std::string& command, char** arguments) {
  if (o.machine) {
    run_machine(arguments);
    return 2;
  }
  if (o.n == unset) o.n = o.preset == "hbm" ? 1ll << 28 : 4194304;
  if (o.tiles == unset) o.tiles = o.preset == "hbm" ? 0 : 64;
  if (o.fma.empty()) o.fma = {1, 2, 4, 8, 16, 32, 64, 128, 256};

  tma::Driver driver;
  if (cudaSetDevice(o.device) != cudaSuccess) cudaGetLastError();  // the next call says what is wrong
  if (const tma::Error error = tma::system_driver(driver)) {
    std::fprintf(stderr, "%s", error.what());
    if (error.kind() != tma::ErrorKind::context_failed) run_machine(arguments);
    return 2;
  }
  if (o.machine_options)
    refuse("--schedules, --timeline", "given", "they are for the CPU machine, and there is a GPU to measure on",
           "add --machine, or leave them out");
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

  DeviceArray<float> in(std::size_t(o.n)), out(std::size_t(o.n));
  randomise<<<4096, 256>>>(in.data, std::size_t(o.n), o.seed);
  require(cudaDeviceSynchronize(), "randomise");

  const int     tiles = int(o.n / tile_elements);
  const Problem problem{std::size_t(o.n),
                        {tiles, o.tiles},
                        o.tiles > 0 ? (tiles + o.tiles - 1) / o.tiles
                                    : std::min(tiles, machine.multiprocessors * o.blocks_per_sm),
                        o.block,
                        in.data,
                        out.data};
  const auto    all = modes(problem);

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
    harness::progress("verifying", i, o.fma.size());
    sweep.verify(all, every, o.fma[i]);
  }
  sweep.settle(all, every, o.fma.front());
  for (std::size_t i = 0; i < o.fma.size(); ++i) {
    harness::progress("timing", i, o.fma.size());
    Row row{o.fma[i], {}};
    for (const auto& s : sweep.time(all, every, o.fma[i])) row.ms.push_back(s.median());
    results.rows.push_back(row);
  }
  harness::progress("", 0, 0);
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
  std::string command = "sweep";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--output") ++i;
    else command += std::string(" ") + argv[i];
  return main_with(
      argc, argv,
      "Measures whether the copy engine (TMA) pays on this GPU: the same elementwise work with tiles loaded by threads, "
      "by the engine and waited for at once, and by the engine ahead of use, over arithmetic intensity. Every mode's "
      "output is verified before it is timed.",
      [&](const Options& o) { return run(o, command, argv); });
}
