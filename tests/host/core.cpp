// The core on the host: element types, swizzles, tiles, buffers, coordinates, descriptors' layout.
#include <tma/core/aligned_pointer.hpp>
#include <tma/core/buffer.hpp>
#include <tma/core/coord.hpp>
#include <tma/core/descriptor.hpp>
#include <tma/core/element.hpp>
#include <tma/core/pack.hpp>
#include <tma/core/reduction_types.hpp>
#include <tma/core/shape.hpp>
#include <tma/core/shared_bytes.hpp>
#include <tma/core/shared_span.hpp>
#include <tma/core/swizzle.hpp>
#include <tma/core/tile.hpp>
#include <tma/core/vec.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/catch.hpp"

using tma::Buffer;
using tma::Coord;
using tma::ElementType;
using tma::RaggedBuffer;
using tma::Shape;
using tma::Swizzle;
using tma::Tile;
using u32 = tma::detail::u32;

namespace {

// An assertion for loops and templates: Catch's own cost more to compile and to run than what is tested.
void expect(bool holds, const char* what, long long at) {
  if (holds) return;
  INFO(what << ", at " << at);
  REQUIRE(holds);
}

}  // namespace

// --- element types -------------------------------------------------------------------------------------------------

namespace {

// `T`, const or not, travels as `Type`, which is as wide.
template <class T, ElementType Type>
inline constexpr bool travels_as =
    tma::is_element<T> && tma::is_element<const T> && tma::element_type<T> == Type && tma::element_type<const T> == Type &&
    tma::element_type<volatile T> == Type && tma::element_bytes(Type) == int(sizeof(T));

struct ThreeBytes {
  unsigned char r, g, b;
};
struct FourBytes {
  unsigned char r, g, b, a;
};
enum class Number : int {};

}  // namespace

static_assert(travels_as<bool, ElementType::u8>);
static_assert(travels_as<char, ElementType::u8>);
static_assert(travels_as<signed char, ElementType::u8>);
static_assert(travels_as<unsigned char, ElementType::u8>);
static_assert(travels_as<char8_t, ElementType::u8>);
static_assert(travels_as<std::int8_t, ElementType::u8>);
static_assert(travels_as<std::uint8_t, ElementType::u8>);
static_assert(travels_as<__nv_fp8_e4m3, ElementType::u8>);
static_assert(travels_as<__nv_fp8_e5m2, ElementType::u8>);
static_assert(travels_as<short, ElementType::u16>);
static_assert(travels_as<unsigned short, ElementType::u16>);
static_assert(travels_as<char16_t, ElementType::u16>);
static_assert(travels_as<__half, ElementType::f16>);
static_assert(travels_as<__nv_bfloat16, ElementType::bf16>);
static_assert(travels_as<int, ElementType::i32>);
static_assert(travels_as<unsigned, ElementType::u32>);
static_assert(travels_as<char32_t, ElementType::u32>);
static_assert(travels_as<std::int32_t, ElementType::i32>);
static_assert(travels_as<std::uint32_t, ElementType::u32>);
static_assert(travels_as<long, sizeof(long) == 8 ? ElementType::i64 : ElementType::i32>);
static_assert(travels_as<unsigned long, sizeof(long) == 8 ? ElementType::u64 : ElementType::u32>);
static_assert(travels_as<long long, ElementType::i64>);
static_assert(travels_as<unsigned long long, ElementType::u64>);
static_assert(travels_as<std::int64_t, ElementType::i64>);
static_assert(travels_as<std::uint64_t, ElementType::u64>);
static_assert(travels_as<double, ElementType::f64>);
static_assert(travels_as<tma::f32_ftz, ElementType::f32_ftz>);
static_assert(travels_as<tma::tf32, ElementType::tf32>);
static_assert(travels_as<tma::tf32_ftz, ElementType::tf32_ftz>);

// A float keeps every bit: rounding and flushing are asked for by name.
static_assert(travels_as<float, ElementType::f32>);

static_assert(!tma::is_element<long double> && !tma::is_element<ThreeBytes> && !tma::is_element<FourBytes>);
static_assert(!tma::is_element<void> && !tma::is_element<const void> && !tma::is_element<void*> && !tma::is_element<float*>);
static_assert(!tma::is_element<float&> && !tma::is_element<float[4]> && !tma::is_element<void()> &&
              !tma::is_element<Number>);
static_assert(!tma::is_element<std::nullptr_t> && !tma::is_element<__half2>);

