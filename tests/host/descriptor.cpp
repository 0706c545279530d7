// Descriptors through a driver that only records: what it is asked, in its own order, and what becomes of its answer.
#include <tma/host/make_descriptor.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "report.hpp"

namespace {

using tma::ErrorKind;
using tma::Fill;
using tma::Interleave;
using tma::Promotion;
using tma::Severity;
using tma::Shape;
using tma::Swizzle;
using tma::TensorView;
using tma::Tile;
using i64 = tma::detail::i64;
using u64 = tma::detail::u64;

// One call of the encode function. Arrays hold what the call's rank says; the rest stays 0.
struct Call {
  void*    map;
  int      type;
  unsigned rank;
  void*    base;
  u64      extents[5], strides[5];
  unsigned box[5], element_strides[5];
  int      interleave, swizzle, promotion, fill;
};

thread_local std::vector<Call> calls;
thread_local int               answer = 0;

int record(void* map, int type, unsigned rank, void* base, const u64* extents, const u64* strides, const unsigned* box,
           const unsigned* element_strides, int interleave, int swizzle, int promotion, int fill) {
  Call c{map, type, rank, base, {}, {}, {}, {}, interleave, swizzle, promotion, fill};
  for (unsigned i = 0; i < rank && i < 5; ++i) {
    c.extents[i]         = extents[i];
    c.box[i]             = box[i];
    c.element_strides[i] = element_strides[i];
    if (i + 1 < rank) c.strides[i] = strides[i];
  }
  calls.push_back(c);
  if (answer == 0) std::memset(map, 0xff, 128);
  return answer;
}

tma::Driver driver(int capability = 90, int version = 13000) {
  calls.clear();
  answer = 0;
  return {.encode_tiled = record, .compute_capability = capability, .version = version};
}

template <class T> T* somewhere(int offset = 0) { return reinterpret_cast<T*>(std::uintptr_t(0x7f2a40000000) + offset); }

template <class A, int N> std::vector<long long> list(const A (&a)[N], unsigned count) {
  return std::vector<long long>(a, a + count);
}

using List = std::vector<long long>;

// The one call that a descriptor took.
template <class D> const Call only_call(const tma::Result<D>& made) {
  INFO(made.error().what());
  REQUIRE(bool(made));
  REQUIRE(calls.size() == 1);
  return calls[0];
}

const u64* words(const void* map) { return static_cast<const u64*>(map); }

}  // namespace

TEST_CASE("the driver gets dimensions fastest first, and byte strides of all but the first") {
  const tma::Driver d  = driver();
  using T5             = Tile<unsigned short, Shape<2, 3, 4, 5, 16>>;
  unsigned short* a    = somewhere<unsigned short>();
  const auto      made = tma::try_make_descriptor<T5>(
      TensorView{a, {7, 11, 13, 17, 64}, {13 * 17 * 11 * 80, 13 * 17 * 80, 17 * 80, 80, 1}}, {}, &d);
  const Call c = only_call(made);
  CHECK(c.type == 1);
  CHECK(c.rank == 5);
  CHECK(c.base == a);
  CHECK(list(c.extents, 5) == List{64, 17, 13, 11, 7});
  CHECK(list(c.strides, 4) == List{160, 17 * 160, 13 * 17 * 160, 11 * 13 * 17 * 160});
  CHECK(list(c.box, 5) == List{16, 5, 4, 3, 2});
  CHECK(list(c.element_strides, 5) == List{1, 1, 1, 1, 1});
  CHECK(c.interleave == 0);
  CHECK(c.swizzle == 0);
  CHECK(c.promotion == 0);
  CHECK(c.fill == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(c.map) % 64 == 0);
}

