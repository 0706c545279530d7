// Tensors for loads by threads: every rule both ways, the granule, and the question whether the engine can load.
#include <tma/host/thread_descriptor.hpp>

#include <climits>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "report.hpp"

namespace {

using report::is_empty;
using report::is_only;
using report::Says;
using tma::EngineLoads;
using tma::Severity;
using tma::Shape;
using tma::Swizzle;
using tma::TensorView;
using tma::ThreadLoads;
using tma::Tile;
using i64 = tma::detail::i64;

using Plain = Tile<float, Shape<8, 32>>;

template <class T = float> const T* address(std::uintptr_t a) { return reinterpret_cast<const T*>(a); }
constexpr std::uintptr_t            base = 0x7f2a40000000;

int encode(void* map, int, unsigned, void*, const tma::detail::u64*, const tma::detail::u64*, const unsigned*,
           const unsigned*, int, int, int, int) {
  std::memset(map, 0xff, 128);
  return 0;
}

tma::Driver driver(int capability = 90) {
  return {.encode_tiled = encode, .compute_capability = capability, .version = 13000};
}

tma::PointerKind on_host(const void*) { return tma::PointerKind::pageable_host; }
tma::PointerKind on_device(const void*) { return tma::PointerKind::device; }

template <class TileT = Plain, class T, int Rank> tma::Report threads(const TensorView<T, Rank>& view) {
  const auto d = driver();
  const auto r = tma::try_make_thread_descriptor<TileT>(view, &d);
  CHECK((!r || !r.error()));
  return r.error().report();
}

template <class TileT = Plain, class T, int Rank> int granule(const TensorView<T, Rank>& view) {
  const auto d = driver();
  return tma::try_make_thread_descriptor<TileT>(view, &d).value().granule();
}

}  // namespace

TEST_CASE("descriptors for threads are of the tile's type, and plain numbers") {
  using D = tma::descriptor_for<ThreadLoads, float, 2, Plain>;
  using C = tma::descriptor_for<ThreadLoads, const float, 2, Plain>;
  using E = tma::descriptor_for<EngineLoads, const float, 2, Plain>;
  STATIC_REQUIRE(std::is_same_v<D, tma::ThreadDescriptor<float, 2, Plain>>);
  STATIC_REQUIRE(std::is_same_v<E, tma::TmaDescriptor<const float, 2, Plain>>);
  STATIC_REQUIRE(std::is_trivially_copyable_v<C>);
  STATIC_REQUIRE(std::is_convertible_v<const D&, const C&>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<const C&, const D&>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<const E&, const C&>);
  STATIC_REQUIRE(std::is_same_v<C::tile_type, Plain>);
}

TEST_CASE("the granule is what base and strides are multiples of, at most 16") {
  CHECK(granule(TensorView{address(base), {7, 64}}) == 16);
  CHECK(granule(TensorView{address(base + 8), {7, 64}}) == 8);
  CHECK(granule(TensorView{address(base + 4), {7, 64}}) == 4);
  CHECK(granule(TensorView{address(base), {7, 66}}) == 8);
  CHECK(granule(TensorView{address(base), {7, 7}}) == 4);
  CHECK(granule(TensorView{address(base), {7, 7}, {-64, 1}}) == 16);
  CHECK(granule(TensorView{address(base), {7, 7}, {0, 1}}) == 16);
  CHECK(granule(TensorView{address(base), {1, 7}, {7, 1}}) == 16);  // no step is made along one row
  CHECK(granule<Tile<short, Shape<8, 64>>>(TensorView{address<short>(base + 2), {7, 64}}) == 2);
  CHECK(granule<Tile<unsigned char, Shape<16>>>(TensorView{address<unsigned char>(base + 1), {100}}) == 1);
  CHECK(granule<Tile<short, Shape<2, 2, 8>>>(TensorView{address<short>(base), {4, 3, 8}, {25, 8, 1}}) == 2);
  CHECK(granule<Tile<double, Shape<2, 8>>>(TensorView{address<double>(base), {4, 3}}) == 8);
}

TEST_CASE("what the engine refuses threads take") {
  is_empty(threads(TensorView{address(base + 4), {7, 7}}));
  is_empty(threads(TensorView{address(base), {7, 7}, {-7, 1}}));
  is_empty(threads(TensorView{address(base), {i64(1) << 31, 7}, {0, 1}}));
  is_empty(threads(TensorView{address(base), {7, 1}, {1, 77}}));
  is_empty(threads(TensorView{address(base), {i64(1) << 20, i64(1) << 31}}));
}

TEST_CASE("C1 to C3: the base") {
  is_only(threads(TensorView{address(0), {7, 7}}), "C1", Severity::error,
          {"base", "null", "that the device reads", "allocate"});
  auto d         = driver();
  d.pointer_kind = on_host;
  const TensorView view{address(base), {7, 7}};
  is_only(tma::try_make_thread_descriptor<Plain>(view, &d).error().report(), "C2", Severity::error,
          {"base", "0x7f2a40000000", "ordinary host memory", "cudaMalloc"});
  d.reads_pageable = true;
  CHECK(tma::try_make_thread_descriptor<Plain>(view, &d));
  d.reads_pageable = false;
  d.pointer_kind   = on_device;
  CHECK(tma::try_make_thread_descriptor<Plain>(view, &d));
  is_only(threads(TensorView{address(base + 2), {7, 7}}), "C3", Severity::error,
          {"base", "0x7f2a40000002", "4 bytes; the remainder is 2", "copy the tensor"});
}