TEST_CASE("every element type has its size, its kind and its name") {
  struct Expected {
    ElementType type;
    int         bytes;
    bool        floating, packed;
    const char* name;
  };
  const Expected all[] = {
      {ElementType::u8, 1, false, false, "u8"},
      {ElementType::u16, 2, false, false, "u16"},
      {ElementType::u32, 4, false, false, "u32"},
      {ElementType::i32, 4, false, false, "i32"},
      {ElementType::u64, 8, false, false, "u64"},
      {ElementType::i64, 8, false, false, "i64"},
      {ElementType::f16, 2, true, false, "f16"},
      {ElementType::f32, 4, true, false, "f32"},
      {ElementType::f64, 8, true, false, "f64"},
      {ElementType::bf16, 2, true, false, "bf16"},
      {ElementType::f32_ftz, 4, true, false, "f32_ftz"},
      {ElementType::tf32, 4, true, false, "tf32"},
      {ElementType::tf32_ftz, 4, true, false, "tf32_ftz"},
      {ElementType::u4_align8, 0, false, true, "u4_align8"},
      {ElementType::u4_align16, 0, false, true, "u4_align16"},
      {ElementType::u6_align16, 0, false, true, "u6_align16"},
  };
  int number = 0;
  for (const Expected& e : all) {
    INFO(e.name);
    CHECK(int(e.type) == number++);
    CHECK(tma::element_bytes(e.type) == e.bytes);
    CHECK(tma::is_floating(e.type) == e.floating);
    CHECK(tma::is_packed(e.type) == e.packed);
    CHECK(std::string(tma::element_name(e.type)) == e.name);
  }
  for (int unknown : {-1, 16, 1000}) {
    CHECK(tma::element_bytes(ElementType(unknown)) == 0);
    CHECK(!tma::is_floating(ElementType(unknown)));
    CHECK(!tma::is_packed(ElementType(unknown)));
    CHECK(std::string(tma::element_name(ElementType(unknown))) == "?");
  }
}

// --- swizzle -------------------------------------------------------------------------------------------------------

namespace {

constexpr Swizzle all_swizzles[] = {Swizzle::none,
                                    Swizzle::bytes_32,
                                    Swizzle::bytes_64,
                                    Swizzle::bytes_128,
                                    Swizzle::bytes_128_atom_32,
                                    Swizzle::bytes_128_atom_32_flip_8,
                                    Swizzle::bytes_128_atom_64};

// The pattern as the vendor tells it: within each 128-byte line, the place of a chunk is its number XOR the number of the
// line, modulo what the mode has of each. Chunks of `atom` bytes; `span` bytes are permuted among themselves; the line
// number counts `lines` before it repeats.
struct Pattern {
  Swizzle mode;
  u32     atom, span, lines;
  bool    flips;  // odd lines exchange the halves of each 16 bytes
};

constexpr Pattern patterns[] = {
    {Swizzle::none, 16, 16, 1, false},
    {Swizzle::bytes_32, 16, 32, 2, false},
    {Swizzle::bytes_64, 16, 64, 4, false},
    {Swizzle::bytes_128, 16, 128, 8, false},
    {Swizzle::bytes_128_atom_32, 32, 128, 4, false},
    {Swizzle::bytes_128_atom_32_flip_8, 32, 128, 4, true},
    {Swizzle::bytes_128_atom_64, 64, 128, 2, false},
};

u32 place_by_pattern(const Pattern& p, u32 address) {
  const u32 line   = address / 128;
  const u32 column = address % 128;
  const u32 window = column / p.span * p.span;
  const u32 chunk  = column % p.span / p.atom;
  const u32 within = column % p.atom;
  u32       out    = line * 128 + window + (chunk ^ line % p.lines) * p.atom + within;
  if (p.flips && line % 2 == 1) out = out % 16 < 8 ? out + 8 : out - 8;
  return out;
}

}  // namespace

TEST_CASE("swizzle places every byte as the pattern says, and is its own inverse") {
  for (const Pattern& p : patterns) {
    INFO(tma::swizzle_name(p.mode));
    std::vector<bool> taken(8192);
    for (u32 a = 0; a < 8192; ++a) {
      const u32 place = tma::swizzle_address(p.mode, a);
      expect(place == place_by_pattern(p, a), "pattern", a);
      expect(tma::swizzle_address(p.mode, place) == a, "inverse", a);
      expect(place / 128 == a / 128, "within its line", a);
      expect(!taken[place], "one byte a place", a);
      taken[place] = true;
    }
    // High addresses: the shared window does not begin at 0.
    const u32 high = 0xffffe000;
    for (u32 a = 0; a < 8192; ++a)
      expect(tma::swizzle_address(p.mode, high + a) == high + tma::swizzle_address(p.mode, a), "high address", a);
  }
}