TEST_CASE("every rank") {
  const float* a = somewhere<const float>();
  {
    const tma::Driver d = driver();
    const Call        c = only_call(tma::try_make_descriptor<Tile<float, Shape<8>>>(TensorView{a, {64}}, {}, &d));
    CHECK(c.rank == 1);
    CHECK(list(c.extents, 1) == List{64});
    CHECK(list(c.box, 1) == List{8});
  }
  {
    const tma::Driver d = driver();
    const Call        c = only_call(tma::try_make_descriptor<Tile<float, Shape<4, 8>>>(TensorView{a, {32, 64}}, {}, &d));
    CHECK(c.rank == 2);
    CHECK(list(c.extents, 2) == List{64, 32});
    CHECK(list(c.strides, 1) == List{256});
    CHECK(list(c.box, 2) == List{8, 4});
  }
  {
    const tma::Driver d = driver();
    const Call c = only_call(tma::try_make_descriptor<Tile<float, Shape<2, 4, 8>>>(TensorView{a, {16, 32, 64}}, {}, &d));
    CHECK(c.rank == 3);
    CHECK(list(c.extents, 3) == List{64, 32, 16});
    CHECK(list(c.strides, 2) == List{256, 8192});
    CHECK(list(c.box, 3) == List{8, 4, 2});
  }
  {
    const tma::Driver d = driver();
    const Call        c =
        only_call(tma::try_make_descriptor<Tile<float, Shape<1, 2, 4, 8>>>(TensorView{a, {8, 16, 32, 64}}, {}, &d));
    CHECK(c.rank == 4);
    CHECK(list(c.extents, 4) == List{64, 32, 16, 8});
    CHECK(list(c.strides, 3) == List{256, 8192, 131072});
    CHECK(list(c.box, 4) == List{8, 4, 2, 1});
  }
}

TEST_CASE("numbers beyond 32 bits arrive whole") {
  const tma::Driver d = driver();
  using T             = Tile<unsigned char, Shape<8, 128>>;
  const Call c        = only_call(tma::try_make_descriptor<T>(
      TensorView{somewhere<const unsigned char>(), {(1ll << 31) - 1, 4096}, {1ll << 24, 1}}, {}, &d));
  CHECK(list(c.extents, 2) == List{4096, (1ll << 31) - 1});
  CHECK(list(c.strides, 1) == List{1ll << 24});
  for (i64 stride : {i64(1) << 27, (i64(1) << 27) + 8}) {
    const tma::Driver e = driver();
    const Call        f = only_call(tma::try_make_descriptor<Tile<unsigned short, Shape<1, 8, 8>>>(
        TensorView{somewhere<unsigned short>(), {2, 64, 64}, {stride, 64, 1}}, {}, &e));
    CHECK(list(f.strides, 2) == List{128, 2 * stride});
  }
}

TEST_CASE("element strides widen the box and keep the tile") {
  using T = Tile<unsigned short, Shape<4, 3, 64>>;
  for (int a : {0, 1, 2, 3, 8})
    for (int b : {0, 1, 2, 5, 8}) {
      const tma::Driver d    = driver();
      const auto        made = tma::try_make_descriptor<T>(TensorView{somewhere<unsigned short>(), {30, 20, 64}},
                                                           {.element_strides = {a, b, 1}}, &d);
      const Call        c    = only_call(made);
      const int         ea = a ? a : 1, eb = b ? b : 1;  // 0 stands for 1
      CHECK(list(c.element_strides, 3) == List{1, eb, ea});
      CHECK(list(c.box, 3) == List{64, 2 * eb + 1, 3 * ea + 1});
      // What the engine brings of such a box.
      CHECK((2 * eb + 1 + eb - 1) / eb == 3);
      CHECK((3 * ea + 1 + ea - 1) / ea == 4);
      static_assert(std::is_same_v<decltype(*made), const tma::TmaDescriptor<unsigned short, 3, T>&>);
    }
  // The box may not exceed 256 with what it skips.
  const tma::Driver d = driver();
  using Tall          = Tile<unsigned short, Shape<37, 64>>;
  const TensorView tall{somewhere<const unsigned short>(), {1000, 64}};
  CHECK(!tma::try_make_descriptor<Tall>(tall, {.element_strides = {8}}, &d));  // (37 - 1) * 8 + 1 = 289
  CHECK(list(only_call(tma::try_make_descriptor<Tall>(tall, {.element_strides = {7}}, &d)).box, 2) == List{64, 253});
}

