// The rule book against the driver: a million random calls of its encode functions, and every verdict compared with ours.
//
//     encode_fuzz --seed 1 --count 1000000 --csv rows.csv [--threads 16] [--verbose]
//
// Prints a screen: the differences by rule, each with one example; --verbose adds every group of those that are unexplained.
// Exit code 0 where every difference is a documented one, 1 where one is not, 2 for a wrong option, 77 without a device.
#include <tma/host/im2col.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "../../bench/harness/machine.hpp"
#include "encode_fuzz.hpp"

namespace {

using encode_fuzz::Function;
using encode_fuzz::Parameters;
using u64 = unsigned long long;

struct Options {
  u64         seed = 1, count = 1'000'000, threads = 0;
  std::string csv;
  bool        verbose = false;
};

[[noreturn]] void refuse(const std::string& field, const std::string& value, const char* rule, const char* fix) {
  std::fprintf(stderr, "encode_fuzz: %s = %s: %s. Fix: %s.\n", field.c_str(), value.c_str(), rule, fix);
  std::exit(2);
}

u64 number(const std::string& name, const std::string& text) {
  errno       = 0;
  const u64 n = std::strtoull(text.c_str(), nullptr, 10);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos || errno != 0)
    refuse(name, text, "a decimal number from 0 to 2^64 - 1", "write digits only");
  return n;
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto        value  = [&]() -> std::string {
      if (i + 1 == argc) refuse(option, "nothing", "the option has a value", "write it after the option");
      return argv[++i];
    };
    if (option == "--seed") o.seed = number(option, value());
    else if (option == "--count") o.count = number(option, value());
    else if (option == "--threads") o.threads = number(option, value());
    else if (option == "--csv") o.csv = value();
    else if (option == "--verbose") o.verbose = true;
    else refuse("option", option, "one of --seed, --count, --threads, --csv, --verbose", "look for a letter that is wrong");
  }
  return o;
}

struct Calls {
  tma::EncodeTiled      tiled;
  tma::EncodeIm2col     im2col;
  tma::EncodeIm2colWide wide;  // null before 12.8

  int operator()(const Parameters& p, void* map) const {
    void* const base = reinterpret_cast<void*>(std::uintptr_t(p.base));
    switch (p.function) {
      case Function::tiled:
        return tiled(map, p.type, p.rank, base, p.extents, p.strides, p.box, p.element_strides, p.interleave, p.swizzle,
                     p.promotion, p.fill);
      case Function::im2col:
        return im2col(map, p.type, p.rank, base, p.extents, p.strides, p.lower, p.upper, p.box[0], p.pixels,
                      p.element_strides, p.interleave, p.swizzle, p.promotion, p.fill);
      default:
        return wide(map, p.type, p.rank, base, p.extents, p.strides, p.lower[0], p.upper[0], p.box[0], p.pixels,
                    p.element_strides, p.interleave, p.mode, p.swizzle, p.promotion, p.fill);
    }
  }
};

// Found by name at run time: nothing is linked, and the program starts where there is no driver.
bool find(Calls& calls, tma::Driver& driver) {
  if (const tma::Error error = tma::system_driver(driver)) {
    std::printf("SKIPPED: %s", error.what());
    return false;
  }
  calls.tiled  = driver.encode_tiled;
  calls.im2col = reinterpret_cast<tma::EncodeIm2col>(driver.find(tma::DriverCall::encode_im2col));
  calls.wide   = reinterpret_cast<tma::EncodeIm2colWide>(driver.find(tma::DriverCall::encode_im2col_wide));
  return true;
}

// What a driver does with a map at an address that is no multiple of 64 may be to end the process. So it is another's.
bool survives_misaligned_maps() {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Calls       calls{};
    tma::Driver driver;
    if (tma::system_driver(driver)) _exit(0);
    calls.tiled  = driver.encode_tiled;
    calls.im2col = reinterpret_cast<tma::EncodeIm2col>(driver.find(tma::DriverCall::encode_im2col));
    for (Function f : {Function::tiled, Function::im2col})
      for (unsigned offset : {8u, 16u, 32u, 48u, 96u}) {
        Parameters p;
        p.function   = f;
        p.rank       = 3;
        p.base       = 0x7f0000000000;
        p.box[0]     = 16;
        p.extents[0] = 64;
        p.map_offset = offset;
        encode_fuzz::call(calls, p);
      }
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Options o = parse(argc, argv);
  std::string   command;
  for (int i = 0; i < argc; ++i) command += (i ? " " : "") + std::string(i ? argv[i] : "encode_fuzz");
  std::FILE* const file = o.csv.empty() ? nullptr : std::fopen(o.csv.c_str(), "wb");
  if (!o.csv.empty() && !file) refuse("--csv", o.csv, "the file cannot be written", "name a folder that exists");

  const bool  misaligned = survives_misaligned_maps();  // before this process has a context: one cannot be inherited
  Calls       calls{};
  tma::Driver driver;
  if (!find(calls, driver)) return 77;
  if (!misaligned)
    std::printf("the driver does not survive a map that is not at a multiple of 64 (rule T1): none is tried\n");
  if (!calls.im2col || !calls.wide)
    std::printf("SKIPPED in part: the driver has no %s\n",
                calls.im2col ? "cuTensorMapEncodeIm2colWide" : "im2col functions");

  const encode_fuzz::Encode encode = [&](const Parameters& p, void* map) {
    if (p.function == Function::im2col ? !calls.im2col : p.function == Function::im2col_wide && !calls.wide) return 1;
    return calls(p, map);
  };
  const u64                         threads = o.threads ? o.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<encode_fuzz::Tallies> parts(threads);
  std::vector<std::thread>          workers;
  const auto                        start = std::chrono::steady_clock::now();
  for (u64 t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      cudaSetDevice(0);
      cudaFree(nullptr);  // the driver wants a current context in every thread
      const u64 first = o.count / threads * t + std::min(t, o.count % threads);
      parts[t] = encode_fuzz::run(o.seed, first, o.count / threads + (t < o.count % threads), driver.compute_capability,
                                  encode, misaligned);
    });
  for (std::thread& w : workers) w.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  encode_fuzz::Tallies all;
  u64                  unexplained = 0;
  for (const encode_fuzz::Tallies& part : parts)
    for (std::size_t f = 0; f < 3; ++f) all[f].add(part[f]);
  for (const encode_fuzz::Tally& t : all) unexplained += t.unexplained();
  std::printf("%llu calls on a device of capability %d.%d with a driver of CUDA %d.%d, %llu threads, %.1f s\n", o.count,
              driver.compute_capability / 10, driver.compute_capability % 10, driver.version / 1000,
              driver.version % 1000 / 10, threads, seconds);
  encode_fuzz::print(stdout, all, o.verbose);
  if (file) {
    harness::write_header(file, harness::machine(0), command);
    encode_fuzz::write_rows(file, all, o.seed);
    std::fclose(file);
  }
  std::printf("%llu unexplained\n", unexplained);
  return unexplained ? 1 : 0;
}
