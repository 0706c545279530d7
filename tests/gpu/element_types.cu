// Every element type: bits arrive unchanged, except where the type says that the engine rounds or flushes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <limits>

#include "transfer.hpp"

using tma::Shape;
using tma::Tile;

TEMPLATE_TEST_CASE("an element travels bit by bit", "", char, signed char, unsigned char, short, unsigned short, char16_t,
                   int, unsigned, char32_t, long, unsigned long, long long, unsigned long long, __half, __nv_bfloat16,
                   __nv_fp8_e4m3, __nv_fp8_e5m2, float, double) {
  constexpr int row = 32 / int(sizeof(TestType)) * 2;
  transfer::check<Tile<TestType, Shape<5, row>>>(sizeof(TestType), 4);
  transfer::check<Tile<TestType, Shape<5, row>, tma::Swizzle::bytes_128>>(sizeof(TestType) + 10, 4);
}

namespace {

// Loads 32 floats of which the map says that they are of type T; the bits that arrive.
template <class T> std::vector<float> through(const std::vector<float>& in) {
  using Row = Tile<T, Shape<32>>;
  gpu::Array<float> tensor(in), out(32);
  const auto        from = tma::make_descriptor<Row>(tma::TensorView{reinterpret_cast<const T*>(tensor.get()), {32}});
  tma::launch(transfer::load_tile<Row>, {.grid = 1, .block = 32}, from, tma::Coord<1>{0}, reinterpret_cast<T*>(out.get()));
  gpu::finish();
  return out.download();
}

std::uint32_t bits(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, 4);
  return b;
}

float from_bits(std::uint32_t b) {
  float x;
  std::memcpy(&x, &b, 4);
  return x;
}

// To nearest even at 10 bits of mantissa.
float as_tf32(float x) {
  if (!std::isfinite(x)) return x;
  std::uint32_t b = bits(x);
  b += 0xfff + (b >> 13 & 1);
  return from_bits(b & ~0x1fffu);
}

std::vector<float> probes() {
  std::vector<float> v = {0.f,
                          -0.f,
                          1.f,
                          1 + std::ldexp(1.f, -11),
                          1 + 3 * std::ldexp(1.f, -11),
                          1 + std::ldexp(1.f, -12),
                          from_bits(0x3fffffff),
                          from_bits(0x7f7fefff),
                          -1 - std::ldexp(1.f, -11),
                          3.14159274f,
                          -2.71828175f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          1e-40f,
                          -1e-40f,
                          from_bits(1),
                          std::numeric_limits<float>::min(),
                          1e30f,
                          -1e-30f};
  v.resize(32, 7.f);
  return v;
}

}  // namespace

TEST_CASE("float keeps every bit, subnormals and NaN payloads included") {
  auto in = probes();
  in[20]  = from_bits(0x7fc12345);
  in[21]  = from_bits(0xffa00001);
  CHECK(transfer::same_bits(through<float>(in), in));
}

TEST_CASE("f32_ftz is loaded bit by bit: it flushes in reductions only") {
  const auto in = probes();
  CHECK(transfer::same_bits(through<tma::f32_ftz>(in), in));
}

TEMPLATE_TEST_CASE("tf32 is rounded to ten bits, to nearest even, subnormals too", "", tma::tf32, tma::tf32_ftz) {
  const auto in  = probes();
  const auto out = through<TestType>(in);
  for (int i = 0; i < 32; ++i) {
    INFO(i << ": " << in[i] << " became " << out[i]);
    CHECK(bits(out[i]) == bits(as_tf32(in[i])));
  }
}

namespace {

// Stores 32 floats through a map that says they are of type T; the bits that arrive.
template <class T> std::vector<float> stored(const std::vector<float>& in) {
  using Row = Tile<T, Shape<32>>;
  gpu::Array<float> tensor(32), source(in);
  const auto        to = tma::make_descriptor<Row>(tma::TensorView{reinterpret_cast<T*>(tensor.get()), {32}});
  tma::launch(transfer::store_tile<Row>, {.grid = 1, .block = 32}, to, tma::Coord<1>{0},
              reinterpret_cast<const T*>(source.get()));
  gpu::finish();
  return tensor.download();
}

}  // namespace

TEMPLATE_TEST_CASE("a store changes no bit, whatever the kind of float", "", float, tma::f32_ftz, tma::tf32, tma::tf32_ftz) {
  CHECK(transfer::same_bits(stored<TestType>(probes()), probes()));
}
