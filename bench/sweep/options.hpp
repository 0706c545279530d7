// What can be asked of the sweep: the same on a device and on the CPU machine.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "results.hpp"

namespace sweep {

inline constexpr int tile_elements = 1024;         // 4 KiB: 32 x 32
inline constexpr int unset         = -0x7fffffff;  // the preset decides

struct Options {
  std::string      preset = "tutorial", mode = "sweep", format = "table", output, timeline;
  long long        n     = unset;
  int              tiles = unset, blocks_per_sm = 1, block = 256, runs = 7, warmup = 2, device = 0, schedules = 20;
  std::vector<int> fma;
  unsigned         seed     = 1;
  bool             csv_only = false, machine = false, machine_options = false;
};

// A mistake in what was asked for, said as the library says it, and exit code 2.
[[noreturn]] inline void refuse(const char* field, const std::string& value, const std::string& rule,
                                const std::string& fix) {
  std::fprintf(stderr, "sweep: %s = %s: %s. Fix: %s.\n", field, value.c_str(), rule.c_str(), fix.c_str());
  std::exit(2);
}

namespace detail {

inline void add_options(CLI::App& app, Options& o) {
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

  const auto on_machine = [&](CLI::Option* option) { option->group("Without a GPU"); };
  on_machine(app.add_flag("--machine", o.machine, "do what is done without a GPU though there is one"));
  on_machine(app.add_option("--schedules", o.schedules, "orders of threads and copies that each kernel runs in")
                 ->check(CLI::PositiveNumber)
                 ->capture_default_str());
  on_machine(app.add_option("--timeline", o.timeline,
                            "write FILE for Chrome's trace viewer: the simulated run of --mode, or of pipe2"));
  app.footer("Without a GPU the modes run on a model of one, on a small problem: results and protocol are verified, and\n"
             "nothing is timed. --mode, --preset, --block, --fma-iters, --seed and the formats mean the same there; what\n"
             "sizes a problem or a measurement means nothing.");
}

// What holds for every device and none.
inline void check(const Options& o) {
  if (o.n != unset && (o.n <= 0 || o.n % tile_elements != 0))
    refuse("--n", std::to_string(o.n), "the number of elements is a positive multiple of the tile, 1024",
           "use " + std::to_string(std::max(1ll, (o.n + tile_elements - 1) / tile_elements) * tile_elements));
  if (o.n != unset && o.n / tile_elements > 0x7fffffff / 2)
    refuse("--n", std::to_string(o.n), "at most 2^40 elements", "use fewer");
  if (o.block != 128 && o.block != 256 && o.block != 512)
    refuse("--block", std::to_string(o.block), "the kernels are built for blocks of 128, 256 and 512 threads",
           "choose one of them");
  for (int f : o.fma)
    if (f < 0) refuse("--fma-iters", std::to_string(f), "a number of iterations is not negative", "use 0 or more");
}

}  // namespace detail

// The body of main: parses, checks, runs, and says what went wrong. Exit code 2: what was asked for cannot be done.
template <class Run> int main_with(int argc, char** argv, const char* description, Run&& run) {
  Options  o;
  CLI::App app{description};
  app.name("sweep");
  detail::add_options(app, o);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  o.machine_options = app.count("--schedules") + app.count("--timeline") > 0;
  detail::check(o);
  try {
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s", e.what());
    return 1;
  }
}

}  // namespace sweep