TEST_CASE("an inner element stride is refused, or widens the box where the engine heeds it") {
  // Without interleave the engine ignores it.
  const tma::Driver d = driver();
  using T             = Tile<unsigned short, Shape<4, 8, 8>>;
  const TensorView view{somewhere<const unsigned short>(), {16, 16, 8}};
  const auto       refused = tma::try_make_descriptor<T>(view, {.element_strides = {1, 1, 2}}, &d);
  REQUIRE(!refused);
  report::is_only(refused.error().report(), "M13", Severity::error, {"element_strides[2]", "2", "innermost", "dimension"});
  CHECK(calls.empty());
  // With one a box of 8 would bring 4 elements a row, and a barrier that expects 8 would wait for ever.
  const tma::Options layout{.interleave = Interleave::bytes_16, .element_strides = {1, 1, 2}};
  if (tma::try_make_descriptor<T>(view, layout, &d)) {
    REQUIRE(calls.size() == 1);
    CHECK(list(calls[0].box, 3) == List{15, 8, 4});
  }
}

TEST_CASE("options and types arrive as the driver numbers them") {
  using S = Tile<unsigned short, Shape<2, 4, 16>, Swizzle::bytes_32>;
  const TensorView view{somewhere<const unsigned short>(), {8, 16, 16}};
  const auto       call = [&](const tma::Options& options) {
    const tma::Driver d = driver();
    return only_call(tma::try_make_descriptor<S>(view, options, &d));
  };
  CHECK(call({}).swizzle == 1);
  for (int p = 0; p < 4; ++p) CHECK(call({.promotion = Promotion(p)}).promotion == p);
  const tma::Driver d = driver(100);
  for (int layout : {1, 2}) {  // tiles of 8 and 16 channels
    calls.clear();
    CHECK(only_call(
              tma::try_make_descriptor(view, {2, 8 * layout, 16}, Swizzle::bytes_32, {.interleave = Interleave(layout)}, &d))
              .interleave == layout);
  }
  for (int s = 0; s < 7; ++s) {
    calls.clear();
    CHECK(only_call(tma::try_make_descriptor(view, {1, 1, 16}, Swizzle(s), {}, &d)).swizzle == s);
  }

  const auto type = [](auto* data, Fill fill = Fill::zero) {
    using T             = std::remove_pointer_t<decltype(data)>;
    const tma::Driver e = driver();
    return only_call(tma::try_make_descriptor<Tile<T, Shape<4, 16>>>(TensorView{data, {16, 64}}, {.fill = fill}, &e));
  };
  CHECK(type(somewhere<bool>()).type == 0);
  CHECK(type(somewhere<signed char>()).type == 0);
  CHECK(type(somewhere<short>()).type == 1);
  CHECK(type(somewhere<unsigned>()).type == 2);
  CHECK(type(somewhere<int>()).type == 3);
  CHECK(type(somewhere<unsigned long long>()).type == 4);
  CHECK(type(somewhere<long long>()).type == 5);
  CHECK(type(somewhere<float>()).type == 7);
  CHECK(type(somewhere<double>()).type == 8);
  CHECK(type(somewhere<tma::f32_ftz>()).type == 10);
  CHECK(type(somewhere<tma::tf32>()).type == 11);
  CHECK(type(somewhere<tma::tf32_ftz>()).type == 12);
  CHECK(type(somewhere<float>()).fill == 0);
  CHECK(type(somewhere<float>(), Fill::nan).fill == 1);
}

TEST_CASE("views of const elements make descriptors that are only loaded from") {
  const tma::Driver d = driver();
  using T             = Tile<float, Shape<8, 16>>;
  const auto writable = tma::try_make_descriptor<T>(TensorView{somewhere<float>(), {32, 64}}, {}, &d);
  const auto readable = tma::try_make_descriptor<T>(TensorView{somewhere<const float>(), {32, 64}}, {}, &d);
  static_assert(std::is_same_v<decltype(writable), const tma::Result<tma::TmaDescriptor<float, 2, T>>>);
  static_assert(std::is_same_v<decltype(readable), const tma::Result<tma::TmaDescriptor<const float, 2, T>>>);
  CHECK(bool(writable));
  CHECK(bool(readable));
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].base == calls[1].base);
  // What only a store minds.
  CHECK(!tma::try_make_descriptor<T>(TensorView{somewhere<float>(), {32, 63}, {64, 1}}, {}, &d));
  CHECK(bool(tma::try_make_descriptor<T>(TensorView{somewhere<const float>(), {32, 63}, {64, 1}}, {}, &d)));
  CHECK(!tma::try_make_descriptor<T>(TensorView{somewhere<float>(), {32, 64}, {0, 1}}, {}, &d));
  CHECK(bool(tma::try_make_descriptor<T>(TensorView{somewhere<const float>(), {32, 64}, {0, 1}}, {}, &d)));
}

