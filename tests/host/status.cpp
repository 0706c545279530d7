// Every status that an earlier failure leaves, returned by every call that the library makes: it is never this call's fault.
#include <tma/host/check_allocation.hpp>
#include <tma/host/descriptor_array.hpp>
#include <tma/host/descriptor_cache.hpp>
#include <tma/host/im2col.hpp>
#include <tma/host/launch.hpp>
#include <tma/host/stream_device.hpp>
#include <tma/host/synchronize.hpp>
#include <tma/host/thread_descriptor.hpp>
#include <tma/host/with_address.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "made_up_runtime.hpp"
#include "report.hpp"

namespace {

using report::contains;
using tma::Error;
using tma::ErrorKind;
using tma::TensorView;

using half   = unsigned short;
using Tile   = tma::Tile<float, tma::Shape<8, 16>>;
using Column = tma::Tile<half, tma::Shape<64, 32>>;
using Map    = tma::TmaDescriptor<float, 2, Tile>;

alignas(128) float memory[64 * 64];
const TensorView<float, 2>      view{memory, {64, 64}};
const TensorView<const half, 3> image{reinterpret_cast<const half*>(memory), {1, 17, 64}};

constexpr int sticky[] = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999};
constexpr int others[] = {1,   2,   3,   4,   34,  35,  100, 101, 201, 209, 304, 400,
                          500, 600, 701, 704, 709, 720, 800, 801, 900, 912, 917, 918};

template <int> void kernel(int) {}

template <class F> Error thrown(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  return {};
}
template <class T> Error error_of(const tma::Result<T>& r) { return r.error(); }

// What is done, and the calls that it makes of the runtime and of the driver.
struct Caller {
  const char*              name;
  std::function<Error()>   act;
  std::vector<const char*> calls;
};

const std::vector<const char*> finding = {"cudaDriverGetVersion", "cudaGetDeviceCount", "cudaGetDevice",
                                          "cudaDeviceGetAttribute"};

std::vector<const char*> with(std::vector<const char*> some, const std::vector<const char*>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

Map made() {
  made_up::reset();
  return *tma::try_make_descriptor<Tile>(view);
}

std::vector<Caller> callers() {
  static const Map descriptor                                                = made();
  made_up::kernel(reinterpret_cast<const void*>(&kernel<2>)).largest_cluster = 16;
  return {
      {"system_driver",
       [] {
         tma::Driver d;
         return tma::system_driver(d);
       },
       finding},
      {"make_descriptor", [] { return error_of(tma::try_make_descriptor<Tile>(view)); },
       with({"cudaPointerGetAttributes", "encode"}, finding)},
      {"make_descriptor of a box known at run time", [] { return error_of(tma::try_make_descriptor(view, {8, 16})); },
       with({"cudaPointerGetAttributes", "encode"}, finding)},
      {"make_descriptor, throwing", [] { return thrown([] { tma::make_descriptor<Tile>(view); }); }, {"encode"}},
      {"make_descriptor of im2col", [] { return error_of(tma::try_make_descriptor<tma::Im2col<Column>>(image, {})); },
       with({"cudaPointerGetAttributes", "encode_im2col"}, finding)},
      {"with_address", [] { return error_of(tma::try_with_address(descriptor, memory)); },
       with({"cudaPointerGetAttributes", "replace_address"}, finding)},
      {"check_allocation", [] { return tma::check_allocation(view); }, with({"address_range"}, finding)},
      {"DescriptorArray", [] { return thrown([] { tma::DescriptorArray<Map> array(3); }); }, {"cudaMalloc"}},
      {"DescriptorArray::upload",
       [] {
         const std::string failing = made_up::runtime.failing;
         made_up::runtime.failing  = "";
         tma::DescriptorArray<Map> array(3);
         made_up::runtime.failing = failing;
         return array.try_upload();
       },
       {"cudaStreamIsCapturing", "cudaMemcpyAsync"}},
      {"DescriptorCache",
       [] {
         tma::DescriptorCache c;
         return thrown([&] { c.get<Tile>(view); });
       },
       with({"cudaPointerGetAttributes", "encode"}, finding)},
      {"DescriptorCache, of what it holds",
       [] {
         const std::string    failing = made_up::runtime.failing;
         tma::DescriptorCache c;
         made_up::runtime.failing = "";
         c.get<Tile>(view);
         made_up::runtime.failing = failing;
         return thrown([&] { c.get<Tile>(view); });
       },
       {"cudaGetDevice"}},
      {"make_thread_descriptor",
       [] { return error_of(tma::try_make_thread_descriptor<Tile>(view)); },
       {"cudaPointerGetAttributes"}},
      {"launch", [] { return tma::try_launch(kernel<0>, {.grid = 1, .block = 32}, 1); }, {"cudaLaunchKernelExC"}},
      {"launch with shared memory",
       [] { return tma::try_launch(kernel<1>, {.grid = 1, .block = 32, .shared = 100000}, 1); },
       {"cudaGetDevice", "cudaLaunchKernelExC"}},
      {"launch in large clusters",
       [] { return tma::try_launch(kernel<2>, {.grid = 16, .block = 32, .cluster = 16}, 1); },
       {"cudaFuncSetAttribute"}},
      {"synchronize", [] { return tma::try_synchronize(); }, {"cudaStreamSynchronize"}},
      {"stream_device",
       [] {
         tma::StreamDevice d;
         return tma::stream_device(d);
       },
       finding},
  };
}

// The error says that something before this call has failed, and blames nothing else.
void check_blame(const Error& error, int status) {
  INFO(error.what());
  CHECK((error.kind() == ErrorKind::context_failed));
  CHECK(contains(error.what(), ("status " + std::to_string(status)).c_str()));
  CHECK(contains(error.what(), "every call fails until the process restarts"));
  for (const char* blame :
       {"breaks no known rule", "refused", "no NVIDIA driver", "no GPU", "update the driver", "Asked for"})
    CHECK(!contains(error.what(), blame));
  CHECK(error.report().ok());
}

bool comes_of_the_driver(const std::string& call) {
  return call == "encode" || call == "encode_im2col" || call == "replace_address" || call == "address_range";
}

}  // namespace

