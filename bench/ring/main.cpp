// ring: what the library's ring costs beside the same ring by hand and beside CUTLASS's, in one run.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "options.hpp"

int main(int argc, char** argv) {
  ring::Options o;
  CLI::App      app{
      "Measures the library's ring (a producer warp, consumer warps) beside the same ring by hand and, where it was "
      "built with -DTMA_BENCH_CUTLASS=<its include folder>, CUTLASS's PipelineTmaAsync. Results are verified before "
      "anything is timed."};
  app.name("ring");
  app.add_option("--csv", o.csv, "write FILE, with the machine in its head, and not to the output");
  app.add_option("--samples", o.samples, "launches of each implementation in each configuration")
      ->check(CLI::Range(2, 10000))
      ->capture_default_str();
  app.add_option("--mebibytes", o.mebibytes, "of the source in device memory")
      ->check(CLI::Range(64, 16384))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "of the source and of the order of launches")->capture_default_str();
  app.add_option("--device", o.device, "CUDA device")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_flag("--quick", o.quick, "tiles of 4 KiB alone");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::string command = "ring";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--csv") ++i;
    else command += std::string(" ") + argv[i];
  try {
    return ring::run(o, command);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s", e.what());
    return 1;
  }
}
