// Launches through a runtime that is made up: what tma::launch asks of it, from how many threads, and what it says when it is
// refused.
#include <tma/host/launch.hpp>

#include <thread>
#include <vector>

#include "made_up_runtime.hpp"
#include "report.hpp"

namespace {

using report::contains;
using report::is_only;
using report::names;
using tma::ErrorKind;
using tma::Severity;

// Each test case has a kernel of its own: what is known of a kernel stays known.
template <int> void kernel(int) {}

template <class... P> const void* address(void (*k)(P...)) { return reinterpret_cast<const void*>(k); }

tma::Error launched(void (*k)(int), const tma::LaunchConfig& config) { return tma::try_launch(k, config, 1); }

}  // namespace

TEST_CASE("threads that launch one kernel first, with shared memory of every size: no launch fails") {
  made_up::reset();
  made_up::kernel(address(kernel<0>)).fixed = 1000;
  std::vector<std::thread> threads;
  std::vector<int>         failed(8, 0);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const unsigned kib = 60u + unsigned(i * 37 + t * 53) % 160;
        failed[std::size_t(t)] += bool(launched(kernel<0>, {.grid = 1, .block = 32, .shared = kib * 1024}));
      }
    });
  for (std::thread& t : threads) t.join();
  for (int f : failed) CHECK(f == 0);
  CHECK(made_up::runtime.launches == 4000);
  CHECK(made_up::kernel(address(kernel<0>)).limit == 232448 - 1000);
}

TEST_CASE("the limit is raised once, to what the device allows beside the static part") {
  made_up::reset();
  made_up::Kernel& k = made_up::kernel(address(kernel<1>));
  k.fixed            = 4096;
  CHECK(!launched(kernel<1>, {.grid = 1, .block = 32, .shared = 44 * 1024}));  // 48 KiB with the static part
  CHECK(made_up::runtime.opt_ins == 0);
  CHECK(!launched(kernel<1>, {.grid = 1, .block = 32, .shared = 44 * 1024 + 1}));
  CHECK(made_up::runtime.opt_ins == 1);
  CHECK(k.limit == 232448 - 4096);
  const int asked = made_up::runtime.attribute_calls;
  for (unsigned bytes : {100u, 60000u, 200000u, 232448u - 4096u})
    CHECK(!launched(kernel<1>, {.grid = 1, .block = 32, .shared = bytes}));
  CHECK(made_up::runtime.opt_ins == 1);
  CHECK(made_up::runtime.attribute_calls == asked);  // known, and not asked again
  is_only(launched(kernel<1>, {.grid = 1, .block = 32, .shared = 232448 - 4095}).report(), "L4", Severity::error,
          {"shared", "228353 + 4096 static = 232449 bytes", "must have at most 232448 bytes", "fewer stages"});
}

TEST_CASE("each device has its limit") {
  made_up::reset();
  made_up::Kernel& k = made_up::kernel(address(kernel<2>));
  CHECK(!launched(kernel<2>, {.grid = 1, .block = 32, .shared = 100000}));
  made_up::forget_limits();  // a kernel's limit on another device is one that nobody has raised
  cudaSetDevice(1);
  CHECK(!launched(kernel<2>, {.grid = 1, .block = 32, .shared = 100000}));
  CHECK(made_up::runtime.opt_ins == 2);
  CHECK(k.limit == 232448);
  cudaSetDevice(0);
}

TEST_CASE("a limit that was raised and is gone is raised again") {
  made_up::reset();
  CHECK(!launched(kernel<3>, {.grid = 1, .block = 32, .shared = 100000}));
  made_up::forget_limits();  // cudaDeviceReset
  CHECK(!launched(kernel<3>, {.grid = 7, .block = 32, .shared = 100000}));
  CHECK(made_up::runtime.opt_ins == 2);
  CHECK(made_up::runtime.grid_x == 7);
  CHECK(made_up::left() == cudaSuccess);
}