TEST_CASE("swizzle repeats after swizzle_repeat bytes and not before") {
  const int repeats[] = {128, 256, 512, 1024, 512, 512, 256};
  const int spans[]   = {0, 32, 64, 128, 128, 128, 128};
  for (int s = 0; s < 7; ++s) {
    const Swizzle mode = all_swizzles[s];
    INFO(tma::swizzle_name(mode));
    CHECK(int(mode) == s);
    CHECK(tma::swizzle_repeat(mode) == repeats[s]);
    CHECK(tma::swizzle_span(mode) == spans[s]);
    const auto shift = [&](u32 a) { return tma::swizzle_address(mode, a) ^ a; };
    for (u32 a = 0; a < 4096; ++a) expect(shift(a) == shift(a + u32(repeats[s])), "repeat", a);
    for (u32 shorter = 128; shorter < u32(repeats[s]); shorter += 128) {
      bool same = true;
      for (u32 a = 0; a < 4096; ++a) same = same && shift(a) == shift(a + shorter);
      CHECK(!same);
    }
  }
  const char* const names[] = {
      "none", "bytes_32", "bytes_64", "bytes_128", "bytes_128_atom_32", "bytes_128_atom_32_flip_8", "bytes_128_atom_64"};
  for (int s = 0; s < 7; ++s) CHECK(std::string(tma::swizzle_name(Swizzle(s))) == names[s]);
  CHECK(std::string(tma::swizzle_name(Swizzle(-1))) == "?");
  CHECK(std::string(tma::swizzle_name(Swizzle(7))) == "?");
}

// Some values by hand: 16-byte chunk 0 of line 1, chunk 2 of line 3.
static_assert(tma::swizzle_address(Swizzle::bytes_32, 128) == 128 + 16);
static_assert(tma::swizzle_address(Swizzle::bytes_32, 3 * 128 + 2 * 16) == 3 * 128 + 3 * 16);
static_assert(tma::swizzle_address(Swizzle::bytes_64, 128) == 128 + 16);
static_assert(tma::swizzle_address(Swizzle::bytes_64, 3 * 128 + 2 * 16) == 3 * 128 + 1 * 16);
static_assert(tma::swizzle_address(Swizzle::bytes_128, 128) == 128 + 16);
static_assert(tma::swizzle_address(Swizzle::bytes_128, 3 * 128 + 2 * 16) == 3 * 128 + 1 * 16);
static_assert(tma::swizzle_address(Swizzle::bytes_128, 7 * 128 + 5) == 7 * 128 + 7 * 16 + 5);
static_assert(tma::swizzle_address(Swizzle::bytes_128_atom_32, 128) == 128 + 32);
static_assert(tma::swizzle_address(Swizzle::bytes_128_atom_32, 3 * 128 + 2 * 16) == 3 * 128 + 4 * 16);
static_assert(tma::swizzle_address(Swizzle::bytes_128_atom_32_flip_8, 128) == 128 + 32 + 8);
static_assert(tma::swizzle_address(Swizzle::bytes_128_atom_32_flip_8, 256) == 256 + 64);
static_assert(tma::swizzle_address(Swizzle::bytes_128_atom_64, 128) == 128 + 64);
static_assert(tma::swizzle_address(Swizzle::bytes_128_atom_64, 256) == 256);

// --- tiles ---------------------------------------------------------------------------------------------------------

