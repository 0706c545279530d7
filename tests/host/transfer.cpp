// What copies move, against a reference that goes element by element; the machine's tensor map.
#include <tma/core/copy_fault.hpp>
#include <tma/core/shape.hpp>
#include <tma/core/tile.hpp>
#include <tma/core/transfer.hpp>
#include <tma/machine/map.hpp>

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "../support/catch.hpp"

namespace {

using tma::Chunk;
using tma::CopyFault;
using tma::ElementType;
using tma::Fill;
using tma::Interleave;
using tma::Swizzle;
using tma::TensorBox;
using Bytes = std::vector<unsigned char>;
using i64   = tma::detail::i64;
using u32   = std::uint32_t;

constexpr ElementType dense_types[] = {ElementType::u8,      ElementType::u16,  ElementType::u32,     ElementType::i32,
                                       ElementType::u64,     ElementType::i64,  ElementType::f16,     ElementType::f32,
                                       ElementType::f64,     ElementType::bf16, ElementType::f32_ftz, ElementType::tf32,
                                       ElementType::tf32_ftz};

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  i64                  from(i64 low, i64 high) { return low + i64(engine_() % std::uint64_t(high - low + 1)); }
  template <class T> T of(std::initializer_list<T> values) { return values.begin()[from(0, i64(values.size()) - 1)]; }

private:
  std::mt19937_64 engine_;
};

// A box over a tensor of a few kilobytes: rows with and without padding, some that overlap, some all in one place.
TensorBox random_box(Random& random) {
  TensorBox b;
  b.type          = dense_types[random.from(0, 12)];
  b.rank          = int(random.from(1, 5));
  b.swizzle       = Swizzle(random.from(0, 6));
  const int  size = tma::element_bytes(b.type), inner = b.rank - 1;
  const int  span         = b.swizzle == Swizzle::none ? 256 : tma::swizzle_span(b.swizzle);
  const bool may_be_nan   = tma::is_floating(b.type);
  b.fill                  = may_be_nan && random.from(0, 1) ? Fill::nan : Fill::zero;
  b.box[inner]            = int(random.from(1, std::min(span, 256 * size) / 16)) * 16 / size;
  b.extent[inner]         = random.from(1, 2 * b.box[inner] + 3);
  b.stride[inner]         = size;
  b.element_stride[inner] = 1;
  i64 stride              = (b.extent[inner] * size + 15) / 16 * 16;
  for (int d = inner - 1; d >= 0; --d) {
    b.element_stride[d] = int(random.from(1, 3));
    b.box[d]            = int(random.from(1, 3) - 1) * b.element_stride[d] + int(random.from(1, b.element_stride[d]));
    b.extent[d]         = random.from(1, 6);
    b.stride[d]         = random.of<i64>({stride, stride, stride + 16, 16, 0});
    stride              = std::max(stride, b.stride[d] * b.extent[d]);
  }
  return b;
}

std::vector<int> random_position(Random& random, const TensorBox& b) {
  std::vector<int> at;
  for (int d = 0; d < b.rank; ++d) at.push_back(int(random.from(-b.box[d] - 1, b.extent[d] + 1)));
  const int piece = 16 / tma::element_bytes(b.type);
  at.back()       = int(std::floor(double(at.back()) / piece)) * piece;
  return at;
}

Bytes random_bytes(Random& random, std::size_t n) {
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<unsigned char>(random.from(0, 255));
  return bytes;
}

std::size_t tensor_bytes(const TensorBox& b) {
  i64 last = 0;
  for (int d = 0; d < b.rank; ++d) last += (b.extent[d] - 1) * b.stride[d];
  return std::size_t(last) + 32;  // the last element, and what a store writes past it
}

// Bits of an address, as the programming guide draws them.
u32 bits(u32 a, int high, int low) { return a >> low & ((1u << (high - low + 1)) - 1); }

u32 swizzled(Swizzle mode, u32 a) {
  switch (mode) {
    case Swizzle::none: return a;
    case Swizzle::bytes_32: return a ^ bits(a, 7, 7) << 4;
    case Swizzle::bytes_64: return a ^ bits(a, 8, 7) << 4;
    case Swizzle::bytes_128: return a ^ bits(a, 9, 7) << 4;
    case Swizzle::bytes_128_atom_32: return a ^ bits(a, 8, 7) << 5;
    case Swizzle::bytes_128_atom_32_flip_8: return a ^ bits(a, 8, 7) << 5 ^ bits(a, 7, 7) << 3;
    case Swizzle::bytes_128_atom_64: return a ^ bits(a, 7, 7) << 6;
    case Swizzle::bytes_96: return a ^ bits(a, 7, 7) << 4;
  }
  return 0;
}

