// Descriptors of im2col copies and of four rows, and those that move to another address, through a driver that records.
#include <tma/core/gather.hpp>
#include <tma/host/im2col.hpp>
#include <tma/host/with_address.hpp>
#include <tma/machine/map.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "report.hpp"

namespace {

using tma::DriverCall;
using tma::ErrorKind;
using tma::Im2col;
using tma::Im2colW;
using tma::Im2colW128;
using tma::Interleave;
using tma::Rows4;
using tma::Severity;
using tma::Shape;
using tma::Swizzle;
using tma::TensorView;
using tma::Tile;
using u64 = tma::detail::u64;

struct Call {
  DriverCall which;
  void*      map;
  int        type;
  unsigned   rank;
  void*      base;
  u64        extents[5], strides[5];
  unsigned   box[5], element_strides[5];
  int        lower[3], upper[3];
  unsigned   channels, pixels;
  int        interleave, mode, swizzle, promotion, fill;
};

thread_local std::vector<Call>       calls;
thread_local std::vector<DriverCall> looked_up;
thread_local int                     answer  = 0;
thread_local bool                    missing = false;

int finish(const Call& c) {
  calls.push_back(c);
  if (answer == 0) std::memset(c.map, 0xff, 128);
  return answer;
}

Call tensor(DriverCall which, void* map, int type, unsigned rank, void* base, const u64* extents, const u64* strides,
            const unsigned* element_strides) {
  Call c{};
  c.which = which, c.map = map, c.type = type, c.rank = rank, c.base = base, c.mode = -1;
  for (unsigned i = 0; i < rank && i < 5; ++i) {
    c.extents[i]         = extents[i];
    c.element_strides[i] = element_strides[i];
    if (i + 1 < rank) c.strides[i] = strides[i];
  }
  return c;
}

int record_tiled(void* map, int type, unsigned rank, void* base, const u64* extents, const u64* strides, const unsigned* box,
                 const unsigned* element_strides, int interleave, int swizzle, int promotion, int fill) {
  Call c = tensor(DriverCall::encode_tiled, map, type, rank, base, extents, strides, element_strides);
  for (unsigned i = 0; i < rank; ++i) c.box[i] = box[i];
  c.interleave = interleave, c.swizzle = swizzle, c.promotion = promotion, c.fill = fill;
  return finish(c);
}

int record_im2col(void* map, int type, unsigned rank, void* base, const u64* extents, const u64* strides, const int* lower,
                  const int* upper, unsigned channels, unsigned pixels, const unsigned* element_strides, int interleave,
                  int swizzle, int promotion, int fill) {
  Call c = tensor(DriverCall::encode_im2col, map, type, rank, base, extents, strides, element_strides);
  for (unsigned i = 0; i + 2 < rank; ++i) c.lower[i] = lower[i], c.upper[i] = upper[i];
  c.channels = channels, c.pixels = pixels;
  c.interleave = interleave, c.swizzle = swizzle, c.promotion = promotion, c.fill = fill;
  return finish(c);
}

int record_wide(void* map, int type, unsigned rank, void* base, const u64* extents, const u64* strides, int lower, int upper,
                unsigned channels, unsigned pixels, const unsigned* element_strides, int interleave, int mode, int swizzle,
                int promotion, int fill) {
  Call c     = tensor(DriverCall::encode_im2col_wide, map, type, rank, base, extents, strides, element_strides);
  c.lower[0] = lower, c.upper[0] = upper, c.channels = channels, c.pixels = pixels, c.mode = mode;
  c.interleave = interleave, c.swizzle = swizzle, c.promotion = promotion, c.fill = fill;
  return finish(c);
}

int record_replace(void* map, void* base) {
  Call c{};
  c.which = DriverCall::replace_address, c.map = map, c.base = base;
  calls.push_back(c);
  if (answer == 0) std::memcpy(map, &base, sizeof base);
  return answer;
}

void* find(DriverCall call) {
  looked_up.push_back(call);
  if (missing) return nullptr;
  switch (call) {
    case DriverCall::encode_im2col: return reinterpret_cast<void*>(&record_im2col);
    case DriverCall::encode_im2col_wide: return reinterpret_cast<void*>(&record_wide);
    case DriverCall::replace_address: return reinterpret_cast<void*>(&record_replace);
    default: return nullptr;
  }
}

tma::Driver driver(int capability = 100, int version = 13000) {
  calls.clear();
  looked_up.clear();
  answer  = 0;
  missing = false;
  return {.encode_tiled = record_tiled, .find = find, .compute_capability = capability, .version = version};
}

template <class T> T* somewhere(int offset = 0) { return reinterpret_cast<T*>(std::uintptr_t(0x7f2a40000000) + offset); }

using List = std::vector<long long>;
template <class A, int N> List list(const A (&a)[N], unsigned count) { return List(a, a + count); }

template <class D> const Call only_call(const tma::Result<D>& made) {
  INFO(made.error().what());
  REQUIRE(bool(made));
  REQUIRE(calls.size() == 1);
  return calls[0];
}

using half = unsigned short;

}  // namespace