namespace {

// What a tile says of itself.
struct Facts {
  int     rows, row_bytes, row_elements, size, pitch, payload, footprint, alignment, alignof_, sizeof_;
  bool    is_plain;
  Swizzle swizzle;
};

template <class T>
constexpr Facts facts = {T::rows,         T::row_bytes,     T::row_elements,    T::size,
                         T::pitch_bytes,  T::payload_bytes, T::footprint_bytes, T::alignment,
                         int(alignof(T)), int(sizeof(T)),   T::is_plain,        T::swizzle};

// What follows from what was asked for.
void check_facts(const Facts& f, Swizzle mode, int rows, int row_bytes, int element) {
  const int span  = tma::swizzle_span(mode);
  const int pitch = row_bytes < span ? span : row_bytes;
  CHECK((f.swizzle == mode));
  CHECK(f.rows == rows);
  CHECK(f.row_bytes == row_bytes);
  CHECK(f.row_elements == row_bytes / element);
  CHECK(f.size == rows * (row_bytes / element));
  CHECK(f.pitch == pitch);
  CHECK(f.payload == rows * row_bytes);
  CHECK(f.footprint == rows * pitch);
  CHECK(f.alignment == tma::swizzle_repeat(mode));
  CHECK(f.alignof_ == f.alignment);
  CHECK(f.sizeof_ == (f.footprint + f.alignment - 1) / f.alignment * f.alignment);
  CHECK(f.is_plain == (mode == Swizzle::none));
}

template <class TileT> void check_tile(Swizzle mode, int rows, int row_bytes) {
  using T                = typename TileT::value_type;
  constexpr int rank     = TileT::rank;
  constexpr int size     = TileT::size;
  constexpr u32 occupied = TileT::footprint_bytes;
  static_assert(rank == TileT::shape::rank && TileT::type == tma::element_type<T>);
  INFO(tma::swizzle_name(mode) << ", rank " << rank << ", " << rows << " rows of " << row_bytes << " bytes");
  check_facts(facts<TileT>, mode, rows, row_bytes, int(sizeof(T)));

  // The pattern over rows `pitch_bytes` apart: in C order, and by indices, slowest first.
  const auto        holder = std::make_unique<TileT>();
  TileT&            tile   = *holder;
  const TileT&      fixed  = tile;
  auto* const       bytes  = static_cast<unsigned char*>(tile.storage());
  std::vector<bool> taken(occupied);
  expect(reinterpret_cast<std::uintptr_t>(bytes) % TileT::alignment == 0, "alignment", 0);
  expect(static_cast<void*>(&tile) == bytes && fixed.storage() == bytes, "storage", 0);
  int index[5] = {};
  for (int i = 0; i < size; ++i) {
    const u32 linear = u32(i / TileT::row_elements * TileT::pitch_bytes + i % TileT::row_elements * int(sizeof(T)));
    const u32 place  = place_by_pattern(patterns[int(mode)], linear);
    const auto [offset, element] = [&]<int... D>(tma::detail::Indices<D...>) {
      return std::pair(TileT::offset_of(index[D]...), &tile(index[D]...));
    }(tma::detail::make_indices<rank>());
    expect(TileT::offset_at(i) == place, "offset_at", i);
    expect(offset == place, "offset_of", i);
    expect(reinterpret_cast<unsigned char*>(element) == bytes + place, "operator()", i);
    expect(&tile[i] == element && &fixed[i] == element, "operator[]", i);
    expect(place + sizeof(T) <= occupied, "inside the footprint", i);
    for (u32 b = place; b < place + sizeof(T); ++b) {
      expect(!taken[b], "one element a byte", i);
      taken[b] = true;
    }
    for (int d = rank - 1; d >= 0 && ++index[d] == TileT::shape::extents[d]; --d) index[d] = 0;
  }

  // Written through the tile, every element is where it is read from, and nothing else is written.
  std::memset(bytes, 0xee, occupied);
  std::vector<T> values(size);
  for (int i = 0; i < size; ++i) {
    std::memset(static_cast<void*>(&values[std::size_t(i)]), (i * 37 + 11) & 0x7f, sizeof(T));
    std::memcpy(static_cast<void*>(&tile[i]), &values[std::size_t(i)], sizeof(T));
  }
  for (int i = 0; i < size; ++i) expect(std::memcmp(&fixed[i], &values[std::size_t(i)], sizeof(T)) == 0, "value", i);
  for (u32 b = 0; b < occupied; ++b) expect(taken[b] || bytes[b] == 0xee, "padding", b);
  if constexpr (TileT::is_plain) {
    expect(tile.data() == &tile[0] && fixed.data() == &tile[0], "data", 0);
    expect(std::memcmp(fixed.data(), values.data(), values.size() * sizeof(T)) == 0, "data in C order", 0);
  }
}

// Groups of `N` elements: whole, aligned, and the same elements as one by one.
template <class TileT, int N> void check_vectors() {
  using Group = tma::Vec<typename TileT::value_type, N>;
  static_assert(alignof(Group) == sizeof(Group) && sizeof(Group) == N * sizeof(typename TileT::value_type));
  const auto   holder = std::make_unique<TileT>();
  TileT&       tile   = *holder;
  const TileT& fixed  = tile;
  for (int i = 0; i < TileT::size; i += N) {
    Group& group = tile.template vector<N>(i / N);
    expect(reinterpret_cast<std::uintptr_t>(&group) % sizeof(Group) == 0, "alignment", i);
    for (int k = 0; k < N; ++k) expect(&group[k] == &tile[i + k], "element of a group", i + k);
    expect(&fixed.template vector<N>(i / N) == &group, "const", i);
  }
}

template <class T, Swizzle Mode, int Rows, int RowBytes> void check_rows() {
  check_tile<Tile<T, Shape<Rows, RowBytes / int(sizeof(T))>, Mode>>(Mode, Rows, RowBytes);
}

template <class T, Swizzle Mode> void check_swizzle() {
  check_rows<T, Mode, 17, 16>();
  check_rows<T, Mode, 16, 32>();
  if constexpr (Mode == Swizzle::none || Mode > Swizzle::bytes_32) {
    check_rows<T, Mode, 9, 48>();
    check_rows<T, Mode, 8, 64>();
  }
  if constexpr (Mode == Swizzle::none || Mode > Swizzle::bytes_64) {
    check_rows<T, Mode, 9, 96>();
    check_rows<T, Mode, 19, 128>();
  }
  if constexpr (Mode == Swizzle::none) {
    check_rows<T, Mode, 3, 144>();
    check_rows<T, Mode, 3, 256>();
  }
}

template <class T> void check_type() {
  check_swizzle<T, Swizzle::none>();
  check_swizzle<T, Swizzle::bytes_32>();
  check_swizzle<T, Swizzle::bytes_64>();
  check_swizzle<T, Swizzle::bytes_128>();
  check_swizzle<T, Swizzle::bytes_128_atom_32>();
  check_swizzle<T, Swizzle::bytes_128_atom_32_flip_8>();
  check_swizzle<T, Swizzle::bytes_128_atom_64>();
}

}  // namespace