struct Element {
  u32                   linear;      // its address in shared memory before the swizzle
  std::vector<__int128> index;       // in the tensor
  bool                  inside;      // the tensor
  bool                  row_inside;  // in all dimensions but the innermost
};

template <class Visit> void for_each_element(const TensorBox& b, const std::vector<int>& at, u32 base, Visit visit) {
  const int        inner = b.rank - 1, size = tma::element_bytes(b.type);
  std::vector<int> tile(std::size_t(b.rank), 0), n;
  for (int d = 0; d < b.rank; ++d) n.push_back(int(std::ceil(double(b.box[d]) / (d == inner ? 1 : b.element_stride[d]))));
  const int width = n.back() * size, pitch = std::max(width, tma::swizzle_span(b.swizzle));
  for (int row = 0;;) {
    Element e{base + u32(row * pitch + tile.back() * size), {}, true, true};
    for (int d = 0; d < b.rank; ++d) {
      const __int128 i = __int128(at[d]) + __int128(tile[d]) * (d == inner ? 1 : b.element_stride[d]);
      e.index.push_back(i);
      const bool in = i >= 0 && i < b.extent[d];
      e.inside      = e.inside && in;
      e.row_inside  = e.row_inside && (in || d == inner);
    }
    visit(e);
    int d = inner;
    while (d >= 0 && ++tile[d] == n[d]) tile[d--] = 0;
    if (d < 0) return;
    row += d < inner;
  }
}

__int128 offset_of(const TensorBox& b, const Element& e) {
  __int128 o = e.index.back() * tma::element_bytes(b.type);
  for (int d = 0; d < b.rank - 1; ++d) o += e.index[d] * b.stride[d];
  return o;
}

float as_float(u32 b) {
  float x;
  std::memcpy(&x, &b, 4);
  return x;
}

// By arithmetic: the nearest multiple of a unit in the tenth bit, ties to the even one.
u32 tf32(u32 bits_in) {
  const float x = as_float(bits_in);
  if (std::isnan(x)) return 0x7fffe000;
  if (std::isinf(x)) return bits_in;
  int exponent;
  std::frexp(x, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, -125) - 11), y = std::nearbyint(double(x) / unit) * unit;
  const float  narrow = std::fabs(y) >= std::ldexp(1.0, 128) ? std::copysign(INFINITY, x) : float(y);
  u32          out;
  std::memcpy(&out, &narrow, 4);
  return out | (bits_in & 0x80000000);
}

Bytes reference_load(const TensorBox& b, const std::vector<int>& at, const Bytes& tensor, Bytes shared, u32 base) {
  const int  size    = tma::element_bytes(b.type);
  const bool rounded = b.type == ElementType::tf32 || b.type == ElementType::tf32_ftz;
  for_each_element(b, at, base, [&](const Element& e) {
    unsigned char value[8] = {};
    if (b.fill == Fill::nan)
      for (int k = 0; k < size; ++k) value[k] = k % 2 ? 0x7f : 0xf7;
    if (e.inside) std::memcpy(value, &tensor[std::size_t(offset_of(b, e))], std::size_t(size));
    if (e.inside && rounded) {
      u32 word;
      std::memcpy(&word, value, 4);
      word = tf32(word);
      std::memcpy(value, &word, 4);
    }
    for (int k = 0; k < size; ++k) shared[swizzled(b.swizzle, e.linear + u32(k))] = value[k];
  });
  return shared;
}

// An element outside is written where its 16-byte piece holds one that is inside.
Bytes reference_store(const TensorBox& b, const std::vector<int>& at, Bytes tensor, const Bytes& shared, u32 base) {
  const int size = tma::element_bytes(b.type);
  for_each_element(b, at, base, [&](const Element& e) {
    const i64 in_row = i64(e.index.back()) * size, piece = in_row - ((in_row % 16) + 16) % 16;
    if (!e.row_inside || piece < 0 || piece >= b.extent[b.rank - 1] * size) return;
    for (int k = 0; k < size; ++k) tensor[std::size_t(offset_of(b, e) + k)] = shared[swizzled(b.swizzle, e.linear + u32(k))];
  });
  return tensor;
}

