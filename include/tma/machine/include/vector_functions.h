// Stand-in for CUDA's header of this name: make_int4(...) and its siblings.
#pragma once

#include "vector_types.h"

#define TMA_DETAIL_MAKE_VECTORS(name, T)                                       \
  inline constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  inline constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

TMA_DETAIL_MAKE_VECTORS(char, signed char)
TMA_DETAIL_MAKE_VECTORS(uchar, unsigned char)
TMA_DETAIL_MAKE_VECTORS(short, short)
TMA_DETAIL_MAKE_VECTORS(ushort, unsigned short)
TMA_DETAIL_MAKE_VECTORS(int, int)
TMA_DETAIL_MAKE_VECTORS(uint, unsigned)
TMA_DETAIL_MAKE_VECTORS(long, long)
TMA_DETAIL_MAKE_VECTORS(ulong, unsigned long)
TMA_DETAIL_MAKE_VECTORS(longlong, long long)
TMA_DETAIL_MAKE_VECTORS(ulonglong, unsigned long long)
TMA_DETAIL_MAKE_VECTORS(float, float)
TMA_DETAIL_MAKE_VECTORS(double, double)
#undef TMA_DETAIL_MAKE_VECTORS
