// Tensors that are larger than the memory behind them: what the driver is asked, and what is said of its answer.
#include <tma/host/check_allocation.hpp>
#include <tma/host/thread_descriptor.hpp>
#include <tma/host/with_address.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "report.hpp"

namespace {

using tma::ErrorKind;
using tma::Severity;
using tma::TensorView;

// Memory that is made up, and who asked for which address.
struct Chunk {
  std::size_t at, bytes;  // from `place`
};

char* const              place = reinterpret_cast<char*>(std::uintptr_t(0x7f2a40000000));
std::vector<Chunk>       chunks;
int                      answer;
std::vector<const void*> asked;

// What cuPointerGetAttribute says; none: it is not there.
struct Attributes {
  bool        there      = true;
  bool        of_malloc  = true;
  const void* pool       = nullptr;
  std::size_t range_from = 0, range_bytes = 0;  // from `place`
  int         owner = 0, access = 3;
} attributes;
int can_access = 1;

int address_range(void** first, std::size_t* bytes, void* pointer) {
  asked.push_back(pointer);
  if (answer != 0) return answer;
  for (const Chunk& c : chunks)
    if (pointer >= place + c.at && pointer < place + c.at + c.bytes) {
      *first = place + c.at;
      *bytes = c.bytes;
      return 0;
    }
  return 500;
}

int pointer_attribute(void* value, int which, void*) {
  const Attributes& a     = attributes;
  const auto        write = [&](auto v) { return std::memcpy(value, &v, sizeof v), 0; };
  switch (which) {
    case 9: return write(a.owner);
    case 10: return write(a.of_malloc);
    case 11: return write(place + a.range_from);
    case 12: return write(a.range_bytes);
    case 16: return write(a.access);
    case 17: return write(a.pool);
    default: return 1;
  }
}

int can_access_peer(int* can, int, int) { return *can = can_access, 0; }

void* find(tma::DriverCall call) {
  switch (call) {
    case tma::DriverCall::address_range: return reinterpret_cast<void*>(&address_range);
    case tma::DriverCall::pointer_attribute: return attributes.there ? reinterpret_cast<void*>(&pointer_attribute) : nullptr;
    case tma::DriverCall::can_access_peer: return reinterpret_cast<void*>(&can_access_peer);
    default: return nullptr;
  }
}

tma::Driver driver(std::vector<Chunk> all, Attributes a) {
  chunks     = std::move(all);
  attributes = a;
  answer     = 0;
  can_access = 1;
  asked.clear();
  return {.pointer_kind       = [](const void*) { return tma::PointerKind::device; },
          .find               = find,
          .compute_capability = 90,
          .version            = 13000,
          .device             = 0};
}

// One allocation of cudaMalloc.
tma::Driver driver(std::size_t bytes, int status = 0) {
  tma::Driver d = driver({{0, bytes}}, {.range_bytes = bytes});
  answer        = status;
  return d;
}

template <class T> T* at(int offset = 0) { return reinterpret_cast<T*>(place + offset); }

template <class View> bool fits(const View& view, std::size_t bytes) {
  const tma::Driver d     = driver(bytes);
  const tma::Error  error = tma::check_allocation(view, &d);
  INFO(error.what());
  CHECK(asked == std::vector<const void*>{view.data()});
  if (error) CHECK(error.kind() == ErrorKind::rule_broken);
  return !error;
}

// The least allocation that holds the view, found by trying.
template <class View> void ends_at(const View& view, std::size_t bytes) {
  CHECK(fits(view, bytes));
  CHECK(fits(view, bytes + 1));
  CHECK(fits(view, std::size_t(1) << 40));
  CHECK_FALSE(fits(view, bytes - 1));
}

}  // namespace

