// Every bench's main: reads the options, runs the bench and writes what it measured. Exit codes: 1 where something failed or was
// wrong, 2 where an option or the device does not do.
#include <CLI/CLI.hpp>
#include <tma/host/driver.hpp>
#include <tma/host/error.hpp>

#include "bench.hpp"

int main(int argc, char** argv) {
  using namespace harness;
  BenchOptions o;
  CLI::App     app{about.description};
  app.name(about.name);
  app.add_option("--csv", o.csv, "write the results to FILE, and not to the output");
  app.add_option("--goals", o.goals, "write the rows of the summary to FILE, and not to the messages");
  app.add_option("--samples", o.samples, "launches of each variant")->check(CLI::Range(2, 10000))->capture_default_str();
  app.add_option("--seed", o.seed, "of the inputs and of the order of launches")->capture_default_str();
  app.add_option("--device", o.device, "CUDA device")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--only", o.only, "leave out the parts whose name does not hold this text");
  app.add_flag("--quick", o.quick, "a part of the points, small ones");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::string command = about.name;
  for (int i = 1; i < argc; ++i)
    if (const std::string word = argv[i]; word == "--csv" || word == "--goals") ++i;
    else command += " " + word;

  if (cudaSetDevice(o.device) != cudaSuccess) cudaGetLastError();  // the next call says what is wrong
  tma::Driver driver;
  if (const tma::Error error = tma::system_driver(driver)) {
    std::fprintf(stderr, "%s", error.what());
    return 2;
  }
  try {
    Bench bench(about.name, o, command);
    run(bench);
    return bench.write();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s", e.what());
    return 1;
  }
}