std::string describe(const TensorBox& b, const std::vector<int>& at) {
  std::string s =
      std::string(tma::element_name(b.type)) + " " + tma::swizzle_name(b.swizzle) + " fill " + std::to_string(int(b.fill));
  for (int d = 0; d < b.rank; ++d)
    s += "; extent " + std::to_string(b.extent[d]) + " stride " + std::to_string(b.stride[d]) + " box " +
         std::to_string(b.box[d]) + " step " + std::to_string(b.element_stride[d]) + " at " + std::to_string(at[d]);
  return s;
}

}  // namespace

TEST_CASE("loads and stores of random boxes move what the reference moves") {
  Random random(7);
  for (int n = 0; n < 4000; ++n) {
    const TensorBox b    = random_box(random);
    const auto      at   = random_position(random, b);
    const u32       base = u32(random.from(0, 31)) * 128;  // at any phase of the swizzle
    INFO(n << ": " << describe(b, at) << ", shared " << base);

    const Bytes   tensor = random_bytes(random, tensor_bytes(b));
    const Bytes   blank(base + std::size_t(b.footprint_bytes()) + 128, 0xee);
    Bytes         loaded = blank;
    std::set<u32> places;
    REQUIRE(tma::check_tensor_copy(b, at.data(), base, false) == CopyFault::none);
    tma::for_each_chunk(b, at.data(), base, [&](const Chunk& c) {
      REQUIRE(c.shared % 16 == 0);
      REQUIRE(c.inside >= 0);
      REQUIRE(c.inside <= 16);
      if (c.inside > 0) REQUIRE((c.global >= 0 && c.global % 16 == 0));
      REQUIRE(places.insert(c.shared).second);
      // What is not inside is not read: it may be no memory.
      unsigned char source[16];
      std::memset(source, 0x55, 16);
      if (c.inside) std::memcpy(source, &tensor[std::size_t(c.global)], std::size_t(c.inside));
      tma::load_chunk(b, c, source, &loaded[c.shared]);
    });
    REQUIRE(i64(places.size()) * 16 == b.payload_bytes());
    REQUIRE(loaded == reference_load(b, at, tensor, blank, base));

    const Bytes tile   = random_bytes(random, blank.size());
    Bytes       stored = tensor;
    tma::for_each_chunk(b, at.data(), base, [&](const Chunk& c) {
      REQUIRE(c.stored_bytes() == (c.inside ? 16 : 0));
      if (c.inside) tma::store_chunk(c, &tile[c.shared], &stored[std::size_t(c.global)]);
    });
    REQUIRE(stored == reference_store(b, at, tensor, tile, base));
  }
}

TEST_CASE("coordinates, extents and strides at the end of their range") {
  Random random(11);
  for (int n = 0; n < 3000; ++n) {
    TensorBox        b = random_box(random);
    std::vector<int> at;
    const i64        two_32 = i64(1) << 32, far = (i64(1) << 40) - 16;
    const int        piece = 16 / tma::element_bytes(b.type);
    for (int d = 0; d < b.rank; ++d) {
      b.extent[d] = random.of<i64>({1, 5, INT_MAX, i64(INT_MAX) + 1, two_32});
      if (d < b.rank - 1) b.stride[d] = random.of<i64>({0, 16, i64(1) << 36, far});
      at.push_back(random.of({INT_MIN, -1, 0, 3, INT_MAX - 300, INT_MAX}));
    }
    at.back() = int(std::floor(double(at.back()) / piece) * piece);
    INFO(n << ": " << describe(b, at));
    REQUIRE(tma::check_tensor_copy(b, at.data(), 0, false) == CopyFault::none);
    std::vector<Chunk> chunks;
    tma::for_each_chunk(b, at.data(), 0, [&](const Chunk& c) { chunks.push_back(c); });
    std::size_t i = 0;
    for_each_element(b, at, 0, [&](const Element& e) {
      const std::size_t element = i++, in_chunk = element % std::size_t(piece);
      const Chunk&      c = chunks.at(element / std::size_t(piece));
      REQUIRE((int(in_chunk) * tma::element_bytes(b.type) < c.inside) == e.inside);
      // The whole number where it fits 64 bits; elsewhere no tensor lies.
      if (in_chunk == 0) REQUIRE(std::uint64_t(c.global) == std::uint64_t(offset_of(b, e)));
    });
    REQUIRE(i == chunks.size() * std::size_t(piece));
  }
}