TEST_CASE("a tile of every swizzle and row width has each element in one place of its own") {
  check_type<unsigned char>();
  check_type<unsigned short>();
  check_type<float>();
  check_type<double>();
}

TEST_CASE("tiles of ranks 1 to 5") {
  check_tile<Tile<float, Shape<64>>>(Swizzle::none, 1, 256);
  check_tile<Tile<float, Shape<3, 64>>>(Swizzle::none, 3, 256);
  check_tile<Tile<float, Shape<3, 5, 16>>>(Swizzle::none, 15, 64);
  check_tile<Tile<float, Shape<2, 3, 5, 16>>>(Swizzle::none, 30, 64);
  check_tile<Tile<float, Shape<3, 1, 2, 5, 4>>>(Swizzle::none, 30, 16);
  check_tile<Tile<short, Shape<64>, Swizzle::bytes_128>>(Swizzle::bytes_128, 1, 128);
  check_tile<Tile<short, Shape<3, 5, 64>, Swizzle::bytes_128>>(Swizzle::bytes_128, 15, 128);
  check_tile<Tile<short, Shape<2, 3, 5, 48>, Swizzle::bytes_128>>(Swizzle::bytes_128, 30, 96);
  check_tile<Tile<short, Shape<3, 1, 2, 5, 16>, Swizzle::bytes_64>>(Swizzle::bytes_64, 30, 32);
  check_tile<Tile<unsigned char, Shape<256, 256>>>(Swizzle::none, 256, 256);
}

TEST_CASE("vectors of a tile are whole, aligned and the same elements") {
  check_vectors<Tile<float, Shape<8, 32>>, 1>();
  check_vectors<Tile<float, Shape<8, 32>>, 2>();
  check_vectors<Tile<float, Shape<8, 32>>, 4>();
  check_vectors<Tile<float, Shape<16, 32>, Swizzle::bytes_128>, 4>();
  check_vectors<Tile<float, Shape<16, 12>, Swizzle::bytes_128>, 4>();
  check_vectors<Tile<float, Shape<16, 16>, Swizzle::bytes_64>, 2>();
  check_vectors<Tile<unsigned char, Shape<16, 32>, Swizzle::bytes_32>, 16>();
  check_vectors<Tile<short, Shape<16, 64>, Swizzle::bytes_128_atom_32>, 8>();
  check_vectors<Tile<short, Shape<16, 64>, Swizzle::bytes_128_atom_32_flip_8>, 4>();
  check_vectors<Tile<double, Shape<16, 16>, Swizzle::bytes_128_atom_64>, 2>();
}

// A tile is a place in shared memory, not a value; making one costs nothing.
static_assert(!std::is_copy_constructible_v<Tile<float, Shape<4, 4>>> &&
              !std::is_copy_assignable_v<Tile<float, Shape<4, 4>>>);
static_assert(!std::is_move_constructible_v<Tile<float, Shape<4, 4>>> &&
              !std::is_move_assignable_v<Tile<float, Shape<4, 4>>>);
static_assert(std::is_trivially_default_constructible_v<Tile<float, Shape<4, 4>>>);
static_assert(std::is_trivially_destructible_v<Tile<float, Shape<4, 4>>>);

// Offsets and sizes are constants.
static_assert(Tile<float, Shape<8, 32>, Swizzle::bytes_128>::offset_of(1, 0) == 128 + 16);
static_assert(Tile<float, Shape<8, 32>, Swizzle::bytes_128>::offset_at(33) == 128 + 16 + 4);
static_assert(Tile<float, Shape<8, 24>, Swizzle::bytes_128>::footprint_bytes == 8 * 128);
static_assert(Tile<float, Shape<8, 24>, Swizzle::bytes_128>::payload_bytes == 8 * 96);

// Tiles keep their alignment in arrays and behind smaller members.
namespace {
struct Mixed {
  char                                          before;
  Tile<float, Shape<1, 4>>                      small;
  unsigned long long                            barrier;
  Tile<float, Shape<5, 32>, Swizzle::bytes_128> swizzled[2];
};
}  // namespace
static_assert(offsetof(Mixed, small) == 128 && sizeof(Tile<float, Shape<1, 4>>) == 128);
static_assert(offsetof(Mixed, swizzled) == 1024 && sizeof(Tile<float, Shape<5, 32>, Swizzle::bytes_128>) == 1024);
static_assert(sizeof(Mixed) == 3072 && alignof(Mixed) == 1024);