TEST_CASE("a tensor of 16 KiB in an allocation of 1 KiB says both ends") {
  const tma::Driver d     = driver(1024);
  const tma::Error  error = tma::check_allocation(TensorView{at<float>(), {64, 64}}, &d);
  REQUIRE(bool(error));
  CHECK(error.kind() == ErrorKind::rule_broken);
  report::is_only(error.report(), "M12", Severity::error,
                  {"extents x strides", "+16384", "from there on it has 1024 bytes", "allocate 15360 bytes more"});
  CHECK(report::contains(error.what(), "tma: the tensor at check_allocation.cpp:"));
  CHECK(report::contains(error.what(),
                         " (f32, 64 x 64) is larger than its memory: 1 rule broken\n  [M12] extents x strides = "));
}

TEST_CASE("the last element decides, whatever lies between") {
  ends_at(TensorView{at<float>(), {64, 64}}, 16384);
  ends_at(TensorView{at<const float>(), {1}}, 4);
  ends_at(TensorView{at<unsigned char>(), {3, 5, 7, 11, 13}}, 3 * 5 * 7 * 11 * 13);
  // Rows with gaps: the last row needs none behind it.
  ends_at(TensorView{at<short>(), {10, 60}, {64, 1}}, 9 * 128 + 120);
  // Rows that overlap, and one that is repeated.
  ends_at(TensorView{at<const float>(), {10, 16}, {4, 1}}, 9 * 16 + 64);
  ends_at(TensorView{at<const float>(), {1000, 16}, {0, 1}}, 64);
  // A stride that no element uses says nothing.
  ends_at(TensorView{at<float>(), {1, 8}, {1 << 30, 1}}, 32);
  // Sixteen elements of 4 bits are 8 bytes; of 6 bits, 12.
  ends_at(TensorView{at<tma::u4x16>(), {4, 8}}, 4 * 8 * 8);
  ends_at(TensorView{at<tma::u6x16_padded>(), {4, 8}}, 4 * 8 * 12);
}

TEST_CASE("a tensor may begin inside an allocation, and has what follows") {
  ends_at(TensorView{at<float>(4096), {16, 16}}, 4096 + 1024);
  CHECK_FALSE(fits(TensorView{at<float>(4096), {16, 16}}, 4096 + 1008));
  CHECK_FALSE(fits(TensorView{at<float>(1008), {16, 16}}, 1024));
}

TEST_CASE("sizes at the end of their range are no harmless numbers") {
  const std::int64_t many = std::int64_t(1) << 32;
  CHECK_FALSE(fits(TensorView{at<unsigned char>(), {1 << 24, many}}, std::size_t(1) << 40));  // 2^56 bytes
  // Beyond the address space there is nothing to ask the driver.
  const tma::Driver d     = driver(std::numeric_limits<std::size_t>::max() / 2);
  const tma::Error  error = tma::check_allocation(TensorView{at<unsigned char>(), {many, many, many}}, &d);
  REQUIRE(bool(error));
  report::names(error.report(), "M6", Severity::error, {"extents x strides", "2^57", "address space", "extent or stride"});
  CHECK(asked.empty());
}

TEST_CASE("without a base there is nothing to ask; an empty tensor fits everywhere") {
  const tma::Driver d     = driver(1024);
  const tma::Error  error = tma::check_allocation(TensorView{static_cast<float*>(nullptr), {64, 64}}, &d);
  REQUIRE(bool(error));
  report::is_only(error.report(), "M2", Severity::error, {"base", "null", "device memory", "allocate the tensor"});
  CHECK_FALSE(bool(tma::check_allocation(TensorView{at<float>(), {0, 64}}, &d)));
  CHECK(asked.empty());
}

TEST_CASE("a negative stride goes down from the base") {
  const tma::Driver d = driver(16384);
  CHECK(!tma::check_allocation(TensorView{at<float>(63 * 256), {64, 64}, {-64, 1}}, &d));
  const tma::Error early = tma::check_allocation(TensorView{at<float>(62 * 256), {64, 64}, {-64, 1}}, &d);
  report::is_only(early.report(), "M12", Severity::error,
                  {"extents x strides", "begins at byte -16128", "begins at byte -15872", "256 bytes later"});
  CHECK(tma::check_allocation(TensorView{at<float>(), {64, 64}, {-(std::int64_t(1) << 58), 1}}, &d).report().has("M6"));
}