namespace {

template <class Tile> void agrees_with_tile() {
  constexpr int R = Tile::rank;
  TensorBox     b;
  b.type    = Tile::type;
  b.rank    = R;
  b.swizzle = Tile::swizzle;
  for (int d = 0; d < R; ++d) b.box[d] = Tile::shape::extents[d], b.extent[d] = 1000;
  INFO(tma::element_name(b.type) << " " << tma::swizzle_name(b.swizzle) << ", row of " << Tile::row_bytes);
  CHECK(b.row_bytes() == Tile::row_bytes);
  CHECK(b.rows() == Tile::rows);
  CHECK(b.pitch_bytes() == Tile::pitch_bytes);
  CHECK(b.payload_bytes() == Tile::payload_bytes);
  CHECK(b.footprint_bytes() == Tile::footprint_bytes);
  const u32     base      = 3 * u32(Tile::alignment);
  const int     at[R]     = {};
  constexpr int per_chunk = 16 / int(sizeof(typename Tile::value_type));
  int           i         = 0;
  tma::for_each_chunk(b, at, base, [&](const Chunk& c) {
    for (int k = 0; k < per_chunk; ++k, ++i)
      REQUIRE(base + Tile::offset_at(i) == c.shared + (u32(k * sizeof(typename Tile::value_type)) ^ (c.flipped ? 8 : 0)));
  });
  CHECK(i == Tile::size);
}

template <class T, int Bytes, Swizzle... Modes> void agrees_in_modes() {
  constexpr int row = Bytes / int(sizeof(T));
  (agrees_with_tile<tma::Tile<T, tma::Shape<row>, Modes>>(), ...);
  (agrees_with_tile<tma::Tile<T, tma::Shape<19, row>, Modes>>(), ...);
  (agrees_with_tile<tma::Tile<T, tma::Shape<2, 3, 5, row>, Modes>>(), ...);
}

}  // namespace

TEMPLATE_TEST_CASE("an aligned tile finds its elements where the chunks are", "", unsigned char, short, float, double,
                   tma::tf32) {
  agrees_in_modes<TestType, 16, Swizzle::none, Swizzle::bytes_32, Swizzle::bytes_64, Swizzle::bytes_128,
                  Swizzle::bytes_128_atom_32, Swizzle::bytes_128_atom_32_flip_8, Swizzle::bytes_128_atom_64>();
  agrees_in_modes<TestType, 32, Swizzle::none, Swizzle::bytes_32, Swizzle::bytes_64, Swizzle::bytes_128>();
  agrees_in_modes<TestType, 48, Swizzle::none, Swizzle::bytes_64, Swizzle::bytes_128>();
  agrees_in_modes<TestType, 128, Swizzle::none, Swizzle::bytes_128, Swizzle::bytes_128_atom_32,
                  Swizzle::bytes_128_atom_32_flip_8, Swizzle::bytes_128_atom_64>();
  agrees_in_modes<TestType, 208, Swizzle::none>();
}

TEST_CASE("sizes of a box") {
  TensorBox b;
  b.type              = ElementType::f32;
  b.rank              = 2;
  b.box[0]            = 8;
  b.box[1]            = 24;
  b.element_stride[0] = 3;
  b.element_stride[1] = 8;  // ignored
  CHECK(b.tile_extent(0) == 3);
  CHECK(b.tile_extent(1) == 24);
  CHECK(b.row_bytes() == 96);
  CHECK(b.payload_bytes() == 3 * 96);
  CHECK(b.footprint_bytes() == 3 * 96);
  b.swizzle = Swizzle::bytes_128;
  CHECK(b.payload_bytes() == 3 * 96);
  CHECK(b.footprint_bytes() == 3 * 128);
  CHECK(b.is_dense());
  b.interleave = Interleave::bytes_16;
  CHECK(b.tile_extent(1) == 3);
  CHECK(!b.is_dense());
  CHECK(!TensorBox{.type = ElementType::u6_align16}.is_dense());
}

TEST_CASE("a store rounds each row up to 16 bytes, a load ends with the tensor") {
  const auto row = [](ElementType type, i64 elements) {
    TensorBox b;
    b.type         = type;
    b.rank         = 2;
    b.extent[0]    = 1;
    b.extent[1]    = elements;
    b.stride[0]    = 1024;
    b.box[0]       = 2;
    b.box[1]       = 256;
    const int size = tma::element_bytes(type);
    i64       read = 0, written = 0;
    for (int x = 0; x < elements; x += 256) {
      const int at[] = {0, x};
      tma::for_each_chunk(b, at, 0, [&](const Chunk& c) {
        read += c.inside;
        written += c.stored_bytes();
      });
    }
    CHECK(read == elements * size);
    return written;
  };
  CHECK(row(ElementType::u8, 466) == 480);
  CHECK(row(ElementType::u16, 470) == 944);
  CHECK(row(ElementType::f32, 30) == 128);
  CHECK(row(ElementType::f64, 30) == 240);
  CHECK(row(ElementType::u8, 1) == 16);
}