TEST_CASE("C4: extents") {
  is_only(threads(TensorView{address(base), {0, 7}}), "C4", Severity::error,
          {"extent[0]", "0", "at least 1", "do not launch"});
  is_only(threads(TensorView{address(base), {7, -7}, {7, 1}}), "C4", Severity::error,
          {"extent[1]", "-7", "1 to 2^31", "below zero"});
  is_only(threads(TensorView{address(base), {(i64(1) << 31) + 1, 7}}), "C4", Severity::error,
          {"extent[0]", "2147483649", "at most 2^31", "split"});
}

TEST_CASE("C5 and C6: strides") {
  is_only(threads(TensorView{address(base), {7, 7}, tma::byte_strides(30, 4)}), "C5", Severity::error,
          {"stride[0]", "30 bytes", "4 bytes; the remainder is 2", "fewer bytes"});
  is_empty(threads(TensorView{address(base), {1, 7}, tma::byte_strides(30, 4)}));
  is_only(threads(TensorView{address(base), {7, 7}, {14, 2}}), "C6", Severity::error,
          {"stride[1]", "8 bytes (2 elements)", "contiguous", "reorder"});
}

TEST_CASE("C7: the end") {
  constexpr i64 far = i64(1) << 40;
  is_only(threads(TensorView{address(base), {i64(1) << 16, 7}, {far, 1}}), "C7", Severity::error,
          {"extents x strides", "more than 2^57", "address space", "bytes where elements"});
  is_only(threads(TensorView{address(base), {i64(1) << 16, 7}, {-far, 1}}), "C7", Severity::error,
          {"extents x strides", "more than 2^57", "address space", "bytes where elements"});
  is_only(threads(TensorView{address(base), {i64(1) << 30, 7}, {LLONG_MAX / 4, 1}}), "C7", Severity::error,
          {"extents x strides", "more than 2^57", "address space", "bytes where elements"});
}

TEST_CASE("every broken rule at once, as an exception") {
  try {
    tma::make_thread_descriptor<Plain>(TensorView{address(2), {0, 7}, {3, 2}});
    FAIL("no exception");
  } catch (const tma::Error& e) {
    CHECK((e.kind() == tma::ErrorKind::rule_broken));
    CHECK((report::ids(e.report()) == std::set<std::string>{"C3", "C4", "C6"}));
    CHECK(report::contains(e.what(), ") cannot be loaded by threads: 3 rules broken"));
    report::check_texts(e.report());
  }
}

TEST_CASE("can_load is true where make_descriptor makes one, and has every reason where it does not") {
  const auto hopper = driver();
  const auto can    = [&](const auto& view) { return tma::can_load<Plain>(view, {}, &hopper); };
  is_empty(can(TensorView{address(base), {7, 64}}));
  CHECK(can(TensorView{address(base), {7, 64}}));
  CHECK((report::ids(can(TensorView{address(base + 4), {7, 7}})) == std::set<std::string>{"T4", "T7"}));
  CHECK_FALSE(can(TensorView{address(base + 4), {7, 7}}));
  // A store would write past the row's end: of const elements none goes through.
  CHECK(can(TensorView{address(base), {7, 7}, {8, 1}}));
  CHECK(can(TensorView{const_cast<float*>(address(base)), {7, 7}, {8, 1}}).has("M4"));
  for (const bool good : {true, false}) {
    const TensorView view{address(good ? base : base + 8), {7, 64}};
    CHECK(bool(can(view)) == bool(tma::try_make_descriptor<Plain>(view, {}, &hopper)));
  }
  CHECK(tma::can_load<Tile<float, Shape<8, 32>, Swizzle::bytes_128_atom_32>>(TensorView{address(base), {7, 64}}, {}, &hopper)
            .has("M7"));
}

TEST_CASE("can_load is false where the device has no engine") {
  const TensorView good{address(base), {7, 64}};
  for (const int capability : {80, 86, 89}) {
    const auto older = driver(capability);
    is_only(tma::can_load<Plain>(good, {}, &older), "M15", Severity::error,
            {"device", "device lacks TMA", "9.0 (Hopper)", "tma::ThreadLoads"});
    CHECK((report::ids(tma::can_load<Plain>(TensorView{address(base), {7, 7}}, {}, &older)) ==
           std::set<std::string>{"T7", "M15"}));
  }
}

TEST_CASE("who loads says which descriptor is made") {
  const auto view = TensorView{address(base), {7, 64}};
  const auto made = tma::try_make_descriptor_for<ThreadLoads, Plain>(view);
  STATIC_REQUIRE(std::is_same_v<decltype(made), const tma::Result<tma::ThreadDescriptor<const float, 2, Plain>>>);
  STATIC_REQUIRE(std::is_same_v<decltype(tma::make_descriptor_for<EngineLoads, Plain>(view)),
                                tma::TmaDescriptor<const float, 2, Plain>>);
  CHECK(tma::try_make_descriptor_for<EngineLoads, Plain>(TensorView{address(base), {7, 7}}).error().report().has("T7"));
}