static_assert(tma::detail::is_tile_v<Tile<float, Shape<4>>> && tma::detail::is_tile_v<const Tile<float, Shape<4>>>);
static_assert(!tma::detail::is_tile_v<float> && !tma::detail::is_tile_v<Buffer<float, 4>>);

static_assert(Shape<2, 3, 4>::rank == 3 && Shape<2, 3, 4>::count == 24 && Shape<2, 3, 4>::inner == 4);
static_assert(Shape<2, 3, 4>::extents[0] == 2 && Shape<2, 3, 4>::extents[2] == 4);
static_assert(Shape<>::rank == 0 && Shape<>::count == 1);
static_assert(Shape<1 << 20, 1 << 20>::count == 1ull << 40);

// --- one-dimensional buffers ---------------------------------------------------------------------------------------

namespace {

struct Pixel {  // twelve bytes: no element of a tensor, but bytes to copy
  int r, g, b;
};
struct alignas(16) Wide {
  double x, y;
};

template <class BufferT, class T, int Count> constexpr bool holds() {
  return BufferT::size == Count && BufferT::payload_bytes == Count * int(sizeof(T)) && BufferT::is_plain &&
         alignof(BufferT) == 128 && sizeof(BufferT) % 128 == 0 && sizeof(BufferT) >= std::size_t(BufferT::payload_bytes) &&
         !std::is_copy_constructible_v<BufferT> && !std::is_copy_assignable_v<BufferT>;
}

// Room for the elements at any offset of the global pointer from a 16-byte boundary.
template <class T, int Count> constexpr bool has_room() {
  constexpr int last_offset = alignof(T) % 16 == 0 ? 0 : 16 - int(alignof(T));
  constexpr int bytes       = Count * int(sizeof(T));
  return sizeof(RaggedBuffer<T, Count>) >= std::size_t((last_offset + bytes + 15) / 16 * 16);
}

}  // namespace

static_assert(holds<Buffer<float, 4>, float, 4>() && sizeof(Buffer<float, 4>) == 128);
static_assert(holds<Buffer<float, 32>, float, 32>() && sizeof(Buffer<float, 32>) == 128);
static_assert(holds<Buffer<float, 36>, float, 36>() && sizeof(Buffer<float, 36>) == 256);
static_assert(holds<Buffer<unsigned char, 227 * 1024>, unsigned char, 227 * 1024>());
static_assert(holds<Buffer<Pixel, 4>, Pixel, 4>() && !Buffer<Pixel, 4>::has_slack);
static_assert(holds<RaggedBuffer<float, 1>, float, 1>() && RaggedBuffer<float, 1>::has_slack);
static_assert(holds<RaggedBuffer<Pixel, 3>, Pixel, 3>() && holds<RaggedBuffer<Wide, 3>, Wide, 3>());
static_assert(has_room<unsigned char, 1>() && has_room<unsigned char, 112>() && has_room<unsigned char, 113>() &&
              has_room<unsigned char, 127>() && has_room<unsigned char, 128>() && has_room<float, 63>() &&
              has_room<float, 64>() && has_room<double, 15>() && has_room<double, 16>() && has_room<Pixel, 10>() &&
              has_room<Wide, 8>());
static_assert(!RaggedBuffer<Wide, 3>::has_slack);  // a pointer to one is aligned already

TEST_CASE("a buffer is an array of its elements") {
  Buffer<float, 64> buffer;
  CHECK(reinterpret_cast<std::uintptr_t>(&buffer) % 128 == 0);
  CHECK(buffer.storage() == static_cast<void*>(&buffer));
  for (int i = 0; i < 64; ++i) buffer[i] = float(i);
  for (int i = 0; i < 64; ++i) REQUIRE(buffer.data()[i] == float(i));
  for (int i = 0; i < 16; ++i) {
    const tma::Vec<float, 4>& four = std::as_const(buffer).vector<4>(i);
    for (int k = 0; k < 4; ++k) REQUIRE(four[k] == float(4 * i + k));
  }
  int count = 0;
  for (float& x : buffer.vector<2>(5)) CHECK(x == float(10 + count++));
  CHECK(count == 2);
}

TEST_CASE("a span is what its pointer and size say") {
  short                  values[5] = {1, 2, 3, 4, 5};
  tma::SharedSpan<short> span(values + 1, 3);
  CHECK(span.size() == 3);
  CHECK(span.data() == values + 1);
  CHECK(span[2] == 4);
  int sum = 0;
  for (short x : span) sum += x;
  CHECK(sum == 9);
  static_assert(std::is_same_v<tma::SharedSpan<const short>::value_type, short>);
}