TEST_CASE("tf32 rounds to nearest even at ten bits, and keeps infinities") {
  using tma::round_to_tf32;
  const struct {
    u32 in, out;
  } known[] = {
      {0x00000000, 0x00000000},                                                      // zeros
      {0x80000000, 0x80000000}, {0x3f800000, 0x3f800000},                            // 1
      {0x3f801000, 0x3f800000},                                                      // 1 + 2^-11: to even, below
      {0x3f803000, 0x3f804000},                                                      // 1 + 3 * 2^-11: to even, above
      {0xbf801000, 0xbf800000},                                                      // and negative
      {0x3f800fff, 0x3f800000},                                                      // just below the tie
      {0x3f801001, 0x3f802000},                                                      // just above
      {0x3fffffff, 0x40000000},                                                      // carries into the exponent
      {0x7f7fefff, 0x7f7fe000},                                                      // the largest that stays finite
      {0x7f7ff000, 0x7f800000},                                                      // and the first that does not
      {0xff7fffff, 0xff800000}, {0x007fffff, 0x00800000},                            // a subnormal becomes normal
      {0x00001000, 0x00000000},                                                      // subnormals are rounded, not flushed
      {0x00001001, 0x00002000}, {0x80002000, 0x80002000}, {0x7f800000, 0x7f800000},  // infinities
      {0xff800000, 0xff800000}, {0x7f800001, 0x7fffe000},                            // every NaN is one
      {0x7fc12345, 0x7fffe000}, {0xffa00001, 0x7fffe000}, {0xffffffff, 0x7fffe000},
  };
  for (const auto& k : known) {
    INFO(std::hex << k.in << " became " << round_to_tf32(k.in) << ", not " << k.out);
    CHECK(round_to_tf32(k.in) == k.out);
    CHECK(tf32(k.in) == k.out);  // the reference of the other tests
  }
  for (std::uint64_t b = 0; b < (std::uint64_t(1) << 32); b += 9973) REQUIRE(round_to_tf32(u32(b)) == tf32(u32(b)));
}

TEST_CASE("loads of tf32 round, stores and other types do not; the NaN fill is not rounded") {
  const u32     one_and_a_bit = 0x3f801001;
  unsigned char in[16], out[16];
  for (int i = 0; i < 4; ++i) std::memcpy(in + 4 * i, &one_and_a_bit, 4);
  const auto word = [&](int i) {
    u32 w;
    std::memcpy(&w, out + 4 * i, 4);
    return w;
  };
  for (ElementType type : {ElementType::tf32, ElementType::tf32_ftz}) {
    tma::load_chunk({.type = type, .fill = Fill::nan}, Chunk{0, 0, 12, false}, in, out);
    CHECK(word(0) == 0x3f802000);
    CHECK(word(2) == 0x3f802000);
    CHECK(word(3) == 0x7ff77ff7);
    tma::load_chunk({.type = type}, Chunk{0, 0, 0, false}, nullptr, out);
    CHECK(word(0) == 0);
  }
  for (ElementType type : {ElementType::f32, ElementType::f32_ftz, ElementType::u32}) {
    tma::load_chunk({.type = type}, Chunk{0, 0, 16, false}, in, out);
    CHECK(word(0) == one_and_a_bit);
  }
  std::memset(out, 0, 16);
  tma::store_chunk(Chunk{0, 0, 4, false}, in, out);
  CHECK(std::memcmp(in, out, 16) == 0);
  std::memset(out, 0, 16);
  tma::store_chunk(Chunk{0, 0, 0, false}, in, out);
  CHECK(word(0) == 0);
}

// All of it can be asked by a compiler.
static_assert([] {
  TensorBox b;
  b.type                       = ElementType::u8;
  b.extent[0]                  = 40;
  b.box[0]                     = 64;
  const int           at[]     = {-16};
  int                 sum      = 0;
  const unsigned char ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  tma::for_each_chunk(b, at, 0, [&](const Chunk& c) {
    unsigned char tile[16] = {};
    tma::load_chunk(b, c, ones, tile);
    for (unsigned char x : tile) sum += x;
  });
  return sum;
}() == 40);
static_assert(tma::bulk_bytes(252) == 240 && tma::bulk_bytes(8) == 0 && tma::bulk_bytes(0) == 0 &&
              tma::bulk_bytes(0xffffffff) == 0xfffffff0 && tma::bulk_bytes(256) == 256);