TEST_CASE("im2col descriptors are maps by themselves, and remember their box") {
  using Column     = Tile<half, Shape<64, 32>, Swizzle::bytes_64>;
  using Descriptor = tma::TmaDescriptor<half, 4, Im2col<Column>>;
  static_assert(sizeof(Descriptor) == 128 && alignof(Descriptor) == 64 && std::is_trivially_copyable_v<Descriptor>);
  static_assert(std::is_same_v<Descriptor::tile_type, Column> && std::is_same_v<Descriptor::box_type, Im2col<Column>>);
  static_assert(std::is_base_of_v<tma::TmaDescriptor<const half, 4, Im2col<Column>>, Descriptor>);
  using Plain = tma::TmaDescriptor<const half, 2, Column>;
  static_assert(std::is_same_v<Plain::tile_type, Column> && std::is_same_v<Plain::box_type, Column>);
  using Four = tma::TmaDescriptor<const half, 2, Rows4<Tile<half, Shape<4, 32>>>>;
  static_assert(sizeof(Four) == 128 && std::is_trivially_copyable_v<Four>);
  SUCCEED("asked when compiling");
}

TEST_CASE("an im2col call has everything fastest first, corners as well") {
  using Column = Tile<half, Shape<1000, 24>>;
  {
    const tma::Driver d    = driver(90);
    const auto        made = tma::try_make_descriptor<Im2col<Column>>(
        TensorView{somewhere<const half>(), {7, 11, 13, 17, 64}}, {.lower = {-1, -2, -3}, .upper = {4, 5, 6}},
        {.promotion = tma::Promotion::bytes_256, .fill = tma::Fill::zero, .element_strides = {1, 2, 3, 4, 1}}, &d);
    const Call c = only_call(made);
    CHECK(c.which == DriverCall::encode_im2col);
    CHECK(looked_up == std::vector<DriverCall>{DriverCall::encode_im2col});
    CHECK(c.type == 1);
    CHECK(c.rank == 5);
    CHECK(c.base == somewhere<void>());
    CHECK(list(c.extents, 5) == List{64, 17, 13, 11, 7});
    CHECK(list(c.strides, 4) == List{128, 17 * 128, 13 * 17 * 128, 11 * 13 * 17 * 128});
    CHECK(list(c.lower, 3) == List{-3, -2, -1});
    CHECK(list(c.upper, 3) == List{6, 5, 4});
    CHECK(c.channels == 24);
    CHECK(c.pixels == 1000);
    CHECK(list(c.element_strides, 5) == List{1, 4, 3, 2, 1});
    CHECK(c.promotion == 3);
    CHECK(c.swizzle == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(c.map) % 64 == 0);
    static_assert(std::is_same_v<decltype(made), const tma::Result<tma::TmaDescriptor<const half, 5, Im2col<Column>>>>);
    CHECK(static_cast<const unsigned char*>(tma::tensor_map(*made))[127] == 0xff);
  }
  {
    const tma::Driver d = driver(90);
    const Call c = only_call(tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<const half>(), {7, 13, 17, 64}},
                                                                      {.lower = {-2, -3}, .upper = {5, 6}}, {}, &d));
    CHECK(c.rank == 4);
    CHECK(list(c.lower, 3) == List{-3, -2, 0});
    CHECK(list(c.upper, 3) == List{6, 5, 0});
  }
  {
    const tma::Driver d = driver(90);
    const Call c = only_call(tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<const half>(), {7, 17, 64}},
                                                                      {.lower = {-30000}}, {}, &d));
    CHECK(c.rank == 3);
    CHECK(list(c.lower, 3) == List{-30000, 0, 0});
    CHECK(list(c.upper, 3) == List{0, 0, 0});
  }
}

