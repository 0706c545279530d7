// Arrays of descriptors through a runtime that is made up: slots, bounds, uploads of parts, captures, ownership.
#include <tma/core/im2col.hpp>
#include <tma/host/descriptor_array.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "report.hpp"

namespace {

using tma::DescriptorArray;
using tma::ErrorKind;
using tma::Severity;
using Map = tma::TmaDescriptor<const float, 2, tma::Tile<float, tma::Shape<8, 16>>>;

int         live = 0, copies = 0;
std::size_t last_bytes   = 0;
bool        is_capturing = false;
cudaError_t next_error   = cudaSuccess;
const void* last_from    = nullptr;

cudaError_t take_error() { return std::exchange(next_error, cudaSuccess); }

const tma::detail::SlotMemory memory = {[](void** p, std::size_t bytes) {
                                          if (const cudaError_t e = take_error()) return e;
                                          *p = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
                                          std::memset(*p, 0xee, bytes);
                                          ++live;
                                          return cudaSuccess;
                                        },
                                        [](void* p) {
                                          std::free(p);
                                          --live;
                                          return cudaSuccess;
                                        },
                                        [](void* to, const void* from, std::size_t bytes, cudaStream_t) {
                                          if (const cudaError_t e = take_error()) return e;
                                          std::memcpy(to, from, bytes);
                                          ++copies;
                                          last_bytes = bytes;
                                          last_from  = from;
                                          return cudaSuccess;
                                        },
                                        [](cudaStream_t, bool* capturing) {
                                          *capturing = is_capturing;
                                          return cudaSuccess;
                                        }};

Map map_of(int value) {
  Map map;
  std::memset(const_cast<void*>(tma::tensor_map(map)), value, 128);
  return map;
}

bool holds(const void* slot, int value) {
  for (int i = 0; i < 128; ++i)
    if (static_cast<const unsigned char*>(slot)[i] != value) return false;
  return true;
}

const unsigned char* device(const DescriptorArray<Map>& array) {
  return reinterpret_cast<const unsigned char*>(tma::detail::SlotsAccess::first(array.slots()));
}

template <class F> tma::Error thrown(F f) {
  try {
    f();
  } catch (const tma::Error& error) {
    return error;
  }
  return {};
}

}  // namespace

TEST_CASE("slot i lies 128 i bytes from the first, and holds its own descriptor") {
  DescriptorArray<Map> array(4, memory);
  static_assert(std::is_trivially_copyable_v<tma::DescriptorSlots<Map>>);
  static_assert(std::is_same_v<decltype(array.slots()), tma::DescriptorSlots<Map>>);
  CHECK(array.size() == 4);
  CHECK(array.slots().size() == 4);
  for (int i = 0; i < 4; ++i) array.set(i, map_of(0x10 + i));
  for (int i = 0; i < 512; ++i) REQUIRE(device(array)[i] == 0xee);  // nothing has gone there yet
  array.upload();
  CHECK(copies == 1);
  CHECK(last_bytes == 512);
  for (int i = 0; i < 4; ++i) CHECK(holds(device(array) + 128 * i, 0x10 + i));
  CHECK(tma::check_slots(device(array)).size() == 0);
}

TEST_CASE("parts are uploaded by themselves, and slots that were never set are zeros") {
  DescriptorArray<Map> array(5, memory);
  const auto           before = device(array);
  array.set(1, map_of(1));
  array.set(2, map_of(2));
  array.set(3, map_of(3));
  array.upload(2, 2);
  CHECK(last_bytes == 256);
  CHECK(holds(device(array), 0xee));
  CHECK(holds(device(array) + 128, 0xee));
  CHECK(holds(device(array) + 256, 2));
  CHECK(holds(device(array) + 384, 3));
  CHECK(holds(device(array) + 512, 0xee));
  array.upload();
  CHECK(holds(device(array), 0));
  CHECK(holds(device(array) + 128, 1));
  CHECK(holds(device(array) + 512, 0));
  CHECK(!array.try_upload(5, 0));
  CHECK(device(array) == before);  // what kernels were given stays right
}