TEST_CASE("faults of a tensor copy") {
  for (ElementType type : dense_types) {
    TensorBox b;
    b.type          = type;
    b.rank          = 2;
    const int piece = 16 / tma::element_bytes(type);
    for (int x = -40; x <= 40; ++x) {
      const int  at[]     = {-7, x};
      const bool whole    = x % piece == 0;
      const auto expected = whole ? CopyFault::none : CopyFault::illegal_instruction;
      CHECK(tma::check_tensor_copy(b, at, 1024, false) == expected);
      CHECK(tma::check_tensor_copy(b, at, 1024, true) == CopyFault::illegal_instruction);
    }
    for (int x : {INT_MIN, INT_MAX / piece * piece}) {
      const int at[] = {INT_MAX, x};
      CHECK(tma::check_tensor_copy(b, at, 0, false) == CopyFault::none);
      CHECK(tma::check_tensor_copy(b, at, 0, true) == (x < 0 ? CopyFault::illegal_instruction : CopyFault::none));
    }
    const int at[] = {0, 0};
    for (u32 shared : {0u, 128u, 256u, 0xffffff80u}) CHECK(tma::check_tensor_copy(b, at, shared, true) == CopyFault::none);
    for (u32 shared : {16u, 64u, 127u, 129u, 1040u})
      for (bool store : {false, true}) CHECK(tma::check_tensor_copy(b, at, shared, store) == CopyFault::misaligned_address);
  }
}

TEST_CASE("faults of a one-dimensional copy") {
  CHECK(tma::check_bulk_copy(0x7f0000000010, 16, 64) == CopyFault::none);
  CHECK(tma::check_bulk_copy(0, 0, 0) == CopyFault::none);
  for (int off : {1, 4, 8, 15}) {
    CHECK(tma::check_bulk_copy(0x7f0000000000u + off, 16, 64) == CopyFault::misaligned_address);
    CHECK(tma::check_bulk_copy(0x7f0000000000u, 16 + off, 64) == CopyFault::misaligned_address);
    CHECK(tma::check_bulk_copy(0x7f0000000000u, 16, 64 + off) == CopyFault::undefined);
  }
}

namespace {

// A call of the driver that it grants: rows of 64 floats 512 bytes apart, in tiles of 4 rows of 16.
struct Call {
  int                rank, type = int(ElementType::f32);
  std::uintptr_t     base       = 0x7f2a40000000;
  unsigned long long extents[5] = {64, 10, 11, 12, 13}, strides[4] = {512, 5120, 56320, 675840};
  unsigned           box[5] = {16, 4, 4, 4, 4}, element_strides[5] = {1, 1, 1, 1, 1};
  int                interleave = 0, swizzle = 0, promotion = 0, fill = 0;

  explicit Call(int r = 2, ElementType t = ElementType::f32) : rank(r), type(int(t)) {
    if (tma::is_packed(t)) box[0] = 128, extents[0] = 256;
  }

  int make(void* map) const {
    return tma::machine::rt::encode_tiled(map, type, unsigned(rank), reinterpret_cast<void*>(base), extents, strides, box,
                                          element_strides, interleave, swizzle, promotion, fill);
  }
};

struct alignas(64) Map {
  unsigned char bytes[256];
  Map() { std::memset(bytes, 0xcd, sizeof bytes); }
};

bool untouched(const Map& map) {
  for (unsigned char b : map.bytes)
    if (b != 0xcd) return false;
  return true;
}

template <class Change> void refused(Call call, Change change) {
  change(call);
  Map map;
  CHECK(call.make(map.bytes) == 1);
  CHECK(untouched(map));
}

// Granted, and what is read back is what was said.
template <class Change> TensorBox granted(Call call, Change change) {
  change(call);
  Map map;
  CHECK(call.make(map.bytes) == 0);
  for (int i = 128; i < 256; ++i) CHECK(map.bytes[i] == 0xcd);
  TensorBox box;
  void*     base = nullptr;
  REQUIRE(tma::machine::decode(map.bytes, box, base));
  CHECK(reinterpret_cast<std::uintptr_t>(base) == call.base);
  CHECK(int(box.type) == call.type);
  CHECK(int(box.interleave) == call.interleave);
  CHECK(int(box.swizzle) == call.swizzle);
  CHECK(int(box.fill) == call.fill);
  REQUIRE(box.rank == call.rank);
  for (int i = 0; i < call.rank; ++i) {
    const int d = call.rank - 1 - i;
    CHECK(std::uint64_t(box.extent[d]) == call.extents[i]);
    CHECK(std::uint64_t(box.stride[d]) ==
          (i == 0 ? std::uint64_t(tma::element_bytes(box.type)) : std::uint64_t(call.strides[i - 1])));
    CHECK(unsigned(box.box[d]) == call.box[i]);
    CHECK(unsigned(box.element_stride[d]) == call.element_strides[i]);
  }
  return box;
}

}  // namespace

