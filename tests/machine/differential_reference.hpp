// What a copy leaves behind, element by element and bit by bit: simple, slow, and with nothing of the library's own model.
#pragma once

#include "differential.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace differential::reference {

using Byte = unsigned char;

inline u32 span_of(tma::Swizzle swizzle) {
  switch (swizzle) {
    case tma::Swizzle::bytes_32: return 32;
    case tma::Swizzle::bytes_64: return 64;
    case tma::Swizzle::bytes_128: return 128;
    default: return 0;
  }
}

// The bits of an address from 4 up to the span are exclusive-ored with as many from bit 7 on.
inline u32 swizzled(tma::Swizzle swizzle, u32 address) {
  const u32 span = span_of(swizzle);
  return span ? address ^ (address / 128 % (span / 16)) * 16 : address;
}

// By arithmetic: the nearest multiple of what the tenth bit of the mantissa is worth, ties to the even one.
inline u32 rounded_to_tf32(u32 bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  if (std::isnan(x)) return 0x7fffe000;
  if (std::isinf(x)) return bits;
  const int    exponent = std::max(x == 0 ? -126 : std::ilogb(x), -126);
  const double unit     = std::ldexp(1.0, exponent - 10);
  const double rounded  = std::nearbyint(std::fabs(double(x)) / unit) * unit;
  const float  result   = rounded < std::ldexp(1.0, 128) ? float(rounded) : std::numeric_limits<float>::infinity();
  u32          out;
  std::memcpy(&out, &result, 4);
  return out | (bits & 0x80000000);
}

inline void element_in(const Case& c, const Byte* array, i64 global, bool inside, Byte* value) {
  const tma::MapRequest& t    = c.tensor;
  const int              size = t.element_size();
  if (inside) {
    std::memcpy(value, array + global, std::size_t(size));
    if (t.type != tma::ElementType::tf32 && t.type != tma::ElementType::tf32_ftz) return;
    u32 bits;
    std::memcpy(&bits, value, 4);
    bits = rounded_to_tf32(bits);
    std::memcpy(value, &bits, 4);
  } else {
    for (int k = 0; k < size; ++k) value[k] = t.fill == tma::Fill::zero ? 0 : k % 2 ? 0x7f : 0xf7;
  }
}

// Changes `region` (load) or `array` (store) as the copy does.
inline void apply(const Case& c, Byte* array, Byte* region) {
  if (c.bulk) {
    if (c.store) std::memcpy(array + c.offset, region + c.place, c.bytes);
    else std::memcpy(region + c.place, array + c.offset, c.bytes);
    return;
  }
  const tma::MapRequest& t    = c.tensor;
  const int              size = t.element_size(), last = t.inner();
  int                    tile[5] = {}, n[5];
  for (int d = 0; d <= last; ++d) n[d] = d == last ? t.box[d] : (t.box[d] - 1) / t.element_stride[d] + 1;
  const u32 pitch = std::max(u32(n[last] * size), span_of(t.swizzle));
  for (u32 row = 0;;) {
    i64  global = c.offset;
    bool inside = true;
    for (int d = 0; d <= last; ++d) {
      const i64 index = i64(c.at[d]) + i64(tile[d]) * t.element_stride[d];
      inside          = inside && index >= 0 && index < t.extent[d];
      global += inside ? index * (d == last ? size : t.stride[d]) : 0;
    }
    Byte*     places[8];
    const u32 first = c.place + row * pitch + u32(tile[last] * size);
    for (int k = 0; k < size; ++k) places[k] = region + swizzled(t.swizzle, first + u32(k));
    if (!c.store) {
      Byte value[8];
      element_in(c, array, global, inside, value);
      for (int k = 0; k < size; ++k) *places[k] = value[k];
    } else if (inside) {
      for (int k = 0; k < size; ++k) array[global + k] = *places[k];
    }
    int d = last;
    while (d >= 0 && ++tile[d] == n[d]) tile[d--] = 0;
    if (d < 0) return;
    if (d < last) ++row;
  }
}

}  // namespace differential::reference