TEST_CASE("the stride of an unused dimension arrives as a legal one") {
  const tma::Driver d = driver();
  using T             = Tile<unsigned short, Shape<1, 64>>;
  const Call c = only_call(tma::try_make_descriptor<T>(TensorView{somewhere<unsigned short>(), {1, 64}, {65, 1}}, {}, &d));
  CHECK(list(c.strides, 1) == List{128});
}

TEST_CASE("a box known at run time knows its bytes") {
  struct Expected {
    int     rows, columns;
    Swizzle swizzle;
    int     payload, footprint;
  };
  for (const Expected& e : {Expected{8, 16, Swizzle::none, 512, 512}, Expected{1, 4, Swizzle::none, 16, 16},
                            Expected{256, 64, Swizzle::none, 65536, 65536}, Expected{8, 32, Swizzle::bytes_128, 1024, 1024},
                            Expected{8, 24, Swizzle::bytes_128, 768, 1024},  // 96-byte rows, 128 bytes apart
                            Expected{8, 4, Swizzle::bytes_128, 128, 1024}, Expected{7, 12, Swizzle::bytes_64, 336, 448},
                            Expected{5, 4, Swizzle::bytes_32, 80, 160}}) {
    INFO(e.rows << " x " << e.columns << ", " << tma::swizzle_name(e.swizzle));
    const tma::Driver d = driver();
    const auto        made =
        tma::try_make_descriptor(TensorView{somewhere<float>(), {1000, 256}}, {e.rows, e.columns}, e.swizzle, {}, &d);
    const Call c = only_call(made);
    CHECK(list(c.box, 2) == List{e.columns, e.rows});
    CHECK(c.swizzle == int(e.swizzle));
    CHECK(made->payload_bytes() == e.payload);
    CHECK(made->footprint_bytes() == e.footprint);
    CHECK(made->box(0) == e.rows);
    CHECK(made->box(1) == e.columns);
    for (int k = 2; k < 5; ++k) CHECK(made->box(k) == 1);
    CHECK((made->swizzle() == e.swizzle));
    CHECK(words(tma::tensor_map(*made))[15] == ~u64(0));  // the driver's bytes
    static_assert(std::is_same_v<decltype(*made), const tma::TmaDescriptor<float, 2>&>);
  }
  // The same numbers as a tile of that shape has.
  using T             = Tile<unsigned short, Shape<2, 3, 4, 48>, Swizzle::bytes_128>;
  const tma::Driver d = driver();
  const TensorView  view{somewhere<const unsigned short>(), {9, 9, 9, 64}};
  const auto        made = tma::try_make_descriptor(view, {2, 3, 4, 48}, Swizzle::bytes_128, {}, &d);
  const Call        box  = only_call(made);
  CHECK(made->payload_bytes() == T::payload_bytes);
  CHECK(made->footprint_bytes() == T::footprint_bytes);
  calls.clear();
  const Call tile = only_call(tma::try_make_descriptor<T>(view, {}, &d));
  CHECK(list(box.box, 4) == list(tile.box, 4));
  CHECK(list(box.extents, 4) == list(tile.extents, 4));
  CHECK(list(box.strides, 3) == list(tile.strides, 3));
  CHECK(box.swizzle == tile.swizzle);
}

TEST_CASE("a box known at run time keeps its size under element strides") {
  const tma::Driver d    = driver();
  const auto        made = tma::try_make_descriptor(TensorView{somewhere<float>(), {64, 64, 64}}, {5, 7, 16}, Swizzle::none,
                                                    {.element_strides = {3, 2}}, &d);
  const Call        c    = only_call(made);
  CHECK(list(c.box, 3) == List{16, 13, 13});
  CHECK(list(c.element_strides, 3) == List{1, 2, 3});
  CHECK(made->payload_bytes() == 5 * 7 * 64);
  CHECK(made->footprint_bytes() == 5 * 7 * 64);
  CHECK(made->box(0) == 5);
  CHECK(made->box(1) == 7);
}