TEST_CASE("the modes along w have one pair of corners and a number") {
  using Column = Tile<half, Shape<128, 32>, Swizzle::bytes_64>;
  for (int rank = 3; rank <= 5; ++rank) {
    const auto made = [&]<class Box>(const tma::Driver& d, std::type_identity<Box>) {
      if (rank == 3)
        return tma::try_make_descriptor<Box>(TensorView{somewhere<const half>(), {7, 17, 64}}, {-2, 3}, {}, &d).error();
      if (rank == 4)
        return tma::try_make_descriptor<Box>(TensorView{somewhere<const half>(), {7, 9, 17, 64}}, {-2, 3}, {}, &d).error();
      return tma::try_make_descriptor<Box>(TensorView{somewhere<const half>(), {7, 5, 9, 17, 64}}, {-2, 3}, {}, &d).error();
    };
    for (bool w128 : {false, true}) {
      const tma::Driver d = driver();
      const tma::Error  error =
          w128 ? made(d, std::type_identity<Im2colW128<Column>>()) : made(d, std::type_identity<Im2colW<Column>>());
      INFO(error.what());
      REQUIRE(!error);
      REQUIRE(calls.size() == 1);
      const Call& c = calls[0];
      CHECK(c.which == DriverCall::encode_im2col_wide);
      CHECK(c.rank == unsigned(rank));
      CHECK(c.lower[0] == -2);
      CHECK(c.upper[0] == 3);
      CHECK(c.mode == int(w128));
      CHECK(c.channels == 32);
      CHECK(c.pixels == 128);
      CHECK(c.swizzle == 2);
    }
    const tma::Driver d     = driver(90);
    const tma::Error  error = made(d, std::type_identity<Im2colW<Column>>());
    report::is_only(error.report(), "W1", Severity::error, {"traversal", "im2col_w", "10.0", "tma::Im2col"});
    CHECK(calls.empty());
  }
}

TEST_CASE("rules come before calls, and name the corner as it was written") {
  using Column           = Tile<half, Shape<64, 32>>;
  const tma::Driver d    = driver(90);
  const auto        made = tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<const half>(), {7, 13, 17, 64}},
                                                                    {.lower = {0, -129}}, {}, &d);
  REQUIRE(!made);
  report::is_only(made.error().report(), "I2", Severity::error, {"lower[1]", "-129", "-128 to 127", "pad or crop"});
  CHECK(calls.empty());
  CHECK(looked_up.empty());
  // What stores is not given corners outside.
  const auto writable =
      tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<half>(), {7, 13, 17, 64}}, {.upper = {1, 0}}, {}, &d);
  report::is_only(writable.error().report(), "I10", Severity::error, {"upper[0]", "1", "inside", "const"});
  // check() asks the same without a driver.
  report::is_only(tma::check<Im2col<Column>>(TensorView{somewhere<const half>(), {7, 13, 17, 64}}, {.lower = {14, 0}}), "I3",
                  Severity::error, {"upper[0]", "0 with lower 14 and extent 13", "is -1", "padding"});
}

TEST_CASE("a driver without the call is too old, and says for what") {
  using Column  = Tile<half, Shape<128, 32>, Swizzle::bytes_64>;
  tma::Driver d = driver(100, 12040);
  missing       = true;
  const TensorView view{somewhere<const half>(), {7, 17, 64}};
  const auto       wide = tma::try_make_descriptor<Im2colW<Column>>(view, {}, {}, &d);
  REQUIRE(!wide);
  CHECK(wide.error().kind() == ErrorKind::driver_too_old);
  CHECK(report::contains(wide.error().what(),
                         "driver (CUDA 12.4) has no cuTensorMapEncodeIm2colWide: it came with CUDA 12.8"));
  const auto plain = tma::try_make_descriptor<Im2col<Column>>(view, {}, {}, &d);
  CHECK(plain.error().kind() == ErrorKind::driver_too_old);
  CHECK(report::contains(plain.error().what(), "cuTensorMapEncodeIm2col: it came with CUDA 12.0"));
  d.find = nullptr;  // a driver that knows the tiled call alone
  CHECK(tma::try_make_descriptor<Im2col<Column>>(view, {}, {}, &d).error().kind() == ErrorKind::driver_too_old);
  CHECK(bool(tma::try_make_descriptor<Tile<half, Shape<1, 8, 32>>>(view, {}, &d)));
}

TEST_CASE("a refusal of what breaks no rule tells the call") {
  using Column        = Tile<half, Shape<64, 32>>;
  const tma::Driver d = driver(90);
  answer              = 1;
  const auto made     = tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<const half>(), {7, 13, 17, 64}},
                                                                 {.lower = {-5, 3}}, {}, &d);
  CHECK(made.error().kind() == ErrorKind::encode_refused);
  for (const char* part :
       {"status 1", "im2col mode 2, 64 pixels", "corners of dimension 1: -5 and 0", "corners of dimension 2: 3"})
    CHECK(report::contains(made.error().what(), part));
}

