// fallback: what loads by threads cost beside the copy engine's, in one run.
#include <CLI/CLI.hpp>
#include <tma/host/thread_descriptor.hpp>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "../harness/machine.hpp"
#include "../harness/timing.hpp"
#include "kernels.cuh"

namespace {

using namespace fallback;
using harness::hold_device;
using harness::randomise;
using harness::require;
using harness::Samples;

struct Options {
  std::string csv;
  int         samples = 50, device = 0, mebibytes = 1024;
  unsigned    seed = 1;
};

// The matrix with rows so many elements apart that base and pitch are multiples of `granule` bytes, and of no more.
struct Source {
  int       granule;
  long long pitch;
};

struct Variant {
  std::string implementation, form;
  int         granule;
  Source      source;
  const void* kernel;
  int         block, shared;
  void (*launch)(const Variant&, const Element*, const Matrix&, int blocks, unsigned*);
  int     blocks  = 0;
  Samples samples = {};
};

template <class Loads, bool Roles>
void launch_pipe(const Variant& v, const Element* data, const Matrix& m, int blocks, unsigned* result) {
  const tma::TensorView<const Element, 2> view{data, {m.rows, m.columns}, {v.source.pitch, 1}};
  const auto                              in = tma::make_descriptor_for<Loads, Tile>(view);
  const tma::LaunchConfig                 config{
      .grid = blocks, .block = v.block, .shared = tma::shared_bytes<typename Pipe<Loads>::Shared>};
  if constexpr (Roles) tma::launch(roles<Loads>, config, in, m, result);
  else tma::launch(all_threads<Loads>, config, in, m, result);
}

template <class Granule>
void launch_plain(const Variant& v, const Element* data, const Matrix& m, int blocks, unsigned* result) {
  plain<Granule><<<unsigned(blocks), unsigned(v.block)>>>(data, v.source.pitch, m, result);
  require(cudaGetLastError(), "plain");
}

template <class Loads> void add(std::vector<Variant>& to, const char* name, const Source& s) {
  constexpr int shared = int(tma::shared_bytes<typename Pipe<Loads>::Shared>);
  to.push_back({name, "all threads", s.granule, s, reinterpret_cast<const void*>(all_threads<Loads>), threads, shared,
                launch_pipe<Loads, false>});
  to.push_back({name, "roles", s.granule, s, reinterpret_cast<const void*>(roles<Loads>), threads + 32 * producer_warps,
                shared, launch_pipe<Loads, true>});
}

std::vector<Variant> variants(const Matrix& m) {
  std::vector<Variant> all;
  for (const int granule : {16, 8, 4, 2}) {
    const Source s{granule, m.columns + (granule < 16 ? granule / 2 : 0)};
    if (granule == 16) add<tma::EngineLoads>(all, "engine", s);
    add<tma::ThreadLoads>(all, "threads", s);
    const auto plain_of = [&](auto g) {
      using G = decltype(g);
      all.push_back({"plain", "no tiles", granule, s, reinterpret_cast<const void*>(plain<G>), threads, 0, launch_plain<G>});
    };
    if (granule == 16) plain_of(uint4());
    else if (granule == 8) plain_of(uint2());
    else if (granule == 4) plain_of(0u);
    else plain_of(Element());
  }
  all.push_back(all.front());  // the engine once more, under another label: what differs is noise
  all.back().implementation = "engine again";
  return all;
}

int run(const Options& o, const std::string& command) {
  tma::Driver driver;
  if (cudaSetDevice(o.device) != cudaSuccess) cudaGetLastError();  // the next call says what is wrong
  if (const tma::Error error = tma::system_driver(driver)) {
    std::fprintf(stderr, "%s", error.what());
    return 2;
  }
  const harness::Machine machine = harness::machine(o.device);

  constexpr int                  columns = 4096;
  const Matrix                   m{o.mebibytes * (1 << 20) / (columns * int(sizeof(Element))), columns};
  const std::size_t              room = std::size_t(m.rows) * (columns + 8);
  harness::DeviceArray<Element>  data(room);
  harness::DeviceArray<unsigned> result(1);
  randomise<<<4096, 256>>>(reinterpret_cast<unsigned*>(data.data), room / 2, o.seed);

  auto           all = variants(m);
  harness::Timer timer;
  const auto     go   = [&](const Variant& v) { v.launch(v, data.data, m, v.blocks, result.data); };
  const auto     read = [&](const Variant& v) {
    unsigned folded = 0;
    require(cudaMemset(result.data, 0, sizeof folded), "cudaMemset");
    go(v);
    require(cudaMemcpy(&folded, result.data, sizeof folded, cudaMemcpyDeviceToHost), v.implementation.c_str());
    return folded;
  };
  for (Variant& v : all) {
    if (v.shared > 0)
      require(cudaFuncSetAttribute(v.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, v.shared), "cudaFuncSetAttribute");
    int on_each = 0;
    require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, v.kernel, v.block, std::size_t(v.shared)), "occupancy");
    v.blocks = on_each * machine.multiprocessors;
  }
  // Each matrix as the plain kernel reads it, in elements.
  for (const Variant& v : all) {
    Variant reference        = v;
    reference.implementation = "reference";
    reference.block          = threads;
    reference.launch         = launch_plain<Element>;
    if (read(v) == read(reference)) continue;
    std::fprintf(stderr, "fallback: %s, %s, %d-byte granules: it read something else than the matrix: nothing was written\n",
                 v.implementation.c_str(), v.form.c_str(), v.granule);
    return 1;
  }

  std::mt19937             random(o.seed);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const double bytes = double(m.rows) * columns * sizeof(Element);
  for (int s = 0; s < o.samples; ++s) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order)
      all[i].samples.ms.push_back(bytes / 1e6 / timer([] { hold_device<<<1, 1>>>(50000); }, [&] { go(all[i]); }));
  }

  std::FILE* file = o.csv.empty() ? stdout : std::fopen(o.csv.c_str(), "w");
  if (!file) {
    std::fprintf(stderr, "fallback: --csv = %s: the file cannot be written. Fix: name a folder that exists.\n",
                 o.csv.c_str());
    return 2;
  }
  if (file != stdout) {
    harness::write_header(file, machine, command);
    std::fprintf(file,
                 "# a %d x %d matrix of 2-byte elements, read once in tiles of 32 x 128, 4 stages; GB/s of what is read\n"
                 "# granule: the bytes that base and pitch are multiples of; the engine takes 16\n"
                 "# all threads: %d threads consume, one issues or all load. roles: %d warps fill, %d threads consume\n"
                 "# medians of samples, each a launch, in random order; ratio: to the engine with all threads\n",
                 m.rows, m.columns, threads, producer_warps, threads);
  }
  std::fprintf(file, "implementation,form,granule,blocks,median_gb_per_s,p5,p95,ratio_to_engine\n");
  const double engine = all.front().samples.median();
  for (const Variant& v : all)
    std::fprintf(file, "%s,%s,%d,%d,%.4g,%.4g,%.4g,%.4f\n", v.implementation.c_str(), v.form.c_str(), v.granule, v.blocks,
                 v.samples.median(), v.samples.quantile(0.05), v.samples.quantile(0.95), v.samples.median() / engine);
  if (file != stdout) std::fclose(file);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options  o;
  CLI::App app{
      "Measures a kernel whose tiles are loaded by the copy engine beside the same kernel with loads by threads, of "
      "tensors of every alignment, and beside a kernel without tiles. Results are verified before anything is timed."};
  app.name("fallback-speed");
  app.add_option("--csv", o.csv, "write FILE, with the machine in its head, and not to the output");
  app.add_option("--samples", o.samples, "launches of each kernel")->check(CLI::Range(2, 10000))->capture_default_str();
  app.add_option("--mebibytes", o.mebibytes, "of the matrix")->check(CLI::Range(64, 2047))->capture_default_str();
  app.add_option("--seed", o.seed, "of the matrix and of the order of launches")->capture_default_str();
  app.add_option("--device", o.device, "CUDA device")->check(CLI::NonNegativeNumber)->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::string command = "fallback-speed";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--csv") ++i;
    else command += std::string(" ") + argv[i];
  try {
    return run(o, command);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s", e.what());
    return 1;
  }
}