TEST_CASE("a box known at run time is judged like a tile, in any integer type") {
  const tma::Driver d = driver();
  const TensorView  view{somewhere<const float>(), {1000, 256}};
  const auto        refused = [&](tma::detail::Index64 rows, tma::detail::Index64 columns, Swizzle swizzle, const char* id) {
    const auto made = tma::try_make_descriptor(view, {rows, columns}, swizzle, {}, &d);
    INFO(made.error().what());
    CHECK(!made);
    CHECK(made.error().report().has(id));
    report::check_texts(made.error().report());
  };
  refused(257, 16, Swizzle::none, "T9");
  refused(0, 16, Swizzle::none, "T9");
  refused(-1, 16, Swizzle::none, "T9");
  refused((1ll << 32) + 8, 16, Swizzle::none, "T9");
  refused(~std::size_t(0), 16, Swizzle::none, "T9");
  refused(8, (1ll << 32) + 16, Swizzle::none, "T9");
  refused(8, 3, Swizzle::none, "T10");
  refused(8, 64, Swizzle::bytes_128, "T14");
  refused(8, 12, Swizzle::bytes_32, "T14");
  refused(256, 256, Swizzle::none, "T20");
  CHECK(calls.empty());
  CHECK(bool(tma::try_make_descriptor(view, {std::size_t(8), short(16)}, Swizzle::none, {}, &d)));
  // Every dimension at its most: too large for shared memory, whatever the product is.
  const TensorView<const float, 5> five{somewhere<const float>(), {256, 256, 256, 256, 256}};
  const auto largest = tma::try_make_descriptor(five, {256, 256, 256, 256, 256}, Swizzle::none, {}, &d);
  REQUIRE(!largest);
  report::is_only(largest.error().report(), "T20", Severity::error, {"box", "4398046511104 bytes", "232448", "smaller"});
  const auto strided = tma::try_make_descriptor(five, {1 << 30, 1, 1, 1, 4}, Swizzle::none, {.element_strides = {8}}, &d);
  CHECK(strided.error().report().has("T9"));
  CHECK(strided.error().report().has("T20"));
}

TEST_CASE("what the driver refuses is reported with every parameter") {
  const tma::Driver d = driver(90, 13020);
  answer              = 1;
  using T             = Tile<unsigned short, Shape<2, 4, 16>, Swizzle::bytes_32>;
  const auto made =
      tma::try_make_descriptor<T>(TensorView{somewhere<const unsigned short>(64), {8, 1600, 48}, {76800 + 8, 48, 1}},
                                  {.promotion = Promotion::bytes_128, .element_strides = {1, 2, 1}}, &d);
  REQUIRE(!made);
  CHECK(calls.size() == 1);
  CHECK((made.error().kind() == ErrorKind::encode_refused));
  CHECK(made.error().report().ok());
  const char* const text = made.error().what();
  INFO(text);
  for (const char* part : {"CUDA 13020", "status 1", "u16", "rank 3", "base 0x7f2a40000040",
                           "dimension 0: extent 8, stride 153616 bytes, box 2, element stride 1",
                           "dimension 1: extent 1600, stride 96 bytes, box 7, element stride 2",
                           "dimension 2: extent 48, stride 2 bytes, box 16, element stride 1", "interleave 0",
                           "swizzle bytes_32", "promotion 2", "fill 0"}) {
    INFO(part);
    CHECK(report::contains(text, part));
  }
  CHECK_THROWS_AS(made.value(), tma::Error);
}