TEST_CASE("a launch without dynamic shared memory asks the runtime for nothing but itself") {
  made_up::reset();
  CHECK(!launched(kernel<4>, {.grid = 3, .block = 32}));
  CHECK(made_up::runtime.attribute_calls == 0);
  CHECK(made_up::runtime.launches == 1);
}

TEST_CASE("L4: static shared memory above the device's limit, with no dynamic part") {
  made_up::reset({.capability = 120, .shared_limit = 101376});
  made_up::kernel(address(kernel<5>)).fixed = 110000;
  const tma::Error error                    = launched(kernel<5>, {.grid = 1, .block = 32});
  CHECK(error.kind() == ErrorKind::rule_broken);
  is_only(error.report(), "L4", Severity::error,
          {"shared", "0 + 110000 static = 110000 bytes", "must have at most 101376 bytes", "smaller tiles"});
  made_up::kernel(address(kernel<6>)).fixed = 40000;
  is_only(launched(kernel<6>, {.grid = 1, .block = 32, .shared = 61377}).report(), "L4", Severity::error,
          {"shared", "61377 + 40000 static = 101377 bytes", "101376 bytes", "smaller tiles"});
  CHECK(!launched(kernel<6>, {.grid = 1, .block = 32, .shared = 61376}));
  is_only(launched(kernel<6>, {.grid = 1, .block = 32, .shared = ~0ull}).report(), "L4", Severity::error,
          {"shared", "-1", "must be at least 0", "below zero"});
  CHECK(made_up::left() == cudaSuccess);
}

TEST_CASE("L3: a kernel's own cluster goes into the rule") {
  made_up::reset();
  made_up::Kernel& k = made_up::kernel(address(kernel<7>));
  k.own[0] = 2, k.own[1] = 1, k.own[2] = 2;
  CHECK(!launched(kernel<7>, {.grid = {4, 1, 2}, .block = 32}));
  CHECK(!launched(kernel<7>, {.grid = {4, 1, 2}, .block = 32, .cluster = {2, 1, 2}}));
  const tma::Error parts = launched(kernel<7>, {.grid = {5, 1, 3}, .block = 32});
  CHECK(parts.kind() == ErrorKind::rule_broken);
  names(parts.report(), "L3", Severity::error,
        {"grid.x", "5 blocks, clusters of 2 (__cluster_dims__)", "must hold whole clusters", "launch 6 blocks"});
  names(parts.report(), "L3", Severity::error, {"grid.z", "3 blocks, clusters of 2", "whole clusters", "launch 4 blocks"});
  is_only(launched(kernel<7>, {.grid = {4, 1, 4}, .block = 32, .cluster = {4, 1, 1}}).report(), "L3", Severity::error,
          {"cluster", "4 x 1 x 1", "own `__cluster_dims__`: 2 x 1 x 2", "leave .cluster out"});
  made_up::kernel(address(kernel<8>)).must_be_set = true;
  is_only(launched(kernel<8>, {.grid = 4, .block = 32}).report(), "L3", Severity::error,
          {"cluster", "none", "must be launched in clusters", "set .cluster"});
  CHECK(!launched(kernel<8>, {.grid = 4, .block = 32, .cluster = 2}));
  CHECK(made_up::left() == cudaSuccess);
}