TEST_CASE("small im2col tensors are mended as tiled ones are") {
  using Column = Tile<half, Shape<64, 32>>;
  for (const auto& [capability, version, mended] : {std::tuple{100, 13000, true}, {100, 13020, false}, {90, 13000, false}}) {
    const tma::Driver d = driver(capability, version);
    const auto        made =
        tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<const half>(), {1, 13, 17, 64}}, {}, {}, &d);
    REQUIRE(bool(made));
    u64 words[16];
    std::memcpy(words, tma::tensor_map(*made), sizeof words);
    CHECK(words[1] == (mended ? ~(u64(1) << 21) : ~u64(0)));
  }
}

TEST_CASE("four rows are a tiled map, one row high") {
  using Rows             = Tile<float, Shape<4, 32>, Swizzle::bytes_128>;
  const tma::Driver d    = driver();
  const auto        made = tma::try_make_descriptor<Rows4<Rows>>(TensorView{somewhere<float>(), {1000, 64}}, {}, &d);
  const Call        c    = only_call(made);
  static_assert(std::is_same_v<decltype(made), const tma::Result<tma::TmaDescriptor<float, 2, Rows4<Rows>>>>);
  CHECK(c.which == DriverCall::encode_tiled);
  CHECK(list(c.box, 2) == List{32, 1});
  CHECK(list(c.extents, 2) == List{64, 1000});
  CHECK(c.swizzle == 3);
  const tma::Driver old = driver(90);
  report::is_only(
      tma::try_make_descriptor<Rows4<Rows>>(TensorView{somewhere<float>(), {1000, 64}}, {}, &old).error().report(), "M7",
      Severity::error, {"traversal", "rows4", "9.0", "one row"});
  report::is_only(tma::check<Rows4<Rows>>(TensorView{somewhere<float>(), {1000, 64}}, {.element_strides = {2}}), "G1",
                  Severity::error, {"element_strides[0]", "2", "named by itself", "1"});
}

TEST_CASE("a descriptor moves to another address, and nothing else changes") {
  using T              = Tile<float, Shape<8, 16>>;
  const tma::Driver d  = driver(90);
  const auto        in = tma::try_make_descriptor<T>(TensorView{somewhere<float>(), {32, 64}}, {}, &d);
  REQUIRE(bool(in));
  calls.clear();
  looked_up.clear();
  float* const next  = somewhere<float>(1 << 20);
  const auto   moved = tma::try_with_address(*in, next, &d);
  const Call   c     = only_call(moved);
  static_assert(std::is_same_v<decltype(moved), const tma::Result<tma::TmaDescriptor<float, 2, T>>>);
  CHECK(c.which == DriverCall::replace_address);
  CHECK(looked_up == std::vector<DriverCall>{DriverCall::replace_address});
  CHECK(c.base == next);
  u64 words[16], old[16];
  std::memcpy(words, tma::tensor_map(*moved), sizeof words);
  std::memcpy(old, tma::tensor_map(*in), sizeof old);
  CHECK(words[0] == reinterpret_cast<u64>(next));
  for (int i = 1; i < 16; ++i) CHECK(words[i] == ~u64(0));
  for (u64 word : old) CHECK(word == ~u64(0));  // the first is as it was

  // Any kind of box, const elements, and boxes known at run time, which keep their sizes.
  using Column     = Tile<half, Shape<64, 32>>;
  const auto image = tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<const half>(), {7, 17, 64}}, {}, {}, &d);
  CHECK(bool(tma::try_with_address(*image, somewhere<const half>(64), &d)));
  CHECK(bool(tma::try_with_address(*image, somewhere<half>(64), &d)));
  const auto any =
      tma::try_make_descriptor(TensorView{somewhere<float>(), {1000, 256}}, {5, 24}, Swizzle::bytes_128, {}, &d);
  const auto there = tma::try_with_address(*any, next, &d);
  REQUIRE(bool(there));
  CHECK(there->payload_bytes() == 5 * 96);
  CHECK(there->footprint_bytes() == 5 * 128);
  CHECK(there->box(1) == 24);
}