TEST_CASE("broken rules are reported, all of them, before the driver is asked") {
  tma::Driver d   = driver();
  d.pointer_kind  = [](const void*) { return tma::PointerKind::pageable_host; };
  using T         = Tile<float, Shape<8, 32>, Swizzle::bytes_128_atom_32>;
  const auto made = tma::try_make_descriptor<T>(TensorView{somewhere<float>(8), {0, 1733}},
                                                {.fill = Fill(7), .element_strides = {9, 2}}, &d);
  REQUIRE(!made);
  CHECK((made.error().kind() == ErrorKind::rule_broken));
  CHECK(calls.empty());
  INFO(made.error().what());
  for (const char* id : {"T4", "T5", "T7", "T12", "T19", "M3", "M4", "M7"}) {
    INFO(id);
    CHECK(made.error().report().has(id));
    CHECK(report::contains(made.error().what(), (std::string("[") + id + "]").c_str()));
  }
  report::check_texts(made.error().report());
}

TEST_CASE("errors say which tensor they are about: the line of its view, and its name") {
  using T         = Tile<float, Shape<8, 32>>;
  const auto d    = driver();
  const auto says = [&](const auto& view, const std::string& text) {
    const auto made = tma::try_make_descriptor<T>(view, {}, &d);
    INFO(made.error().what());
    CHECK(std::string(made.error().what()).rfind("tma: " + text + " cannot have a descriptor: 1 rule broken\n", 0) == 0);
  };
  const auto       line = [](int n) { return "descriptor.cpp:" + std::to_string(n); };
  const TensorView dense{somewhere<float>(4), {32, 64}};
  const int        here = __LINE__ - 1;
  says(dense, "the tensor at " + line(here) + " (f32, 32 x 64)");
  says(TensorView{somewhere<float>(4), {32, 64}, {64, 1}}, "the tensor at " + line(__LINE__) + " (f32, 32 x 64)");
  const TensorView in_bytes{somewhere<float>(4), {32, 64}, tma::byte_strides(256, 4)};
  says(in_bytes, "the tensor at " + line(__LINE__ - 1) + " (f32, 32 x 64)");
  says(dense.named("weights"), "the tensor \"weights\" at " + line(here) + " (f32, 32 x 64)");
  // A copy is the same view; what the driver refuses is said in the same way.
  const auto copy = dense;
  says(copy, "the tensor at " + line(here) + " (f32, 32 x 64)");
}

TEST_CASE("element strides beyond the rank are refused") {
  using T         = Tile<float, Shape<8, 32>>;
  const auto d    = driver();
  const auto view = TensorView{somewhere<const float>(), {32, 64}};
  for (const tma::Options& options :
       {tma::Options{.element_strides = {1, 1, 2}}, tma::Options{.element_strides = {0, 0, 0, 0, 9}},
        tma::Options{.element_strides = {2, 1, -1}}}) {
    CHECK(tma::try_make_descriptor<T>(view, options, &d).error().report().has("T12"));
    CHECK(tma::try_make_descriptor(view, {8, 32}, Swizzle::none, options, &d).error().report().has("T12"));
    CHECK(tma::check<T>(view, options).has("T12"));
  }
  CHECK(tma::try_make_descriptor<T>(view, {.element_strides = {2, 1}}, &d));
  CHECK(tma::try_make_descriptor<T>(view, {.element_strides = {1, 1, 1, 1, 1}}, &d));
}

TEST_CASE("warnings do not keep a descriptor from being made") {
  const tma::Driver d = driver();
  using T             = Tile<float, Shape<8, 32>, Swizzle::bytes_128>;
  CHECK(bool(tma::try_make_descriptor<T>(TensorView{somewhere<const float>(16), {100, 64}, {4, 1}}, {}, &d)));
  CHECK(calls.size() == 1);
}