TEST_CASE("chunks that are mapped side by side into one reserved range are one piece of memory") {
  const TensorView view{at<float>(256), {64, 64}};  // bytes 256 to 16640
  const Attributes mapped{.of_malloc = false, .range_bytes = 1 << 20};
  const auto       judge = [&](std::vector<Chunk> all, Attributes a) {
    const tma::Driver d = driver(std::move(all), a);
    return tma::check_allocation(view, &d);
  };
  CHECK(!judge({{0, 4096}, {4096, 8192}, {12288, 4352}}, mapped));
  CHECK(asked.size() == 3);
  CHECK(!judge({{0, 8192}, {8192, 8448}, {32768, 4096}}, mapped));
  // Nothing behind the last chunk; a hole; chunks of unequal sizes, one of them behind the hole.
  for (const auto& [all, there] : {std::pair{std::vector<Chunk>{{0, 4096}, {4096, 8192}}, "12032"},
                                   {std::vector<Chunk>{{0, 4096}, {8192, 16384}}, "3840"},
                                   {std::vector<Chunk>{{0, 4096}, {4096, 64}, {4224, 65536}}, "3904"}}) {
    const tma::Error error = judge(all, mapped);
    INFO(error.what());
    CHECK(error.kind() == ErrorKind::rule_broken);
    report::is_only(
        error.report(), "M12", Severity::error,
        {"extents x strides", "ends at byte +16384", (std::string("mapped from byte +") + there).c_str(), "cuMemMap"});
  }
  // The range ends inside the tensor: what lies behind it is another's.
  const tma::Error beyond = judge({{0, 4096}, {4096, 4096}, {8192, 65536}}, {.of_malloc = false, .range_bytes = 8192});
  report::is_only(beyond.report(), "M12", Severity::error,
                  {"extents x strides", "ends at byte +16384", "has 7936 bytes", "8448 bytes more"});
  // Downwards.
  const tma::Driver d = driver({{0, 4096}, {4096, 8192}}, mapped);
  CHECK(!tma::check_allocation(TensorView{at<float>(8192), {32, 64}, {-64, 1}}, &d));
  const tma::Driver e = driver({{64, 4032}, {4096, 8192}}, mapped);
  CHECK(tma::check_allocation(TensorView{at<float>(8192), {33, 64}, {-64, 1}}, &e).report().has("M12"));
}

TEST_CASE("allocations that happen to lie side by side are not one piece of memory") {
  const TensorView   view{at<float>(), {64, 64}};
  std::vector<Chunk> two   = {{0, 8192}, {8192, 8192}};
  const auto         judge = [&](Attributes a) {
    const tma::Driver d = driver(two, a);
    return tma::check_allocation(view, &d).report().has("M12");
  };
  CHECK(judge({.range_bytes = 8192}));                                         // cudaMalloc
  CHECK(judge({.range_bytes = 1 << 20}));                                      // whatever the range
  CHECK(judge({.of_malloc = false, .pool = &two, .range_bytes = 1 << 20}));    // cudaMallocAsync
  CHECK(judge({.there = false, .of_malloc = false, .range_bytes = 1 << 20}));  // a driver that does not say
  CHECK(judge({.of_malloc = false, .range_bytes = 8192}));                     // two reserved ranges
  CHECK_FALSE(judge({.of_malloc = false, .range_bytes = 1 << 20}));
}