// First: a driver's call that was found once is not looked up again.
TEST_CASE("a look-up of a driver's call that returns what a kernel has left") {
  for (int status : sticky) {
    made_up::reset({.failing = "cudaGetDriverEntryPointByVersion", .status = status});
    check_blame(error_of(tma::try_make_descriptor<Tile>(view)), status);
  }
  made_up::reset();
  CHECK(bool(tma::try_make_descriptor<Tile>(view)));
  const auto in = tma::try_make_descriptor<Tile>(view);
  for (int status : sticky) {
    made_up::reset({.failing = "cudaGetDriverEntryPointByVersion", .status = status});
    check_blame(error_of(tma::try_make_descriptor<tma::Im2col<Column>>(image, {})), status);
    made_up::reset({.failing = "cudaGetDriverEntryPointByVersion", .status = status});
    check_blame(error_of(tma::try_with_address(*in, memory)), status);
    made_up::reset({.failing = "cudaGetDriverEntryPointByVersion", .status = status});
    check_blame(tma::check_allocation(view), status);
  }
}

// A kernel that is not known yet, each time.
template <int... I> void first_launches(std::integer_sequence<int, I...>, const char* call) {
  const auto one = [call](void (*k)(int), int status) {
    made_up::reset({.failing = call, .status = status});
    check_blame(tma::try_launch(k, {.grid = 1, .block = 32, .shared = 100000}, 1), status);
  };
  (one(kernel<I>, sticky[I % 16]), ...);
}

TEST_CASE("the first launch of a kernel with shared memory") {
  using Statuses = std::make_integer_sequence<int, 16>;
  first_launches(Statuses(), "cudaFuncGetAttributes");
  first_launches(Statuses(), "cudaDeviceGetAttribute");
  first_launches(Statuses(), "cudaFuncSetAttribute");
}

