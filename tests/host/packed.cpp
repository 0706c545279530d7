// Elements of 4 and 6 bits, counted in units of 16: what the driver is told, and which rules hold. And the swizzle of 96 bytes,
// which only a device sets.
#include <tma/core/gather.hpp>
#include <tma/host/im2col.hpp>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "report.hpp"

namespace {

using tma::ElementType;
using tma::Severity;
using tma::Shape;
using tma::Swizzle;
using tma::TensorView;
using tma::Tile;
using tma::u4x16;
using tma::u4x16_padded;
using tma::u6x16_padded;
using u64 = tma::detail::u64;

struct Call {
  int      type;
  u64      extents[5], strides[5];
  unsigned box[5];
};

std::vector<Call> calls;

int record(void* map, int type, unsigned rank, void*, const u64* extents, const u64* strides, const unsigned* box,
           const unsigned*, int, int, int, int) {
  Call c{type, {}, {}, {}};
  for (unsigned i = 0; i < rank; ++i) {
    c.extents[i] = extents[i];
    c.box[i]     = box[i];
    if (i + 1 < rank) c.strides[i] = strides[i];
  }
  calls.push_back(c);
  std::memset(map, 0xff, 128);
  return 0;
}

int record_im2col(void* map, int type, unsigned rank, void*, const u64* extents, const u64*, const int*, const int*,
                  unsigned channels, unsigned pixels, const unsigned*, int, int, int, int) {
  Call c{type, {}, {}, {}};
  for (unsigned i = 0; i < rank; ++i) c.extents[i] = extents[i];
  c.box[0] = channels;
  c.box[1] = pixels;
  calls.push_back(c);
  std::memset(map, 0xff, 128);
  return 0;
}

tma::Driver driver(int capability = 100) {
  calls.clear();
  return {.encode_tiled       = record,
          .find               = [](tma::DriverCall) { return reinterpret_cast<void*>(&record_im2col); },
          .compute_capability = capability,
          .version            = 13000};
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

template <class TileT, class V> tma::Report report_of(const V& view) {
  const tma::Driver d = driver();
  return tma::try_make_descriptor<TileT>(view, {}, &d).error().report();
}

}  // namespace

TEST_CASE("units of packed elements have their sizes on both sides") {
  static_assert(sizeof(u4x16) == 8 && tma::global_bytes<u4x16> == 8 && tma::elements_per_unit<u4x16> == 16);
  static_assert(sizeof(u4x16_padded) == 16 && tma::global_bytes<u4x16_padded> == 8);
  static_assert(sizeof(u6x16_padded) == 16 && tma::global_bytes<u6x16_padded> == 12);
  static_assert(tma::elements_per_unit<const u6x16_padded> == 16 && tma::elements_per_unit<float> == 1);
  static_assert(tma::global_bytes<const double> == 8 && tma::global_bytes<bool> == 1);
  static_assert(tma::element_type<u4x16> == ElementType::u4_align8);
  static_assert(tma::element_type<u4x16_padded> == ElementType::u4_align16);
  static_assert(tma::element_type<u6x16_padded> == ElementType::u6_align16);
  static_assert(tma::coordinate_granule<u4x16> == 2 && tma::coordinate_granule<u4x16_padded> == 8);
  static_assert(tma::coordinate_granule<u6x16_padded> == 8 && tma::coordinate_granule<float> == 4);
  static_assert(tma::coordinate_granule<unsigned char> == 16 && tma::coordinate_granule<double> == 2);
  using Rows = Tile<u4x16, Shape<8, 16>, Swizzle::bytes_128>;
  static_assert(Rows::row_bytes == 128 && Rows::payload_bytes == 1024);
  using Padded = Tile<u6x16_padded, Shape<8, 8>, Swizzle::bytes_128>;
  static_assert(Padded::row_bytes == 128 && Padded::footprint_bytes == 1024);
  SUCCEED("asked when compiling");
}

TEST_CASE("the driver is told elements, and strides in bytes of global memory") {
  {
    const tma::Driver d = driver();
    const Call        c = only_call(tma::try_make_descriptor<Tile<u4x16, Shape<2, 8, 4>>>(
        TensorView{somewhere<u4x16>(), {5, 100, 30}}, {}, &d));  // dense: rows of 240 bytes
    CHECK(c.type == 13);
    CHECK(list(c.extents, 3) == List{480, 100, 5});
    CHECK(list(c.strides, 2) == List{240, 24000});
    CHECK(list(c.box, 3) == List{64, 8, 2});
  }
  {
    const tma::Driver d = driver();
    const Call        c = only_call(tma::try_make_descriptor<Tile<u4x16_padded, Shape<16, 8>, Swizzle::bytes_128>>(
        TensorView{somewhere<const u4x16_padded>(), {100, 32}, {64, 1}}, {}, &d));
    CHECK(c.type == 14);
    CHECK(list(c.extents, 2) == List{512, 100});
    CHECK(list(c.strides, 1) == List{512});  // 64 units of 8 bytes
    CHECK(list(c.box, 2) == List{128, 16});
  }
  {
    const tma::Driver d = driver();
    const Call        c = only_call(tma::try_make_descriptor<Tile<u6x16_padded, Shape<16, 8>>>(
        TensorView{somewhere<u6x16_padded>(), {100, 32}}, {}, &d));
    CHECK(c.type == 15);
    CHECK(list(c.extents, 2) == List{512, 100});
    CHECK(list(c.strides, 1) == List{384});  // 32 units of 12 bytes
    CHECK(list(c.box, 2) == List{128, 16});
  }
  {
    const tma::Driver d = driver();
    const Call        c = only_call(
        tma::try_make_descriptor<tma::Rows4<Tile<u4x16, Shape<4, 16>>>>(TensorView{somewhere<u4x16>(), {100, 32}}, {}, &d));
    CHECK(list(c.extents, 2) == List{512, 100});
    CHECK(list(c.box, 2) == List{256, 1});
  }
  {
    const tma::Driver d = driver();
    const Call        c = only_call(tma::try_make_descriptor<tma::Im2col<Tile<u4x16, Shape<64, 4>>>>(
        TensorView{somewhere<const u4x16>(), {2, 10, 12, 8}}, {}, {}, &d));
    CHECK(list(c.extents, 4) == List{128, 12, 10, 2});
    CHECK(list(c.box, 2) == List{64, 64});
  }
}

TEST_CASE("the rules of packed types are asked of views") {
  using P = Tile<u4x16_padded, Shape<16, 8>>;
  using S = Tile<u6x16_padded, Shape<16, 8>>;
  using U = Tile<u4x16, Shape<16, 8>>;
  report::is_only(report_of<P>(TensorView{somewhere<const u4x16_padded>(), {100, 30}, {64, 1}}), "T6", Severity::error,
                  {"extent[1]", "480", "multiple of 128 elements", "512"});
  report::is_only(report_of<P>(TensorView{somewhere<u4x16_padded>(), {100, 32}}), "T17", Severity::error,
                  {"access", "store", "loaded only", "const"});
  CHECK(report_of<Tile<u4x16_padded, Shape<16, 8>, Swizzle::bytes_128_atom_64>>(
            TensorView{somewhere<const u4x16_padded>(), {100, 32}})
            .has("T17"));
  CHECK(report_of<Tile<u6x16_padded, Shape<16, 8>, Swizzle::bytes_128_atom_32_flip_8>>(
            TensorView{somewhere<const u6x16_padded>(), {100, 32}})
            .has("T16"));
  report::is_empty(report_of<Tile<u6x16_padded, Shape<16, 8>, Swizzle::bytes_128_atom_64>>(
      TensorView{somewhere<u6x16_padded>(), {100, 32}}));
  report::is_only(report_of<S>(TensorView{somewhere<const u6x16_padded>(16), {100, 32}}), "T4", Severity::error,
                  {"base", "0x7f2a40000010", "multiple of 32", "16 bytes earlier"});
  report::is_only(report_of<S>(TensorView{somewhere<const u6x16_padded>(), {100, 32}, tma::byte_strides(400, 12)}), "T7",
                  Severity::error, {"stride[0]", "400 bytes", "multiple of 32", "416 bytes"});
  report::is_only(report_of<U>(TensorView{somewhere<const u4x16>(), {100, 31}}), "T7", Severity::error,
                  {"stride[0]", "248 bytes", "multiple of 16", "256 bytes"});
  report::is_only(report_of<U>(TensorView{somewhere<u4x16>(), {100, 31}, {32, 1}}), "M4", Severity::error,
                  {"extent[1]", "496 elements (248 bytes)", "to byte 256, 8 bytes past", "512"});
  report::is_empty(report_of<U>(TensorView{somewhere<const u4x16>(), {100, 31}, {32, 1}}));
  report::is_only(report_of<U>(TensorView{somewhere<const u4x16>(), {100, 32}, {64, 2}}), "M1", Severity::error,
                  {"stride[1]", "16 bytes", "1 unit of 16, 8 bytes", "last"});
  // Rows that touch do not overlap, rows that overlap do.
  report::is_empty(tma::check<S>(TensorView{somewhere<const u6x16_padded>(), {100, 32}}));
  report::is_only(tma::check<S>(TensorView{somewhere<const u6x16_padded>(), {100, 32}, tma::byte_strides(352, 12)}), "T8",
                  Severity::warning, {"stride[0]", "352 bytes", "384 bytes", "sliding window"});
  // Extents that do not fit once they are elements.
  CHECK(report_of<U>(TensorView{somewhere<const u4x16>(), {1, 1ll << 60}}).has("M6"));
}

TEST_CASE("packed types need capability 10") {
  const tma::Driver d = driver(90);
  const auto        made =
      tma::try_make_descriptor<Tile<u4x16, Shape<16, 8>>>(TensorView{somewhere<const u4x16>(), {100, 32}}, {}, &d);
  report::is_only(made.error().report(), "M7", Severity::error, {"element type", "u4_align8", "10.0", "unpack"});
  CHECK(calls.empty());
}

TEST_CASE("coordinates of packed tiles are units") {
  using U = Tile<u4x16, Shape<16, 8>>;
  using S = Tile<u6x16_padded, Shape<16, 8>>;
  report::is_empty(tma::check_coord<U>({3, 2}));
  report::is_only(tma::check_coord<U>({3, 1}), "M8", Severity::error,
                  {"coordinate[1]", "1 elements (byte 8)", "multiple of 16 bytes (2 elements)", "wider tile"});
  report::is_empty(tma::check_coord<S>({3, 8}));
  report::is_only(tma::check_coord<S>({3, 4}), "M8", Severity::error,
                  {"coordinate[1]", "4 elements (byte 48)", "multiple of 96 bytes (8 elements)", "wider tile"});
}

TEST_CASE("T23: the swizzle of 96 bytes is set on a device only") {
  using T = Tile<float, Shape<8, 24>, Swizzle::bytes_96>;
  static_assert(T::pitch_bytes == 96 && T::alignment == 256 && T::footprint_bytes == 768);
  const tma::Driver d    = driver(103);
  const auto        made = tma::try_make_descriptor<T>(TensorView{somewhere<float>(), {64, 64}}, {}, &d);
  report::is_only(made.error().report(), "T23", Severity::error,
                  {"swizzle", "bytes_96", "on the device, on sm_103a", "tma::describe"});
  CHECK(tma::try_make_descriptor(TensorView{somewhere<float>(), {64, 64}}, {8, 24}, Swizzle::bytes_96, {}, &d)
            .error()
            .report()
            .has("T23"));
  CHECK(calls.empty());
  CHECK(std::string(tma::swizzle_name(Swizzle::bytes_96)) == "bytes_96");
  // Bit 4 of an address is flipped by bit 7, wherever rows begin; a tile's elements are where its bytes go.
  std::set<unsigned> places;
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 24; ++column) {
      const unsigned plain = row * 96 + column * 4, place = T::offset_of(row, column);
      REQUIRE(place == (plain ^ (plain / 128 % 2 * 16)));
      REQUIRE(place == tma::swizzle_address(Swizzle::bytes_96, plain));
      REQUIRE(place == T::offset_at(int(row * 24 + column)));
      places.insert(place);
    }
  CHECK(places.size() == 192);
  CHECK(*places.rbegin() == 764);
}