TEST_CASE("M16: a tensor on a device that the current one does not reach") {
  using Tile = tma::Tile<float, tma::Shape<8, 64>>;
  const TensorView stored{at<float>(), {64, 64}};
  const TensorView loaded{at<const float>(), {64, 64}};
  tma::Driver      d = driver({{0, 16384}}, {.range_bytes = 16384, .owner = 1, .access = 0});
  d.encode_tiled     = [](void*, int, unsigned, void*, const tma::detail::u64*, const tma::detail::u64*, const unsigned*,
                          const unsigned*, int, int, int, int) { return 0; };
  const auto refused = [&](const tma::Error& error, const char* rule, const char* fix) {
    INFO(error.what());
    report::is_only(error.report(), "M16", Severity::error, {"base", "on device 1", rule, fix});
  };
  const auto clean = [&] {
    return !tma::check_allocation(loaded, &d) && tma::try_make_descriptor<Tile>(loaded, {}, &d) &&
           tma::try_make_thread_descriptor<Tile>(loaded, &d) && tma::can_load<Tile>(loaded, {}, &d);
  };
  CHECK(clean());  // with one device there is nothing to ask
  d.devices = 2;
  refused(tma::check_allocation(loaded, &d), "able to read the tensor; device 0 has no such access",
          "cudaDeviceEnablePeerAccess(1, 0)");
  refused(tma::try_make_descriptor<Tile>(loaded, {}, &d).error(), "able to read", "select device 1 (cudaSetDevice)");
  refused(tma::try_make_descriptor<Tile>(loaded, {.fill = tma::Fill::nan}, &d).error(), "able to read", "cuMemSetAccess");
  CHECK(tma::try_make_descriptor(loaded, {8, 64}, tma::Swizzle::none, {}, &d).error().report().has("M16"));
  CHECK(tma::can_load<Tile>(loaded, {}, &d).has("M16"));
  CHECK(
      tma::try_with_address(tma::TmaDescriptor<const float, 2, Tile>(), at<const float>(), &d).error().report().has("M16"));
  report::is_only(tma::try_make_thread_descriptor<Tile>(loaded, &d).error().report(), "C8", Severity::error,
                  {"base", "on device 1", "able to read", "cudaMemPoolSetAccess"});
  can_access = 0;
  refused(tma::check_allocation(loaded, &d), "able to read", "copy the tensor: device 0 cannot have access to device 1");
  // Memory that may only be read is not stored to.
  attributes.access = 1;
  CHECK(clean());
  refused(tma::check_allocation(stored, &d), "able to write", "cannot have access");
  attributes.access = 3;
  CHECK(clean());
  CHECK(!tma::check_allocation(stored, &d));
  // The same device; another kind of memory; a driver that does not say.
  attributes.access = 0;
  attributes.owner  = 0;
  CHECK(clean());
  attributes.owner = 1;
  d.pointer_kind   = [](const void*) { return tma::PointerKind::managed; };
  CHECK(clean());
  d.pointer_kind   = [](const void*) { return tma::PointerKind::device; };
  attributes.there = false;
  CHECK(clean());
}

TEST_CASE("an address that the driver does not know, and a driver that cannot be asked") {
  const TensorView  view{at<float>(), {64, 64}};
  const tma::Driver unknown = driver(1024, 500);
  const tma::Error  error   = tma::check_allocation(view, &unknown);
  CHECK(error.kind() == ErrorKind::call_failed);
  CHECK(report::contains(error.what(),
                         "(CUDA 13000) knows no allocation at 0x7f2a40000000, where the tensor at check_allocation.cpp:"));
  CHECK(report::contains(error.what(), "status 500"));

  tma::Driver mute = driver(1024);
  mute.find        = [](tma::DriverCall) -> void* { return nullptr; };
  CHECK(tma::check_allocation(view, &mute).kind() == ErrorKind::driver_too_old);
  CHECK(report::contains(tma::check_allocation(view, &mute).what(), "has no cuMemGetAddressRange"));
  mute.find = nullptr;
  CHECK(tma::check_allocation(view, &mute).kind() == ErrorKind::driver_too_old);
}