TEST_CASE("an aligned pointer steps by whole chunks") {
  alignas(16) int values[24] = {};
  const auto      pointer    = tma::assume_aligned(values);
  static_assert(std::is_same_v<decltype(pointer), const tma::AlignedPointer<int>>);
  CHECK(pointer.get() == values);
  for (int i = 0; i < 3; ++i) {
    CHECK(pointer.chunk<8>(i).get() == values + 8 * i);
    static_assert(decltype(pointer.chunk<8>(0))::payload_bytes == 32 && decltype(pointer.chunk<8>(0))::size == 8);
  }
  CHECK(tma::assume_aligned(values + 8).chunk<4>(-1).get() == values + 4);
  const tma::AlignedPointer<const int> readable = pointer;
  CHECK(readable.get() == values);
  // Not the other way, and not from a plain pointer.
  static_assert(!std::is_convertible_v<tma::AlignedPointer<const int>, tma::AlignedPointer<int>>);
  static_assert(!std::is_convertible_v<int*, tma::AlignedPointer<int>> &&
                !std::is_constructible_v<tma::AlignedPointer<int>, int*>);
  static_assert(std::is_trivially_copyable_v<tma::AlignedPointer<int>>);
  // 64-bit: chunks beyond 4 GiB.
  const auto far = tma::assume_aligned(reinterpret_cast<int*>(std::uintptr_t(0x10000000000)));
  CHECK(reinterpret_cast<std::uintptr_t>(far.chunk<256>(1ll << 32).get()) == 0x10000000000 + (1ull << 42));
}

// --- coordinates, shared memory, descriptors -----------------------------------------------------------------------

static_assert(Coord<2>{3, 5}[0] == 3 && Coord<2>{3, 5}[1] == 5);
static_assert(Coord<3>{}[0] == 0 && Coord<3>{}[2] == 0);
static_assert(Coord<1>{-7}[0] == -7);
static_assert(Coord<2>{short(3), (unsigned char)(5)} == Coord<2>{3, 5});
static_assert(Coord<2>{3, 5u}[1] == 5);
static_assert(!(Coord<2>{3, 5} == Coord<2>{5, 3}));
static_assert(std::is_same_v<decltype(Coord{1, 2, 3}), Coord<3>>);
static_assert(std::is_trivially_copyable_v<Coord<5>> && sizeof(Coord<5>) == 20);

TEST_CASE("a coordinate is changed in place") {
  Coord<3> at{1, 2, 3};
  at[1] = -20;
  CHECK((at == Coord<3>{1, -20, 3}));
}

namespace {
template <std::size_t Size, std::size_t Alignment> struct alignas(Alignment) Bytes {
  unsigned char bytes[Size];
};
}  // namespace

// None where it fits static shared memory; else the size, and what rounding up from 16 can cost.
static_assert(tma::shared_bytes<Bytes<1, 1>> == 0);
static_assert(tma::shared_bytes<Bytes<48 * 1024, 1024>> == 0);
static_assert(tma::shared_bytes<Bytes<48 * 1024 + 1, 1>> == 48 * 1024 + 1);
static_assert(tma::shared_bytes<Bytes<48 * 1024 + 16, 16>> == 48 * 1024 + 16);
static_assert(tma::shared_bytes<Bytes<48 * 1024 + 128, 128>> == 48 * 1024 + 128 + 112);
static_assert(tma::shared_bytes<Bytes<64 * 1024, 1024>> == 64 * 1024 + 1008);
static_assert(tma::shared_bytes<Tile<float, Shape<256, 48>>> == 0);
static_assert(tma::shared_bytes<Tile<float, Shape<256, 64>>> == 64 * 1024 + 112);

namespace {

template <class D> constexpr bool is_descriptor_of(std::size_t size) {
  return sizeof(D) == size && alignof(D) == 64 && std::is_trivially_copyable_v<D> &&
         std::is_trivially_default_constructible_v<D> && std::is_copy_constructible_v<D> && std::is_copy_assignable_v<D> &&
         std::is_trivially_destructible_v<D>;
}

using Tile1 = Tile<float, Shape<64>>;
using Tile2 = Tile<float, Shape<8, 64>>;
using Tile5 = Tile<unsigned char, Shape<2, 2, 2, 2, 32>, Swizzle::bytes_32>;

template <class T, int R, class TileT = void> using Map = tma::TmaDescriptor<T, R, TileT>;

}  // namespace

static_assert(is_descriptor_of<Map<float, 1, Tile1>>(128) && is_descriptor_of<Map<const float, 1, Tile1>>(128));
static_assert(is_descriptor_of<Map<float, 2, Tile2>>(128) && is_descriptor_of<Map<const float, 2, Tile2>>(128));
static_assert(is_descriptor_of<Map<unsigned char, 5, Tile5>>(128) &&
              is_descriptor_of<Map<const unsigned char, 5, Tile5>>(128));
static_assert(is_descriptor_of<Map<float, 1>>(192) && is_descriptor_of<Map<const float, 1>>(192));
static_assert(is_descriptor_of<Map<float, 5>>(192) && is_descriptor_of<Map<const double, 5>>(192));