TEST_CASE("the machine's limits and its view of the pointer are heeded") {
  using T = Tile<float, Shape<256, 32>>;
  const TensorView view{somewhere<const float>(), {1000, 64}};
  tma::Driver      d = driver();
  d.shared_limit     = 32 * 1024;
  CHECK(bool(tma::try_make_descriptor<T>(view, {}, &d)));
  d.shared_limit = 32 * 1024 - 1;
  CHECK(tma::try_make_descriptor<T>(view, {}, &d).error().report().has("T20"));

  static thread_local const void*      asked = nullptr;
  static thread_local tma::PointerKind kind  = tma::PointerKind::unknown;
  d                                          = driver();
  d.pointer_kind                             = [](const void* p) {
    asked = p;
    return kind;
  };
  for (tma::PointerKind k : {tma::PointerKind::unknown, tma::PointerKind::device, tma::PointerKind::managed,
                             tma::PointerKind::pinned_host, tma::PointerKind::pageable_host})
    for (bool reads : {false, true}) {
      kind             = k;
      d.reads_pageable = reads;
      const auto made  = tma::try_make_descriptor<T>(view, {}, &d);
      CHECK(asked == view.data());
      CHECK(bool(made) == (k != tma::PointerKind::pageable_host || reads));
      CHECK(made.error().report().has("M3") == !made);
    }
  // A null pointer is not asked about.
  asked = &d;
  CHECK(
      tma::try_make_descriptor<T>(TensorView{static_cast<float*>(nullptr), {1000, 64}}, {}, &d).error().report().has("M2"));
  CHECK(asked == &d);
}

TEST_CASE("on Blackwell with an older driver one bit of small tensors' maps is mended, and nothing else") {
  using T = Tile<float, Shape<8, 32>>;
  // Rows of 256 bytes, the last one short: the span is what lies between first and last element.
  const auto map = [](int capability, int version, i64 rows, i64 columns, i64 pitch) {
    const tma::Driver d = driver(capability, version);
    const auto made = tma::try_make_descriptor<T>(TensorView{somewhere<const float>(), {rows, columns}, {pitch, 1}}, {}, &d);
    INFO(made.error().what());
    REQUIRE(bool(made));
    return *made;
  };
  const auto is_mended = [](const auto& descriptor) {
    const u64* w = words(tma::tensor_map(descriptor));
    for (int i = 0; i < 16; ++i)
      if (i != 1) REQUIRE(w[i] == ~u64(0));
    REQUIRE((w[1] == ~u64(0) || w[1] == ~(u64(1) << 21)));
    return w[1] != ~u64(0);
  };
  for (int capability : {100, 103, 110, 120, 121})
    for (int version : {12080, 12090, 13000, 13010, 13019}) {
      INFO("capability " << capability << ", driver " << version);
      CHECK(is_mended(map(capability, version, 64, 60, 64)));
      CHECK(is_mended(map(capability, version, 1, 60, 64)));
      CHECK(is_mended(map(capability, version, 512, 63, 64)));   // 4 bytes below 128 KiB
      CHECK(!is_mended(map(capability, version, 512, 64, 64)));  // 128 KiB
      CHECK(!is_mended(map(capability, version, 2, 64, 1 << 20)));
      CHECK(!is_mended(map(capability, version, 100000, 64, 64)));
    }
  for (int version : {13020, 13030, 14000}) CHECK(!is_mended(map(100, version, 64, 60, 64)));
  for (int version : {12000, 12080, 13000, 13010, 13020}) CHECK(!is_mended(map(90, version, 64, 60, 64)));

  // A box known at run time likewise; what is kept beside the map stays.
  for (int capability : {90, 100}) {
    const tma::Driver d    = driver(capability, 13000);
    const auto        made = tma::try_make_descriptor(TensorView{somewhere<const float>(), {64, 60}, {64, 1}}, {8, 24},
                                                      Swizzle::bytes_128, {}, &d);
    REQUIRE(bool(made));
    CHECK(is_mended(*made) == (capability == 100));
    CHECK(made->payload_bytes() == 768);
    CHECK(made->footprint_bytes() == 1024);
  }
}

TEST_CASE("what is returned is what was written, wherever it is copied") {
  const tma::Driver d = driver();
  using T             = Tile<float, Shape<8, 32>>;
  const auto made     = tma::try_make_descriptor<T>(TensorView{somewhere<float>(), {64, 64}}, {}, &d);
  REQUIRE(bool(made));
  const auto copy = made.value();
  CHECK(std::memcmp(&copy, tma::tensor_map(*made), 128) == 0);
  CHECK(words(&copy)[0] == ~u64(0));
  CHECK(calls.size() == 1);  // copies cost no call
  std::vector<tma::TmaDescriptor<float, 2, T>> many(5, copy);
  for (const auto& m : many) {
    CHECK(reinterpret_cast<std::uintptr_t>(&m) % 64 == 0);
    CHECK(std::memcmp(&m, &copy, 128) == 0);
  }
}

