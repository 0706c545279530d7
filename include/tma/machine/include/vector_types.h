// Stand-in for CUDA's header of this name: the vector types, with CUDA's alignments, and dim3.
#pragma once

#include "../runtime.hpp"

#define TMA_DETAIL_VECTORS(name, T, align2, align4) \
  struct name##1 { T x; };                          \
  struct alignas(align2) name##2 { T x, y; };       \
  struct name##3 { T x, y, z; };                    \
  struct alignas(align4) name##4 { T x, y, z, w; };

TMA_DETAIL_VECTORS(char, signed char, 2, 4)
TMA_DETAIL_VECTORS(uchar, unsigned char, 2, 4)
TMA_DETAIL_VECTORS(short, short, 4, 8)
TMA_DETAIL_VECTORS(ushort, unsigned short, 4, 8)
TMA_DETAIL_VECTORS(int, int, 8, 16)
TMA_DETAIL_VECTORS(long, long, 2 * sizeof(long), 16)
TMA_DETAIL_VECTORS(ulong, unsigned long, 2 * sizeof(long), 16)
TMA_DETAIL_VECTORS(longlong, long long, 16, 16)
TMA_DETAIL_VECTORS(ulonglong, unsigned long long, 16, 16)
TMA_DETAIL_VECTORS(float, float, 8, 16)
TMA_DETAIL_VECTORS(double, double, 16, 16)
#undef TMA_DETAIL_VECTORS

// unsigned by hand: uint3 is the machine's index type, so that threadIdx is a uint3.
struct uint1 {
  unsigned x;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
using uint3 = tma::machine::Index3;
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

struct dim3 {
  unsigned x, y, z;

  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
