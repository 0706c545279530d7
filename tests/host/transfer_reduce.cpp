// What reductions compute, against arithmetic done another way.
#include <tma/core/reduce_bytes.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "../support/catch.hpp"

namespace {

using tma::ElementType;
using tma::Reduction;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class To, class From> To cast(From from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// The value of a float of so many bits, and the nearest such float to a value: by arithmetic.
double value_of(u32 bits, int exponent_bits, int mantissa_bits) {
  const int    bias = (1 << (exponent_bits - 1)) - 1, e = int(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double m = bits & ((1u << mantissa_bits) - 1), s = bits >> (exponent_bits + mantissa_bits) & 1 ? -1 : 1;
  if (e == (1 << exponent_bits) - 1) return m != 0 ? std::numeric_limits<double>::quiet_NaN() : s * INFINITY;
  if (e == 0) return s * std::ldexp(m, 1 - bias - mantissa_bits);
  return s * std::ldexp(m + (1 << mantissa_bits), e - bias - mantissa_bits);
}

u32 nearest(double x, int exponent_bits, int mantissa_bits) {
  const u32 sign = std::signbit(x) ? 1u << (exponent_bits + mantissa_bits) : 0, infinity = ((1u << exponent_bits) - 1)
                                                                                           << mantissa_bits;
  if (std::isnan(x)) return (1u << (exponent_bits + mantissa_bits)) - 1;
  if (std::isinf(x)) return sign | infinity;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int       e    = x == 0 ? 1 - bias : std::ilogb(x);
  if (e < 1 - bias) e = 1 - bias;
  const double units = std::nearbyint(std::fabs(x) / std::ldexp(1.0, e - mantissa_bits));
  const u32    bits  = (u32(e + bias - 1) << mantissa_bits) + u32(units);
  return sign | (bits > infinity ? infinity : bits);
}

class Bits {
public:
  explicit Bits(unsigned seed) : engine_(seed) {}
  // Of every kind: any, near others in exponent, few bits, special.
  u64 draw(int exponent_bits, int mantissa_bits) {
    const u64 word = engine_(), sign = u64(1) << (exponent_bits + mantissa_bits), one = u64(1) << mantissa_bits;
    const u64 any = word >> 8 & (2 * sign - 1);
    switch (word & 7) {
      case 0: return any & sign;
      case 1: return (any & sign) | (any & (one - 1));                                       // subnormal
      case 2: return (any & sign) | (sign - one);                                            // infinite
      case 3: return any | (sign - one);                                                     // mostly no number
      case 4: return (any & (sign | (one - 1))) | ((sign >> 1) & ~(one - 1));                // around 2
      case 5: return (any & (sign | 7 * one)) | ((sign >> 1) & ~(8 * one - 1)) | (any & 3);  // few bits
      case 6: return (any & (sign | (one - 1))) | (sign - 2 * one);                          // almost too large
      default: return any;
    }
  }
  u64 word() { return engine_(); }

private:
  std::mt19937_64 engine_;
};

u64 add(ElementType type, u64 a, u64 b) { return tma::reduce_element(Reduction::add, type, a, b); }

template <class Float, class Word> bool same_number(Word bits, Float x) {
  return std::isnan(x) ? std::isnan(cast<Float>(bits)) : bits == cast<Word>(x);
}

}  // namespace

TEST_CASE("sums of floats are rounded as the processor rounds them") {
  Bits bits(3);
  for (int i = 0; i < 2000000; ++i) {
    const auto a = u32(bits.draw(8, 23)), b = u32(bits.draw(8, 23));
    INFO(std::hex << a << " + " << b);
    if (!same_number(u32(add(ElementType::f32, a, b)), cast<float>(a) + cast<float>(b))) {
      CHECK(add(ElementType::f32, a, b) == cast<u32>(cast<float>(a) + cast<float>(b)));
      return;
    }
    const u64 c = bits.draw(11, 52), d = bits.draw(11, 52);
    if (!same_number(u64(add(ElementType::f64, c, d)), cast<double>(c) + cast<double>(d))) {
      INFO(std::hex << c << " + " << d);
      CHECK(add(ElementType::f64, c, d) == cast<u64>(cast<double>(c) + cast<double>(d)));
      return;
    }
  }
}

TEST_CASE("sums and extremes of 16-bit floats are those of their values") {
  Bits       bits(5);
  const auto check = [&](ElementType type, int exponent_bits, int mantissa_bits) {
    for (int i = 0; i < 1000000; ++i) {
      const auto   a = u32(bits.draw(exponent_bits, mantissa_bits)), b = u32(bits.draw(exponent_bits, mantissa_bits));
      const double x = value_of(a, exponent_bits, mantissa_bits), y = value_of(b, exponent_bits, mantissa_bits);
      // Exact in a double for f16; for bf16 where the exponents are close, and else the larger one's neighbours decide.
      const bool   exact = mantissa_bits == 10 || std::fabs(double(std::ilogb(x)) - std::ilogb(y)) < 40;
      const double least = std::isnan(x) ? y : std::isnan(y) ? x : x < y || (x == y && std::signbit(x)) ? x : y;
      const double most  = std::isnan(x) ? y : std::isnan(y) ? x : x > y || (x == y && std::signbit(y)) ? x : y;
      const u64    sum = add(type, a, b), min = tma::reduce_element(Reduction::min, type, a, b),
                   max   = tma::reduce_element(Reduction::max, type, a, b);
      const bool   right = (!exact || sum == nearest(x + y, exponent_bits, mantissa_bits)) &&
                           min == nearest(least, exponent_bits, mantissa_bits) &&
                           max == nearest(most, exponent_bits, mantissa_bits);
      if (right) continue;
      INFO(tma::element_name(type) << std::hex << " " << a << ", " << b << ": " << sum << " " << min << " " << max);
      FAIL("another result");
    }
  };
  check(ElementType::f16, 5, 10);
  check(ElementType::bf16, 8, 7);
}

TEST_CASE("what is no number, as an H200 has it") {
  const u64  infinity = 0x7ff0000000000000, one = 0x3ff0000000000000, sign = u64(1) << 63, five = 0x7ff8000000000005;
  const auto sum = [](u64 a, u64 b) { return add(ElementType::f64, a, b); };
  CHECK(sum(infinity, sign | infinity) == 0xfff8000000000000);
  CHECK(sum(five, one) == five);
  CHECK(sum(one, five) == five);
  CHECK(sum(0xfff8000000000003, five) == five);
  CHECK(sum(infinity | 1, one) == (infinity | 1));
  CHECK(sum(one, infinity | 1) == (infinity | 1));
  CHECK(add(ElementType::f32, 0x7fc00005, 0x3f800000) == 0x7fffffff);
  CHECK(add(ElementType::f32, 0x7f800000, 0xff800000) == 0x7fffffff);
  CHECK(add(ElementType::f16, 0xfe03, 0x7e05) == 0x7fff);
  CHECK(tma::reduce_element(Reduction::min, ElementType::f16, 0xfe03, 0x7e05) == 0x7fff);
  CHECK(tma::reduce_element(Reduction::max, ElementType::bf16, 0x3f80, 0xffc3) == 0x3f80);
}

TEST_CASE("the ftz types flush what goes in and what comes out") {
  for (ElementType type : {ElementType::f32_ftz, ElementType::tf32_ftz}) {
    CHECK(add(type, 1, 0x3f800000) == 0x3f800000);
    CHECK(add(type, 1, 0x80000001) == 0);
    CHECK(add(type, 0x80000001, 0x80000001) == 0x80000000);
    CHECK(add(type, 0x00800001, 0x80800000) == 0);  // 2^-149
  }
  CHECK(add(ElementType::f32, 1, 2) == 3);
  CHECK(add(ElementType::f32, 0x00800001, 0x80800000) == 1);
}

TEST_CASE("integers wrap, and are compared as their type says") {
  const auto reduce = [](Reduction op, ElementType type, u64 a, u64 b) { return tma::reduce_element(op, type, a, b); };
  Bits       bits(7);
  for (int i = 0; i < 100000; ++i) {
    const u64 a = i % 3 ? bits.word() : bits.word() % 5, b = i % 5 ? bits.word() : a + bits.word() % 3 - 1;
    const u32 c = u32(a), d = u32(b);
    CHECK(reduce(Reduction::add, ElementType::u64, a, b) == a + b);
    CHECK(reduce(Reduction::add, ElementType::i64, a, b) == a + b);
    CHECK(reduce(Reduction::min, ElementType::u64, a, b) == std::min(a, b));
    CHECK(reduce(Reduction::max, ElementType::u64, a, b) == std::max(a, b));
    CHECK(reduce(Reduction::min, ElementType::i64, a, b) == u64(std::min(std::int64_t(a), std::int64_t(b))));
    CHECK(reduce(Reduction::max, ElementType::i64, a, b) == u64(std::max(std::int64_t(a), std::int64_t(b))));
    CHECK(reduce(Reduction::add, ElementType::u32, c, d) == u32(c + d));
    CHECK(reduce(Reduction::add, ElementType::i32, c, d) == u32(c + d));
    CHECK(reduce(Reduction::min, ElementType::u32, c, d) == std::min(c, d));
    CHECK(reduce(Reduction::max, ElementType::u32, c, d) == std::max(c, d));
    CHECK(reduce(Reduction::min, ElementType::i32, c, d) == u32(std::min(std::int32_t(c), std::int32_t(d))));
    CHECK(reduce(Reduction::max, ElementType::i32, c, d) == u32(std::max(std::int32_t(c), std::int32_t(d))));
    CHECK(reduce(Reduction::inc, ElementType::u32, c, d) == (c < d ? c + 1 : 0));
    CHECK(reduce(Reduction::dec, ElementType::u32, c, d) == (c == 0 || c > d ? d : c - 1));
    CHECK(reduce(Reduction::bit_and, ElementType::u32, c, d) == (c & d));
    CHECK(reduce(Reduction::bit_or, ElementType::u64, a, b) == (a | b));
    CHECK(reduce(Reduction::bit_xor, ElementType::i64, a, b) == (a ^ b));
  }
  CHECK(reduce(Reduction::add, ElementType::u8, 0xff, 2) == 1);
  CHECK(reduce(Reduction::add, ElementType::u16, 0xffff, 2) == 1);
}

TEST_CASE("bytes are reduced element by element, and no further than they were asked for") {
  unsigned char       to[16];
  const unsigned char from[16] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  std::memset(to, 0xff, sizeof to);
  tma::reduce_bytes(Reduction::add, ElementType::u32, to, from, 12);
  const unsigned char expected[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  CHECK(std::memcmp(to, expected, sizeof to) == 0);
  static_assert(tma::reduce_element(Reduction::add, ElementType::f16, 0x3c00, 0x3c00) == 0x4000);
}