TEST_CASE("check judges without a driver") {
  using T = Tile<float, Shape<8, 16>>;
  const tma::Report report =
      tma::check<T>(TensorView{somewhere<float>(8), {0, 1733}}, {.fill = Fill(7), .element_strides = {9, 2}});
  INFO(report.text().c_str());
  for (const char* id : {"T4", "T5", "T7", "T12", "T19", "M4"}) CHECK(report.has(id));
}

TEST_CASE("without a driver there is a reason, and no CUDA error stays behind") {
  using T = Tile<float, Shape<8, 16>>;
  // Where the driver is missing the runtime answers everything with that, from the first call on.
  const cudaError_t before = cudaPeekAtLastError();
  tma::Driver       d;
  const tma::Error  error = tma::system_driver(d);
  CHECK(cudaPeekAtLastError() == before);
  if (error.kind() != ErrorKind::no_driver) {
    WARN("this machine has a driver: what is said without one is not tested");
    return;
  }
  CHECK(report::contains(error.what(), "no NVIDIA driver found"));
  CHECK(report::contains(error.what(), "9.0"));
  CHECK(error.report().ok());
  CHECK(d.encode_tiled == nullptr);

  const TensorView view{somewhere<float>(), {128, 64}};
  CHECK(tma::check<T>(view).size() == 0);
  CHECK(cudaPeekAtLastError() == before);
  const auto made = tma::try_make_descriptor<T>(view);
  REQUIRE(!made);
  CHECK((made.error().kind() == ErrorKind::no_driver));
  CHECK(std::string(made.error().what()) == error.what());
  const auto boxed = tma::try_make_descriptor(view, {8, 16});
  REQUIRE(!boxed);
  CHECK((boxed.error().kind() == ErrorKind::no_driver));
  CHECK(cudaPeekAtLastError() == before);
  try {
    (void)tma::make_descriptor<T>(view);
    FAIL("a descriptor without a driver");
  } catch (const tma::Error& e) {
    CHECK((e.kind() == ErrorKind::no_driver));
  }
  CHECK_THROWS_AS(tma::make_descriptor(view, {8, 16}), tma::Error);
  CHECK(cudaPeekAtLastError() == before);

  // A broken rule is worth more than the missing driver.
  const auto broken = tma::try_make_descriptor<T>(TensorView{somewhere<float>(8), {128, 64}});
  REQUIRE(!broken);
  CHECK((broken.error().kind() == ErrorKind::rule_broken));
  CHECK(broken.error().report().has("T4"));
  try {
    (void)tma::make_descriptor<T>(TensorView{somewhere<float>(8), {128, 64}});
    FAIL("a descriptor of a misaligned tensor");
  } catch (const tma::Error& e) {
    CHECK((e.kind() == ErrorKind::rule_broken));
  }
  CHECK(cudaPeekAtLastError() == before);
}

TEST_CASE("two threads at once make what each asked for") {
  using T = Tile<float, Shape<8, 16>>;
  std::vector<int> right(2);
  const auto       work = [&](int t) {
    tma::Driver system;
    const bool  missing = tma::system_driver(system).kind() == ErrorKind::no_driver;
    for (int i = 0; i < 1000; ++i) {
      const tma::Driver d    = driver();
      const i64         rows = 1 + (i * 7 + t * 3) % 500;
      const auto made = tma::try_make_descriptor<T>(TensorView{somewhere<float>(t * 4096 + i * 16), {rows, 64}}, {}, &d);
      const auto none = tma::try_make_descriptor<T>(TensorView{somewhere<float>(t * 4096 + i * 16 + 4), {rows, 64}});
      right[std::size_t(t)] += bool(made) && calls.size() == 1 && calls[0].extents[1] == u64(rows) &&
                               calls[0].base == somewhere<float>(t * 4096 + i * 16) && !none &&
                               none.error().report().has("T4") &&
                               (!missing || tma::system_driver(system).kind() == ErrorKind::no_driver);
    }
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  CHECK(right[0] == 1000);
  CHECK(right[1] == 1000);
}
