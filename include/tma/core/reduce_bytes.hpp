// What the copy engine's reductions compute, on bytes: the same on every machine, in integers alone.
#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "element.hpp"
#include "meta.hpp"
#include "reduction.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

// Floats by their bits. What the hardware chooses where the standard leaves a choice is said here and nowhere else.
template <int ExponentBits, int MantissaBits> struct FloatBits {
  static constexpr u64  one = u64(1) << MantissaBits, sign = u64(1) << (ExponentBits + MantissaBits);
  static constexpr u64  infinity  = sign - one;
  static constexpr bool is_double = MantissaBits == 52;
  // What an operation without a number for its result gives. In a sum of doubles what is no number stays as it is, and the
  // newer of two wins.
  static constexpr u64 nan    = sign - 1;
  static constexpr u64 no_sum = is_double ? sign | infinity | one >> 1 : nan;

  static TMA_HOST_DEVICE constexpr u64  magnitude(u64 x) { return x & (sign - 1); }
  static TMA_HOST_DEVICE constexpr bool is_nan(u64 x) { return magnitude(x) > infinity; }
  static TMA_HOST_DEVICE constexpr u64  flushed(u64 x) { return magnitude(x) < one ? x & sign : x; }

  // To nearest, ties to even; subnormals in and out.
  static TMA_HOST_DEVICE constexpr u64 sum(u64 a, u64 b) {
    if (is_nan(a) || is_nan(b)) return !is_double ? nan : is_nan(b) ? b : a;
    if (magnitude(a) < magnitude(b)) {
      const u64 larger = b;
      b                = a;
      a                = larger;
    }
    const bool apart = ((a ^ b) & sign) != 0;
    if (magnitude(a) == infinity) return magnitude(b) == infinity && apart ? no_sum : a;
    if (magnitude(a) == 0) return a & b;  // both zero: -0 only where both are

    // Three bits below the last one: two to be exact where one is lost, and one for whether anything was cut.
    const int high = exponent(a), low = exponent(b), shift = high - low;
    u64       x = mantissa(a) << 3, y = mantissa(b) << 3;
    y     = shift > MantissaBits + 4 ? u64(y != 0) : y >> shift | u64((y & ((u64(1) << shift) - 1)) != 0);
    u64 m = apart ? x - y : x + y;
    if (m == 0) return 0;
    int e = high;
    if (m >= one << 4) {
      m = m >> 1 | (m & 1);
      ++e;
    }
    for (; m < one << 3 && e > 1; --e) m <<= 1;
    const u64 rest = m & 7;
    m >>= 3;
    m += u64(rest > 4 || (rest == 4 && (m & 1)));
    const u64 result = (u64(e - 1) << MantissaBits) + m;  // the leading bit of m is worth one more exponent
    return (a & sign) | (result > infinity ? infinity : result);
  }

  // A number wins over no number; -0 is less than +0.
  static TMA_HOST_DEVICE constexpr u64 extreme(u64 a, u64 b, bool largest) {
    if (is_nan(a)) return is_nan(b) ? nan : b;
    if (is_nan(b)) return a;
    return (place(a) < place(b)) == largest ? b : a;
  }

private:
  static TMA_HOST_DEVICE constexpr int exponent(u64 x) {
    const int e = int(magnitude(x) >> MantissaBits);
    return e == 0 ? 1 : e;
  }
  static TMA_HOST_DEVICE constexpr u64 mantissa(u64 x) { return (x & (one - 1)) | (magnitude(x) < one ? 0 : one); }
  static TMA_HOST_DEVICE constexpr i64 place(u64 x) { return x & sign ? -i64(magnitude(x)) - 1 : i64(magnitude(x)); }
};

using F16Bits  = FloatBits<5, 10>;
using Bf16Bits = FloatBits<8, 7>;
using F32Bits  = FloatBits<8, 23>;
using F64Bits  = FloatBits<11, 52>;

TMA_HOST_DEVICE constexpr u64 reduced_sum(ElementType type, u64 old, u64 value) {
  switch (type) {
    case ElementType::f16: return F16Bits::sum(old, value);
    case ElementType::bf16: return Bf16Bits::sum(old, value);
    case ElementType::f64: return F64Bits::sum(old, value);
    case ElementType::f32_ftz:
    case ElementType::tf32_ftz: return F32Bits::flushed(F32Bits::sum(F32Bits::flushed(old), F32Bits::flushed(value)));
    case ElementType::f32:
    case ElementType::tf32: return F32Bits::sum(old, value);
    default: return old + value;
  }
}

TMA_HOST_DEVICE constexpr u64 reduced_extreme(ElementType type, u64 old, u64 value, bool largest) {
  switch (type) {
    case ElementType::f16: return F16Bits::extreme(old, value, largest);
    case ElementType::bf16: return Bf16Bits::extreme(old, value, largest);
    case ElementType::f64: return F64Bits::extreme(old, value, largest);
    case ElementType::f32:
    case ElementType::tf32:
    case ElementType::f32_ftz:
    case ElementType::tf32_ftz: return F32Bits::extreme(old, value, largest);
    default: break;
  }
  // The sign bit turned over, signed integers are in the order of unsigned ones.
  const u64 turned = type == ElementType::i32 ? u64(1) << 31 : type == ElementType::i64 ? u64(1) << 63 : 0;
  return ((old ^ turned) < (value ^ turned)) == largest ? value : old;
}

}  // namespace detail

/// What `op` leaves where `old` was, `value` being what is brought: the bits of elements of `type`, in the low bits.
TMA_HOST_DEVICE constexpr detail::u64 reduce_element(Reduction op, ElementType type, detail::u64 old, detail::u64 value) {
  using detail::u64;
  const int bits   = 8 * element_bytes(type);
  const u64 mask   = bits == 64 ? ~u64(0) : (u64(1) << bits) - 1;
  u64       result = 0;
  switch (op) {
    case Reduction::add: result = detail::reduced_sum(type, old, value); break;
    case Reduction::min: result = detail::reduced_extreme(type, old, value, false); break;
    case Reduction::max: result = detail::reduced_extreme(type, old, value, true); break;
    case Reduction::inc: result = old >= value ? 0 : old + 1; break;
    case Reduction::dec: result = old == 0 || old > value ? value : old - 1; break;
    case Reduction::bit_and: result = old & value; break;
    case Reduction::bit_or: result = old | value; break;
    case Reduction::bit_xor: result = old ^ value; break;
  }
  return result & mask;
}

/// Reduces `count` bytes, whole elements of `type`, at `from` into those at `to`.
TMA_HOST_DEVICE constexpr void reduce_bytes(Reduction op, ElementType type, unsigned char* to, const unsigned char* from,
                                            int count) {
  using detail::u64;
  const int size = element_bytes(type);
  for (int i = 0; i + size <= count; i += size) {
    u64 old = 0, value = 0;
    for (int k = 0; k < size; ++k) {
      old |= u64(to[i + k]) << 8 * k;
      value |= u64(from[i + k]) << 8 * k;
    }
    old = reduce_element(op, type, old, value);
    for (int k = 0; k < size; ++k) to[i + k] = static_cast<unsigned char>(old >> 8 * k);
  }
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