TEST_CASE("every status that an earlier failure leaves, by every call, is an earlier failure") {
  for (const Caller& caller : callers()) {
    made_up::reset();
    INFO(caller.name);
    const Error none = caller.act();
    INFO(none.what());
    CHECK(!none);
    for (const char* call : caller.calls)
      for (int status : sticky) {
        INFO(caller.name << ": " << call << " returns " << status);
        made_up::reset({.failing = call, .status = status});
        check_blame(caller.act(), status);
        // It is not ours to clear.
        if (!comes_of_the_driver(call)) CHECK(int(made_up::left()) == status);
      }
  }
}

TEST_CASE("what a kernel left before the first call") {
  for (const Caller& caller : callers()) {
    if (caller.calls.size() < finding.size()) continue;  // it asks the runtime for no device
    for (int status : sticky) {
      INFO(caller.name << ": " << status);
      made_up::reset({.failing = "cudaSetDevice", .status = status});
      cudaSetDevice(0);
      check_blame(caller.act(), status);
      CHECK(int(made_up::left()) == status);
    }
  }
}

TEST_CASE("the context that the runtime makes late, where an earlier failure shows in making it") {
  for (const char* call : {"encode", "encode_im2col", "replace_address", "address_range"})
    for (const Caller& caller : callers()) {
      if (std::find_if(caller.calls.begin(), caller.calls.end(), [&](const char* c) { return std::string(c) == call; }) ==
          caller.calls.end())
        continue;
      INFO(caller.name);
      made_up::reset({.failing = call, .status = 201, .once = true});
      CHECK(!caller.act());  // made, and asked again
    }
  for (int status : sticky) {
    int made = 0;
    made_up::reset({.failing = "cudaFree", .status = status});
    const int answer = tma::detail::ask_driver([&] { return made++ == 0 ? 201 : 0; });
    CHECK(answer == status);
    CHECK(int(made_up::left()) == status);
  }
  made_up::reset({.failing = "cudaFree", .status = 2});
  CHECK(tma::detail::ask_driver([] { return 201; }) == 2);
  CHECK(made_up::left() == cudaSuccess);
}

TEST_CASE("other statuses are the call's own") {
  for (int status : others) CHECK(!tma::detail::is_sticky(status));
  for (int status : others)
    for (const Caller& caller : callers())
      for (const char* call : caller.calls) {
        made_up::reset({.failing = call, .status = status});
        const Error error = caller.act();
        INFO(caller.name << ": " << call << " returns " << status << ": " << error.what());
        CHECK((error.kind() != ErrorKind::context_failed));
        CHECK(!contains(error.what(), "every call fails"));
      }
}

TEST_CASE("only a refusal of its arguments makes the encode blame them") {
  for (int status : others) {
    made_up::reset({.failing = "encode", .status = status});
    const Error error = error_of(tma::try_make_descriptor<Tile>(view));
    INFO(error.what());
    const bool its_own = status == 1 || status == 801;
    CHECK((error.kind() == (its_own ? ErrorKind::encode_refused : status == 201 ? error.kind() : ErrorKind::call_failed)));
    CHECK(contains(error.what(), "breaks no known rule") == (error.kind() == ErrorKind::encode_refused));
    if (error.kind() == ErrorKind::call_failed) CHECK(contains(error.what(), "The tensor is not the cause"));
  }
}

TEST_CASE("M15: whether the engine can load, after a failure, is a question without an answer") {
  made_up::reset({.failing = "cudaGetDevice", .status = 700});
  const tma::Report report = tma::can_load<Tile>(view);
  report::is_only(report, "M15", tma::Severity::error,
                  {"device", "context failed", "no kernel of this process must have failed", "find that kernel"});
}

TEST_CASE("the hint at a descriptor without __grid_constant__ stands where such a kernel may end") {
  for (int status : sticky) {
    const bool may_be = status == 700 || status == 715 || status == 716 || status == 717 || status == 719;
    made_up::reset({.failing = "cudaStreamSynchronize", .status = status});
    CHECK(contains(tma::try_synchronize().what(), "const __grid_constant__") == may_be);
    made_up::reset({.failing = "cudaLaunchKernelExC", .status = status});
    CHECK(contains(tma::try_launch(kernel<0>, {.grid = 1, .block = 32}, 1).what(), "const __grid_constant__") == may_be);
  }
}