TEST_CASE("an index, a range and a count outside are refused") {
  DescriptorArray<Map> array(3, memory);
  const auto           refused = [&](const tma::Error& error, const char* id, const char* value) {
    REQUIRE(error.kind() == ErrorKind::rule_broken);
    report::is_only(error.report(), id, Severity::error, {id[1] == '2' ? "count" : "slots", value, "", ""});
  };
  refused(thrown([&] { array.set(3, map_of(1)); }), "D3", "3 and 1 from there");
  refused(thrown([&] { array.set(-1, map_of(1)); }), "D3", "-1 and 1");
  refused(thrown([&] { array.upload(1, 3); }), "D3", "1 and 3");
  refused(array.try_upload(0, -1), "D3", "0 and -1");
  refused(array.try_upload(2147483647, 2147483647), "D3", "2147483647 and 2147483647");
  refused(thrown([&] { DescriptorArray<Map> none(0, memory); }), "D2", "0");
  refused(thrown([&] { DescriptorArray<Map> none(-3, memory); }), "D2", "-3");
}

TEST_CASE("D4: no upload in a capture, which would keep the host's address") {
  DescriptorArray<Map> array(2, memory);
  is_capturing            = true;
  const int        before = copies;
  const tma::Error error  = array.try_upload();
  CHECK(thrown([&] { array.upload(); }).kind() == ErrorKind::rule_broken);
  is_capturing = false;
  report::is_only(error.report(), "D4", Severity::error,
                  {"stream", "capturing", "keep the address of the host's copy", "before the capture begins"});
  CHECK(copies == before);
  CHECK(!array.try_upload());
}

TEST_CASE("what the runtime refuses is told, and nothing leaks") {
  const int before       = live;
  next_error             = cudaErrorMemoryAllocation;
  const tma::Error error = thrown([] { DescriptorArray<Map> array(7, memory); });
  CHECK(error.kind() == ErrorKind::call_failed);
  CHECK(report::contains(error.what(), "allocating 7 descriptors of 128 bytes failed: cudaErrorMemoryAllocation"));
  CHECK(live == before);
  {
    DescriptorArray<Map> array(2, memory);
    next_error = cudaErrorInvalidValue;
    CHECK(array.try_upload().kind() == ErrorKind::call_failed);

    const auto           place = device(array);
    DescriptorArray<Map> moved(std::move(array));
    CHECK(device(moved) == place);
    CHECK(live == before + 1);
    DescriptorArray<Map> other(3, memory);
    CHECK(live == before + 2);
    other = std::move(moved);
    CHECK(device(other) == place);
    CHECK(other.size() == 2);
    CHECK(live == before + 1);
  }
  CHECK(live == before);
  static_assert(!std::is_copy_constructible_v<DescriptorArray<Map>>);
}

TEST_CASE("where copies read late, the source is the upload's own, until the stream has come there") {
  static bool                                       late = false;
  static std::vector<std::pair<void*, const void*>> pending;  // where to, from where
  static std::vector<void*>                         held;
  static const tma::detail::SlotMemory              slow       = {memory.allocate,
                                                                  memory.release,
                                                                  [](void* to, const void* from, std::size_t, cudaStream_t) {
                                                 if (const cudaError_t e = take_error()) return e;
                                                 pending.emplace_back(to, from);
                                                 return cudaSuccess;
                                                                  },
                                                                  memory.capturing,
                                                                  [] { return late; },
                                                                  [](void* host, cudaStream_t) {
                                                 held.push_back(host);
                                                 return take_error();
                                                                  }};
  const auto                                        run_stream = [] {
    for (const auto& [to, from] : pending) std::memcpy(to, from, 128);
    pending.clear();
    for (void* host : held) std::free(host);
    held.clear();
  };
  late                       = true;
  const unsigned char* first = nullptr;
  DescriptorArray<Map> kept(1, memory);
  {
    DescriptorArray<Map> array(2, slow);
    first = device(array);
    array.set(0, map_of(1));
    array.upload(0, 1);
    array.set(0, map_of(2));  // at once
    CHECK(held.size() == 1);
    CHECK(pending[0].second == held[0]);
    array.upload(0, 1);
    array.set(0, map_of(3));
    run_stream();
    CHECK(holds(first, 2));
    array.upload(0, 1);
    // A copy that is refused leaves nothing to free.
    next_error = cudaErrorInvalidValue;
    CHECK(array.try_upload(0, 1).kind() == ErrorKind::call_failed);
    CHECK(held.size() == 1);
    CHECK(!array.try_upload(1, 0));
    CHECK(held.size() == 1);
    run_stream();
    CHECK(holds(first, 3));
  }
  // A runtime that stages needs none of it.
  late = false;
  DescriptorArray<Map> staged(1, slow);
  staged.set(0, map_of(4));
  staged.upload();
  CHECK(held.empty());
  pending.clear();
}

