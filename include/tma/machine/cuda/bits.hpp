// Integer intrinsics, and numbers seen as bits.
#pragma once

#include <bit>

#include "keywords.hpp"

namespace tma::machine::detail {
__extension__ typedef __int128          Int128;
__extension__ typedef unsigned __int128 UInt128;
}  // namespace tma::machine::detail

// --- one word ------------------------------------------------------------------------------------------------------

inline constexpr int __popc(unsigned x) { return std::popcount(x); }
inline constexpr int __popcll(unsigned long long x) { return std::popcount(x); }
inline constexpr int __clz(int x) { return std::countl_zero(unsigned(x)); }
inline constexpr int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline constexpr int __ffs(int x) { return __builtin_ffs(x); }
inline constexpr int __ffsll(long long x) { return __builtin_ffsll(x); }

inline constexpr unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
inline constexpr unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(unsigned(x))) << 32 | __brev(unsigned(x >> 32));
}

// --- two words -----------------------------------------------------------------------------------------------------

// Byte i of the result is the byte of (y, x) that nibble i of `selector` names.
inline constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes  = static_cast<unsigned long long>(y) << 32 | x;
  unsigned                 result = 0;
  for (int i = 0; i < 4; ++i) result |= unsigned(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
}

// The upper word of (high, low) shifted left, the lower word of it shifted right; `c` stands for clamped at 32.
inline constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
inline constexpr unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline constexpr unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline constexpr int      __mulhi(int a, int b) { return int(static_cast<long long>(a) * b >> 32); }
inline constexpr unsigned __umulhi(unsigned a, unsigned b) { return unsigned(static_cast<unsigned long long>(a) * b >> 32); }
inline constexpr long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<::tma::machine::detail::Int128>(a) * b >> 64);
}
inline constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<::tma::machine::detail::UInt128>(a) * b >> 64);
}

// Of the low 24 bits.
inline constexpr int __mul24(int a, int b) {
  const long long x = int(unsigned(a) << 8) >> 8, y = int(unsigned(b) << 8) >> 8;
  return int(unsigned(x * y));
}
inline constexpr unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }

inline constexpr unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
inline constexpr unsigned __sad(int a, int b, unsigned c) {
  return (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b)) + c;
}

// Averages, rounded down and (r) up.
inline constexpr int      __hadd(int a, int b) { return int((static_cast<long long>(a) + b) >> 1); }
inline constexpr int      __rhadd(int a, int b) { return int((static_cast<long long>(a) + b + 1) >> 1); }
inline constexpr unsigned __uhadd(unsigned a, unsigned b) { return unsigned((static_cast<unsigned long long>(a) + b) >> 1); }
inline constexpr unsigned __urhadd(unsigned a, unsigned b) {
  return unsigned((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// The products of four bytes, added to `sum`.
inline constexpr int __dp4a(int a, int b, int sum) {
  unsigned result = unsigned(sum);
  for (int i = 0; i < 32; i += 8)
    result += unsigned(static_cast<signed char>(unsigned(a) >> i) * static_cast<signed char>(unsigned(b) >> i));
  return int(result);
}
inline constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
  return sum;
}

// --- the same bits as another type ---------------------------------------------------------------------------------

inline constexpr unsigned  __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline constexpr int       __float_as_int(float x) { return std::bit_cast<int>(x); }
inline constexpr float     __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline constexpr float     __int_as_float(int x) { return std::bit_cast<float>(x); }
inline constexpr long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline constexpr double    __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline constexpr int       __double2loint(double x) { return int(std::bit_cast<unsigned long long>(x)); }
inline constexpr int       __double2hiint(double x) { return int(std::bit_cast<unsigned long long>(x) >> 32); }
inline constexpr double    __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<unsigned long long>(unsigned(high)) << 32 | unsigned(low));
}