TEST_CASE("what a base must be is asked of the new address, and of nothing else") {
  using T              = Tile<float, Shape<8, 16>>;
  const tma::Driver d  = driver(90);
  const auto        in = tma::try_make_descriptor<T>(TensorView{somewhere<float>(), {32, 64}}, {}, &d);
  calls.clear();
  report::is_only(tma::try_with_address(*in, somewhere<float>(8), &d).error().report(), "T4", Severity::error,
                  {"base", "0x7f2a40000008", "multiple of 16", "8 bytes earlier"});
  report::is_only(tma::try_with_address(*in, nullptr, &d).error().report(), "M2", Severity::error,
                  {"base", "null", "device memory", "allocate"});
  tma::Driver judging  = d;
  judging.pointer_kind = [](const void*) { return tma::PointerKind::pageable_host; };
  report::is_only(tma::try_with_address(*in, somewhere<float>(64), &judging).error().report(), "M3", Severity::error,
                  {"base", "0x7f2a40000040", "ordinary host memory", "cudaMalloc"});
  CHECK(calls.empty());
  answer = 1;
  CHECK(tma::try_with_address(*in, somewhere<float>(64), &d).error().kind() == ErrorKind::encode_refused);
  missing = true;
  CHECK(report::contains(tma::try_with_address(*in, somewhere<float>(64), &d).error().what(),
                         "no cuTensorMapReplaceAddress: it came with CUDA 12.0"));
}

TEST_CASE("without a driver the kinds say so, rules first") {
  using Column = Tile<half, Shape<64, 32>>;
  const TensorView view{somewhere<const half>(), {7, 17, 64}};
  const auto       made = tma::try_make_descriptor<Im2col<Column>>(view, {});
  if (made || made.error().kind() == ErrorKind::encode_refused) return;  // there is a device
  CHECK(made.error().kind() != ErrorKind::rule_broken);
  CHECK_THROWS_AS(tma::make_descriptor<Im2col<Column>>(view, {}), tma::Error);
  CHECK_THROWS_AS(tma::make_descriptor<Im2col<Column>>(view), tma::Error);
  CHECK(tma::try_make_descriptor<Im2col<Column>>(view, {.lower = {40000}}).error().kind() == ErrorKind::rule_broken);
}

TEST_CASE("the machine's driver makes all kinds, and reads them back") {
  tma::Driver d  = driver(100);
  d.encode_tiled = tma::machine::rt::encode_tiled;
  d.find         = [](DriverCall call) {
    return tma::machine::rt::driver_call(tma::detail::driver_calls[static_cast<int>(call)].name);
  };
  using Column    = Tile<half, Shape<100, 24>>;
  const auto made = tma::try_make_descriptor<Im2col<Column>>(TensorView{somewhere<const half>(), {7, 11, 13, 17, 64}},
                                                             {.lower = {-1, -2, -3}, .upper = {4, 5, 6}},
                                                             {.element_strides = {1, 2, 3, 4}}, &d);
  INFO(made.error().what());
  REQUIRE(bool(made));
  tma::TensorBox box;
  void*          base = nullptr;
  REQUIRE(tma::machine::decode(tma::tensor_map(*made), box, base));
  CHECK(base == somewhere<void>());
  CHECK(box.traversal == tma::Traversal::im2col);
  CHECK(box.rank == 5);
  CHECK(box.pixels == 100);
  CHECK(list(box.extent, 5) == List{7, 11, 13, 17, 64});
  CHECK(list(box.box, 5) == List{1, 1, 1, 1, 24});
  CHECK(list(box.lower, 5) == List{0, -1, -2, -3, 0});
  CHECK(list(box.upper, 5) == List{0, 4, 5, 6, 0});
  CHECK(list(box.element_stride, 5) == List{1, 2, 3, 4, 1});
  CHECK(box.rows() == 100);
  CHECK(box.payload_bytes() == 100 * 48);

  using Wide = Tile<half, Shape<128, 32>, Swizzle::bytes_64>;
  const auto wide =
      tma::try_make_descriptor<Im2colW128<Wide>>(TensorView{somewhere<const half>(), {7, 11, 17, 64}}, {-2, 3}, {}, &d);
  REQUIRE(bool(wide));
  REQUIRE(tma::machine::decode(tma::tensor_map(*wide), box, base));
  CHECK(box.traversal == tma::Traversal::im2col_w128);
  CHECK(list(box.lower, 5) == List{0, 0, -2, 0, 0});
  CHECK(list(box.upper, 5) == List{0, 0, 3, 0, 0});

  const auto moved = tma::try_with_address(*made, somewhere<const half>(4096), &d);
  REQUIRE(bool(moved));
  REQUIRE(tma::machine::decode(tma::tensor_map(*moved), box, base));
  CHECK(base == somewhere<void>(4096));
  CHECK(box.pixels == 100);
  // What is no map has no address.
  const tma::TmaDescriptor<const half, 5, Im2col<Column>> blank{};
  CHECK(tma::try_with_address(blank, somewhere<const half>(), &d).error().kind() == ErrorKind::encode_refused);
}