TEST_CASE("without a device the array says so") {
  const tma::Error error = thrown([] { DescriptorArray<Map> array(2); });
  if (!error) return;  // there is one
  CHECK(error.kind() == ErrorKind::call_failed);
  CHECK(report::contains(error.what(), "allocating 2 descriptors"));
}

TEST_CASE("D1: slots in a buffer of bytes lie at a multiple of 64") {
  alignas(128) static unsigned char buffer[512];
  report::is_empty(tma::check_slots(buffer));
  report::is_empty(tma::check_slots(buffer + 128));
  for (int offset : {8, 16, 32, 48, 96, 160}) {
    const std::string rest = "the remainder is " + std::to_string(offset % 64), later = std::to_string(128 - offset % 128);
    report::is_only(tma::check_slots(buffer + offset), "D1", Severity::error,
                    {"slots", "", rest.c_str(), (later + " bytes later").c_str()});
  }
  const tma::Report half = tma::check_slots(buffer + 64);
  CHECK(half.ok());
  report::is_only(half, "D1", Severity::warning, {"slots", "", "want 128", "64 bytes later"});
  report::is_only(tma::check_slots(nullptr), "M2", Severity::error, {"slots", "null", "device memory", "allocate"});
}

TEST_CASE("slots that are made by hand check their pointer and their count") {
  using Slots = tma::DescriptorSlots<Map>;
  alignas(128) static unsigned char buffer[512];
  const auto                        at = [](std::size_t offset) { return reinterpret_cast<Map*>(buffer + offset); };
  const auto made = [](Map* first, int count) { return thrown([&] { static_cast<void>(Slots(first, count)); }); };
  CHECK(!made(at(0), 4));
  CHECK(!made(at(64), 1));  // edits want 128: a warning of check_slots
  CHECK(!made(at(0), 0));
  CHECK(!made(nullptr, 0));
  CHECK(Slots().size() == 0);
  report::is_only(made(nullptr, 3).report(), "M2", Severity::error, {"slots", "null, of 3", "device memory", "allocate"});
  report::is_only(made(at(8), 3).report(), "D1", Severity::error, {"slots", "", "the remainder is 8", "120 bytes later"});
  report::is_only(made(at(0), -1).report(), "D2", Severity::error, {"count", "-1", "0 or more", "subtraction"});
  // A box that is known at run time only: slots are 256 bytes.
  using Wide = tma::DescriptorSlots<tma::TmaDescriptor<const float, 2>>;
  CHECK(thrown([&] { Wide(reinterpret_cast<tma::TmaDescriptor<const float, 2>*>(buffer + 32), 1); }).report().has("D1"));
}

TEST_CASE("a descriptor keeps its place in a structure: nothing that stands before it shifts it") {
  struct One {
    int first;
    Map map;
    int last;
  };
  struct Two {
    char  first[65];
    Map   a, b;
    short last;
  };
  static_assert(offsetof(One, map) % 64 == 0 && alignof(One) == 64);
  static_assert(offsetof(Two, a) % 64 == 0 && offsetof(Two, b) - offsetof(Two, a) == 128);
  static_assert(sizeof(Map[3]) == 384);
  SUCCEED("asked when compiling");
}