// What can be stored to can be loaded from, and not the other way.
static_assert(std::is_convertible_v<const Map<float, 2, Tile2>&, const Map<const float, 2, Tile2>&>);
static_assert(!std::is_convertible_v<const Map<const float, 2, Tile2>&, const Map<float, 2, Tile2>&>);
static_assert(std::is_convertible_v<const Map<float, 2>&, const Map<const float, 2>&>);
static_assert(!std::is_convertible_v<const Map<float, 2, Tile2>&, const Map<float, 2>&>);
static_assert(!std::is_convertible_v<const Map<float, 1, Tile1>&, const Map<float, 2, Tile2>&>);

TEST_CASE("the map is the first 128 bytes of a descriptor, and copies byte by byte") {
  Map<float, 2, Tile2> a;
  std::memset(static_cast<void*>(&a), 0x5a, sizeof a);
  const Map<float, 2, Tile2> b = a;
  CHECK(tma::tensor_map(a) == static_cast<void*>(&a));
  CHECK(std::memcmp(&a, &b, sizeof a) == 0);
  const Map<const float, 2, Tile2>& readable = a;
  CHECK(tma::tensor_map(readable) == static_cast<void*>(&a));
  Map<float, 3> c;
  CHECK(tma::tensor_map(c) == static_cast<void*>(&c));
}

TEST_CASE("a pack comes apart into its elements, without a copy") {
  struct Fixed {
    explicit Fixed(int v) : value(v) {}
    Fixed(const Fixed&)            = delete;
    Fixed& operator=(const Fixed&) = delete;
    int    value;
  };
  auto [a, b, c] = tma::detail::Pack<int, Fixed, char>{{1}, {Fixed(2)}, {'c'}};
  CHECK(a == 1);
  CHECK(b.value == 2);
  CHECK(c == 'c');
}

// --- reductions: which operation takes which type where, as ptxas and an H200 answered ---

namespace {

using tma::Reduction;
using tma::detail::ReducedPlace;
using enum tma::ElementType;  // u32 and u64 are types as well, and are named in full

// The types that an operation takes, all others left out.
template <class... Types> constexpr bool takes(Reduction operation, ReducedPlace place, Types... types) {
  for (int i = 0; i < 16; ++i) {
    const auto type  = ElementType(i);
    const bool named = ((type == types) || ...);
    if (tma::detail::reduces(operation, type, place) != named) return false;
  }
  return true;
}

constexpr auto tensor = ReducedPlace::tensor, global = ReducedPlace::global, peer = ReducedPlace::peer;

}  // namespace

static_assert(takes(Reduction::add, tensor, ElementType::u32, i32, ElementType::u64, f16, bf16, f32, f64, f32_ftz, tf32,
                    tf32_ftz));
static_assert(takes(Reduction::add, global, ElementType::u32, i32, ElementType::u64, i64, f16, bf16, f32, f64));
static_assert(takes(Reduction::add, peer, ElementType::u32, i32, ElementType::u64, i64));
static_assert(takes(Reduction::min, tensor, ElementType::u32, i32, ElementType::u64, i64, f16, bf16));
static_assert(takes(Reduction::max, tensor, ElementType::u32, i32, ElementType::u64, i64, f16, bf16));
static_assert(takes(Reduction::min, global, ElementType::u32, i32, ElementType::u64, i64, f16, bf16));
static_assert(takes(Reduction::max, global, ElementType::u32, i32, ElementType::u64, i64, f16, bf16));
static_assert(takes(Reduction::min, peer, ElementType::u32, i32));
static_assert(takes(Reduction::max, peer, ElementType::u32, i32));
static_assert(takes(Reduction::inc, tensor, ElementType::u32) && takes(Reduction::dec, tensor, ElementType::u32));
static_assert(takes(Reduction::inc, global, ElementType::u32) && takes(Reduction::dec, global, ElementType::u32));
static_assert(takes(Reduction::inc, peer, ElementType::u32) && takes(Reduction::dec, peer, ElementType::u32));
static_assert(takes(Reduction::bit_and, tensor, ElementType::u32, i32, ElementType::u64));
static_assert(takes(Reduction::bit_or, tensor, ElementType::u32, i32, ElementType::u64));
static_assert(takes(Reduction::bit_xor, tensor, ElementType::u32, i32, ElementType::u64));
static_assert(takes(Reduction::bit_and, global, ElementType::u32, i32, ElementType::u64, i64));
static_assert(takes(Reduction::bit_or, global, ElementType::u32, i32, ElementType::u64, i64));
static_assert(takes(Reduction::bit_xor, global, ElementType::u32, i32, ElementType::u64, i64));
static_assert(takes(Reduction::bit_and, peer, ElementType::u32, i32));
static_assert(takes(Reduction::bit_or, peer, ElementType::u32, i32));
static_assert(takes(Reduction::bit_xor, peer, ElementType::u32, i32));