TEST_CASE("a map of the machine is read back, at the ends of every range") {
  for (int rank = 1; rank <= 5; ++rank) {
    for (ElementType type : dense_types) CHECK(granted(Call(rank, type), [](Call&) {}).is_dense());
    for (bool large : {false, true})
      granted(Call(rank), [&](Call& c) {
        for (auto& e : c.extents) e = large ? 1ull << 32 : 1;
        for (auto& s : c.strides) s = large ? (1ull << 40) - 16 : 16;
        // All at 256 would be more than the driver makes a map of (T24).
        for (int i = 1; i < 5; ++i) c.box[i] = !large ? 1 : i == rank - 1 ? 256 : 8, c.element_strides[i] = large ? 8 : 1;
        c.box[0] = large ? 256 : 4;
        c.base   = large ? ~std::uintptr_t(15) : 0;
        c.fill   = large;
      });
  }
  for (int swizzle = 0; swizzle <= 6; ++swizzle) granted(Call(), [&](Call& c) { c.swizzle = swizzle, c.box[0] = 8; });
  for (int promotion = 0; promotion <= 3; ++promotion) granted(Call(), [&](Call& c) { c.promotion = promotion; });
}

TEST_CASE("the dimensions of a map are told slowest first, and copies follow") {
  const TensorBox b = granted(Call(3), [](Call& c) { c.element_strides[2] = 2; });
  CHECK(b.extent[0] == 11);
  CHECK(b.extent[2] == 64);
  CHECK(b.stride[0] == 5120);
  CHECK(b.tile_extent(0) == 2);
  CHECK(b.payload_bytes() == 2 * 4 * 64);
  const int at[]  = {1, 2, 4};
  i64       first = -1;
  tma::for_each_chunk(b, at, 0, [&](const Chunk& c) { first = first < 0 ? c.global : first; });
  CHECK(first == 5120 + 2 * 512 + 16);
}

TEST_CASE("what is no map is told") {
  Map       map;
  TensorBox box;
  void*     base = &map;
  CHECK(!tma::machine::decode(map.bytes, box, base));
  std::memset(map.bytes, 0, sizeof map.bytes);
  CHECK(!tma::machine::decode(map.bytes, box, base));
  REQUIRE(Call().make(map.bytes) == 0);
  CHECK(tma::machine::decode(map.bytes, box, base));
  // It may be copied anywhere.
  Map copy;
  std::memcpy(copy.bytes + 3, map.bytes, 128);
  CHECK(tma::machine::decode(copy.bytes + 3, box, base));
  // A byte that changes is seen.
  base = &map;
  for (int i = 0; i < 128; ++i) {
    map.bytes[i] ^= 1;
    CHECK(!tma::machine::decode(map.bytes, box, base));
    map.bytes[i] ^= 1;
  }
  CHECK(base == &map);
}

TEST_CASE("interleaved and packed maps are made, and told from those whose copies are modelled") {
  const auto interleaved = [](int rank, int layout) {
    return granted(Call(rank, ElementType::f16), [&](Call& c) { c.interleave = layout, c.swizzle = layout == 2; });
  };
  for (int rank = 3; rank <= 5; ++rank)
    for (int layout : {1, 2}) CHECK(!interleaved(rank, layout).is_dense());
  for (ElementType type : {ElementType::u4_align8, ElementType::u4_align16, ElementType::u6_align16})
    CHECK(!granted(Call(2, type), [](Call&) {}).is_dense());
  granted(Call(2, ElementType::u6_align16), [](Call& c) { c.swizzle = int(Swizzle::bytes_128_atom_64); });
}