TEST_CASE("L3: a cluster against the largest that the device has") {
  made_up::reset();
  made_up::kernel(address(kernel<9>)).largest_cluster = 4;
  is_only(launched(kernel<9>, {.grid = 8, .block = 128, .shared = 1024, .cluster = 8}).report(), "L3", Severity::error,
          {"cluster", "8 blocks", "must have at most 4 blocks on this device, with 128 threads and 1024 bytes",
           "smaller cluster"});
  CHECK(!launched(kernel<9>, {.grid = 8, .block = 128, .cluster = 4}));
  made_up::kernel(address(kernel<10>)).largest_cluster = 16;
  CHECK(!launched(kernel<10>, {.grid = 16, .block = 128, .cluster = 16}));
  made_up::kernel(address(kernel<10>)).clusters = 0;
  is_only(launched(kernel<10>, {.grid = 16, .block = 128, .cluster = 16}).report(), "L3", Severity::error,
          {"cluster", "16 blocks", "none of this shape does, with 128 threads and 0 bytes", "smaller cluster"});
  made_up::kernel(address(kernel<11>)).clusters = 0;
  is_only(launched(kernel<11>, {.grid = 16, .block = 1024, .cluster = 8}).report(), "L3", Severity::error,
          {"cluster", "8 blocks", "must fit the SMs of one group", "smaller cluster"});
  // Of a kernel's own cluster as well.
  made_up::Kernel& k = made_up::kernel(address(kernel<12>));
  k.own[0] = 16, k.own[1] = k.own[2] = 1;
  is_only(launched(kernel<12>, {.grid = 16, .block = 32}).report(), "L3", Severity::error,
          {"cluster", "16 blocks", "must have at most 8 blocks", "smaller cluster"});
}

TEST_CASE("L6: the threads that a kernel runs with") {
  made_up::reset();
  made_up::Kernel& k = made_up::kernel(address(kernel<13>));
  k.threads = 256, k.registers = 168;
  const tma::Error error = launched(kernel<13>, {.grid = 1, .block = {32, 12}});
  CHECK(error.kind() == ErrorKind::rule_broken);
  is_only(error.report(), "L6", Severity::error,
          {"block", "384 threads", "must have at most 256 threads: it takes 168 registers", "__launch_bounds__(384)"});
  CHECK(!launched(kernel<13>, {.grid = 1, .block = 256}));
}

TEST_CASE("L7: a stream of another device") {
  made_up::reset();
  is_only(launched(kernel<14>, {.grid = 1, .block = 32, .stream = made_up::stream_of_device(1)}).report(), "L7",
          Severity::error,
          {"stream", "of device 1, and device 0 is current", "must be of the current device", "cudaSetDevice(1)"});
  CHECK(!launched(kernel<14>, {.grid = 1, .block = 32, .stream = made_up::stream_of_device(0)}));
  cudaSetDevice(1);
  CHECK(!launched(kernel<14>, {.grid = 1, .block = 32, .stream = made_up::stream_of_device(1)}));
  cudaSetDevice(0);
  CHECK(made_up::left() == cudaSuccess);
}

TEST_CASE("all that is known to be wrong is said at once") {
  made_up::reset();
  made_up::Kernel& k = made_up::kernel(address(kernel<15>));
  k.threads = 64, k.own[0] = 2, k.own[1] = k.own[2] = 1;
  const tma::Error error = launched(kernel<15>, {.grid = 3, .block = 128, .stream = made_up::stream_of_device(1)});
  CHECK((report::ids(error.report()) == std::set<std::string>{"L3", "L6", "L7"}));
}

TEST_CASE("what no rule explains is told with all that was asked for") {
  made_up::reset({.failing = "cudaLaunchKernelExC", .status = cudaErrorMemoryAllocation});
  const tma::Error error = launched(kernel<16>, {.grid = {6, 2}, .block = {32, 4}, .shared = 777, .cluster = 3});
  CHECK(error.kind() == ErrorKind::launch_failed);
  INFO(error.what());
  for (const char* part : {"the launch failed", "grid 6 x 2 x 1", "block 32 x 4 x 1", "cluster 3 x 1 x 1",
                           "777 bytes of dynamic", "stream ", "32 registers a thread", "up to 1024 threads"})
    CHECK(contains(error.what(), part));
  CHECK(made_up::left() == cudaSuccess);

  made_up::reset({.failing = "cudaLaunchKernelExC", .status = cudaErrorNoKernelImageForDevice});
  CHECK(contains(launched(kernel<16>, {.grid = 1, .block = 32}).what(),
                 "holds no code for this device. Fix: compile with -gencode=arch=compute_90,code=sm_90"));
}