TEST_CASE("the machine's driver refuses what breaks a T rule") {
  Map map;
  CHECK(Call().make(nullptr) == 1);
  CHECK(Call().make(map.bytes + 64) == 0);
  for (int type : {-1, 16}) refused(Call(), [&](Call& c) { c.type = type; });    // T2
  for (int rank : {-1, 0, 6}) refused(Call(), [&](Call& c) { c.rank = rank; });  // T3
  refused(Call(2, ElementType::f16), [](Call& c) { c.interleave = 1; });         // T3
  refused(Call(), [](Call& c) { c.base += 8; });                                 // T4
  refused(Call(3, ElementType::f16), [](Call& c) { c.base += 16, c.interleave = 2, c.swizzle = 1; });
  refused(Call(2, ElementType::u4_align16), [](Call& c) { c.base += 16; });
  for (unsigned long long e : {0ull, (1ull << 32) + 1, ~0ull})
    for (int d : {0, 1}) refused(Call(), [&](Call& c) { c.extents[d] = e; });     // T5
  refused(Call(2, ElementType::u4_align8), [](Call& c) { c.extents[0] = 129; });  // T6
  for (unsigned long long s : {8ull, 520ull, 1ull << 40, ~0ull, 1ull << 63})
    refused(Call(), [&](Call& c) { c.strides[0] = s; });  // T7
  refused(Call(), [&](Call& c) { c.extents[1] = 1, c.strides[0] = 24; });
  for (unsigned b : {0u, 257u, ~0u})
    for (int d : {0, 1}) refused(Call(2, ElementType::u8), [&](Call& c) { c.box[d] = b; });  // T9
  refused(Call(), [](Call& c) { c.box[0] = 2; });                                            // T10
  refused(Call(2, ElementType::u4_align8), [](Call& c) { c.box[0] = 16; });
  refused(Call(2, ElementType::u6_align16), [](Call& c) { c.box[0] = 64; });  // T11
  for (unsigned s : {0u, 9u, ~0u})
    for (int d : {0, 1}) refused(Call(), [&](Call& c) { c.element_strides[d] = s; });    // T12
  for (int layout : {-1, 3}) refused(Call(3), [&](Call& c) { c.interleave = layout; });  // T13
  refused(Call(3, ElementType::u6_align16), [](Call& c) { c.interleave = 1; });
  refused(Call(), [](Call& c) { c.swizzle = int(Swizzle::bytes_128), c.box[0] = 64; });  // T14
  refused(Call(), [](Call& c) { c.swizzle = int(Swizzle::bytes_64), c.box[0] = 32; });
  refused(Call(2, ElementType::u6_align16), [](Call& c) { c.swizzle = int(Swizzle::bytes_32); });  // T16
  refused(Call(2, ElementType::u4_align16), [](Call& c) { c.swizzle = int(Swizzle::bytes_64); });  // T17
  for (int promotion : {-1, 4}) refused(Call(), [&](Call& c) { c.promotion = promotion; });        // T18
  for (int swizzle : {-1, 7}) refused(Call(), [&](Call& c) { c.swizzle = swizzle; });              // T18
  refused(Call(2, ElementType::u32), [](Call& c) { c.fill = 1; });                                 // T19
  refused(Call(), [](Call& c) { c.fill = 2; });                                                    // T19
}

TEST_CASE("the machine's driver grants what the real one grants") {
  Map map;
  CHECK(Call().make(map.bytes + 32) == 0);                                // a map at no multiple of 64
  granted(Call(3, ElementType::f16), [](Call& c) { c.interleave = 2; });  // another swizzle than the 32-byte one
  granted(Call(), [](Call& c) { c.base = 0; });                           // a null base
  granted(Call(), [](Call& c) { c.extents[0] = 3, c.extents[1] = 2; });   // a tensor smaller than its box
  granted(Call(), [](Call& c) { c.extents[0] = 63; });                    // rows that a store would overrun
  granted(Call(), [](Call& c) { c.strides[0] = 0; });                     // one row for all
  granted(Call(), [](Call& c) { c.strides[0] = 64; });                    // rows that overlap
  granted(Call(), [](Call& c) { c.base += 16, c.swizzle = 3; });          // a swizzle, the base off 128
  granted(Call(), [](Call& c) { c.box[0] = 256, c.box[1] = 228; });       // a multiprocessor has it, a block does not
  refused(Call(), [](Call& c) { c.box[0] = 256, c.box[1] = 229; });       // T24
  refused(Call(5), [](Call& c) {
    for (unsigned& b : c.box) b = 256;
  });
  const TensorBox b = granted(Call(), [](Call& c) { c.element_strides[0] = 8; });  // ignored
  CHECK(b.tile_extent(1) == 16);
}
