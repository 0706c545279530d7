// What im2col copies and copies of four rows move, against a reference that goes element by element; and what the driver's
// numbers of a convolution mean, against the convolution itself.
#include <tma/core/copy_chunks.hpp>
#include <tma/core/place_fault.hpp>

#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "../support/catch.hpp"

namespace {

using tma::Chunk;
using tma::CopyPlace;
using tma::ElementType;
using tma::Fill;
using tma::Swizzle;
using tma::TensorBox;
using tma::Traversal;
using Bytes = std::vector<unsigned char>;
using i64   = tma::detail::i64;
using u32   = std::uint32_t;

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int from(int low, int high) { return low + int(engine_() % unsigned(high - low + 1)); }

private:
  std::mt19937 engine_;
};

Bytes random_bytes(Random& random, std::size_t n) {
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<unsigned char>(random.from(0, 255));
  return bytes;
}

u32 swizzled(Swizzle mode, u32 a) {
  switch (mode) {
    case Swizzle::bytes_32: return a ^ (a >> 7 & 1) << 4;
    case Swizzle::bytes_64: return a ^ (a >> 7 & 3) << 4;
    case Swizzle::bytes_128: return a ^ (a >> 7 & 7) << 4;
    case Swizzle::bytes_128_atom_32: return a ^ (a >> 7 & 3) << 5;
    default: return a;
  }
}

constexpr ElementType types[] = {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::f64};

// A tensor of so many dimensions, dense but for some padding, and a box of channels.
TensorBox random_tensor(Random& random, int rank) {
  TensorBox b;
  b.type          = types[random.from(0, 3)];
  b.rank          = rank;
  b.swizzle       = Swizzle(random.from(0, 4));
  const int inner = rank - 1, size = tma::element_bytes(b.type), span = tma::swizzle_span(b.swizzle);
  b.fill          = b.type != ElementType::u8 && random.from(0, 1) ? Fill::nan : Fill::zero;
  b.box[inner]    = random.from(1, span ? span / 16 : 6) * 16 / size;
  b.extent[inner] = random.from(1, 2 * b.box[inner]);
  b.stride[inner] = size;
  i64 stride      = (b.extent[inner] * size + 15) / 16 * 16 + 16 * random.from(0, 1);
  for (int d = inner - 1; d >= 0; --d) {
    b.extent[d] = random.from(1, d == 0 ? 3 : 7);
    b.stride[d] = stride;
    stride *= b.extent[d];
  }
  return b;
}

std::size_t bytes_of(const TensorBox& b) { return std::size_t(b.extent[0] * b.stride[0]) + 16; }

// One row of the tile, by its position in the tensor: what it holds after a load.
void load_row(const TensorBox& b, const std::vector<int>& index, int channel, const Bytes& tensor, Bytes& shared,
              u32 place) {
  const int size = tma::element_bytes(b.type), inner = b.rank - 1;
  for (int c = 0; c < b.box[inner]; ++c) {
    bool inside = channel + c >= 0 && channel + c < b.extent[inner];
    i64  at     = i64(channel + c) * size;
    for (int d = 0; d < inner; ++d) {
      inside = inside && index[std::size_t(d)] >= 0 && index[std::size_t(d)] < b.extent[d];
      at += index[std::size_t(d)] * b.stride[d];
    }
    for (int k = 0; k < size; ++k)
      shared[swizzled(b.swizzle, place + u32(c * size + k))] = inside                ? tensor[std::size_t(at + k)]
                                                               : b.fill == Fill::nan ? (k % 2 ? 0x7f : 0xf7)
                                                                                     : 0;
  }
}

Bytes loaded_by_chunks(const TensorBox& b, const CopyPlace& place, const Bytes& tensor, Bytes shared, u32 base) {
  std::set<u32> places;
  tma::for_each_chunk(b, place, base, [&](const Chunk& c) {
    REQUIRE(places.insert(c.shared).second);
    unsigned char source[16] = {};
    if (c.inside) {
      REQUIRE(c.global >= 0);
      REQUIRE(std::size_t(c.global) + 16 <= tensor.size());
      std::memcpy(source, &tensor[std::size_t(c.global)], std::size_t(c.inside));
    }
    tma::load_chunk(b, c, source, &shared[c.shared]);
  });
  REQUIRE(i64(places.size()) * 16 == tma::copied_bytes(b, place));
  return shared;
}

}  // namespace

TEST_CASE("im2col brings the pixels that a convolution needs") {
  Random random(1);
  for (int n = 0; n < 3000; ++n) {
    const int  rank = random.from(3, 5), inner = rank - 1;
    const bool wide = random.from(0, 2) == 0;
    TensorBox  b    = random_tensor(random, rank);
    CopyPlace  p{.traversal = wide ? Traversal::im2col_w : Traversal::im2col};
    b.traversal = p.traversal;
    b.pixels    = random.from(1, 60);
    // Padding, stride, dilation and the filter say what corners and element strides are.
    std::vector<int> grid(std::size_t(rank), 1), start(std::size_t(rank), 0), tap(std::size_t(rank), 0);
    bool             possible = true;
    for (int d = wide ? inner - 1 : 1; d < inner; ++d) {
      const int filter = random.from(1, 3), padding = random.from(0, 2), dilation = random.from(1, 2),
                reach      = (filter - 1) * dilation;
      b.element_stride[d]  = random.from(1, 3);
      b.lower[d]           = -padding;
      b.upper[d]           = padding - reach;
      possible             = possible && b.extent[d] + 2 * padding - reach >= 1;
      grid[std::size_t(d)] = int(b.extent[d] + 2 * padding - reach - 1) / b.element_stride[d] + 1;  // output pixels
      tap[std::size_t(d)]  = random.from(0, filter - 1) * dilation;
      if (!possible) break;
      start[std::size_t(d)] = random.from(0, grid[std::size_t(d)] - 1);
    }
    if (!possible) continue;
    start[0] = random.from(-1, int(b.extent[0]));
    for (int d = 1; wide && d < inner - 1; ++d) start[std::size_t(d)] = random.from(-1, int(b.extent[d]));
    for (int d = 0; d < inner; ++d) p.at[d] = b.lower[d] + start[std::size_t(d)] * b.element_stride[d];
    for (int d = 1; wide && d < inner - 1; ++d) p.at[d] = start[std::size_t(d)];
    p.at[inner] = random.from(-1, 2) * 16 / tma::element_bytes(b.type);
    if (wide) p.offset[1] = tap[std::size_t(inner - 1)];
    else
      for (int d = 1; d < inner; ++d) p.offset[d - 1] = tap[std::size_t(d)];
    INFO(n << ": rank " << rank << (wide ? ", w" : ""));

    const u32   base   = u32(random.from(0, 7)) * 128;
    const Bytes tensor = random_bytes(random, bytes_of(b));
    const Bytes blank(base + std::size_t(b.pixels * b.pitch_bytes()) + 128, 0xee);
    Bytes       expected = blank;
    // The output pixels in a row, by number.
    i64 number = 0;
    for (int d = 1; d < inner; ++d)
      if (!wide || d == inner - 1) number = number * grid[std::size_t(d)] + start[std::size_t(d)];
    for (int pixel = 0; pixel < b.pixels; ++pixel) {
      i64              rest = number + pixel;
      std::vector<int> index(std::size_t(rank), 0);
      for (int d = inner - 1; d >= 1; --d) {
        if (wide && d < inner - 1) {
          index[std::size_t(d)] = start[std::size_t(d)];
          continue;
        }
        index[std::size_t(d)] = b.lower[d] + int(rest % grid[std::size_t(d)]) * b.element_stride[d] + tap[std::size_t(d)];
        rest /= grid[std::size_t(d)];
      }
      index[0] = start[0] + int(rest);
      load_row(b, index, p.at[inner], tensor, expected, base + u32(pixel * b.pitch_bytes()));
    }
    REQUIRE(loaded_by_chunks(b, p, tensor, blank, base) == expected);
  }
}

TEST_CASE("four rows come from anywhere, and each is inside or outside by itself") {
  Random random(2);
  for (int n = 0; n < 2000; ++n) {
    TensorBox b = random_tensor(random, 2);
    b.extent[0] = random.from(1, 9);
    CopyPlace p{.traversal = Traversal::rows4};
    for (int i = 0; i < 4; ++i)
      p.at[i] = random.from(0, 5) ? random.from(-2, 10) : random.from(0, 1) ? -2147483647 : 2147483647;
    p.at[4]            = random.from(-1, 2) * 16 / tma::element_bytes(b.type);
    const u32   base   = u32(random.from(0, 7)) * 128;
    const Bytes tensor = random_bytes(random, bytes_of(b));
    const Bytes blank(base + std::size_t(4 * b.pitch_bytes()) + 128, 0xee);
    Bytes       expected = blank;
    for (int i = 0; i < 4; ++i) {
      const bool far = p.at[i] < -100 || p.at[i] > 100;
      load_row(b, {far ? -1 : p.at[i], 0}, p.at[4], tensor, expected, base + u32(i * b.pitch_bytes()));
    }
    INFO(n << ": rows " << p.at[0] << " " << p.at[1] << " " << p.at[2] << " " << p.at[3] << ", column " << p.at[4]);
    REQUIRE(loaded_by_chunks(b, p, tensor, blank, base) == expected);
  }
}

TEST_CASE("what copies of each traversal count") {
  TensorBox b;
  b.type      = ElementType::f16;
  b.rank      = 4;
  b.box[3]    = 64;
  b.pixels    = 100;
  b.traversal = Traversal::im2col;
  CHECK(tma::copied_bytes(b, {.traversal = Traversal::im2col}) == 100 * 128);
  CHECK(tma::copied_bytes(b, {.traversal = Traversal::im2col, .offset = {2, 2, 0}}) == 100 * 128);
  CHECK(tma::copied_bytes(b, {.traversal = Traversal::im2col_w, .offset = {2, 1, 0}}) == 102 * 128);
  CHECK(tma::copied_bytes(b, {.traversal = Traversal::im2col_w128}) == 128 * 128);
  b.traversal = Traversal::tiled;
  b.rank      = 2;
  b.box[1]    = 64;
  CHECK(tma::copied_bytes(b, {.traversal = Traversal::rows4}) == 4 * 128);
  CHECK(tma::copied_bytes(b, {}) == 128);
}

namespace {

// Chunks of global memory by number, in the order of shared memory after the swizzle; -1 for what is filled. Strides of the
// dimensions but the fastest are 10, 100, 1000 and 10000 times what a pixel has of a slice; extents, box, element strides
// and coordinates fastest first.
std::vector<i64> chunks_of(tma::Interleave layout, Swizzle swizzle, std::vector<int> extent, std::vector<int> box,
                           std::vector<int> at, std::vector<int> step = {}, int pixels = 0) {
  TensorBox b;
  CopyPlace p;
  b.type       = ElementType::f16;
  b.rank       = int(extent.size());
  b.interleave = layout;
  b.swizzle    = swizzle;
  b.pixels     = pixels;
  b.traversal = p.traversal = pixels ? Traversal::im2col : Traversal::tiled;
  i64 stride                = tma::slice_bytes(layout) * 10;
  for (int i = 0; i < b.rank; ++i) {
    const int d         = b.rank - 1 - i;
    b.extent[d]         = extent[std::size_t(i)];
    b.box[d]            = box[std::size_t(i)];
    p.at[d]             = at[std::size_t(i)];
    b.element_stride[d] = step.empty() ? 1 : step[std::size_t(i)];
    if (i > 0) b.stride[d] = stride, stride *= 10;
  }
  std::vector<i64> found(std::size_t(tma::copied_bytes(b, p) / 16), -2);
  tma::for_each_chunk(b, p, 0, [&](const Chunk& c) { found.at(c.shared / 16) = c.inside ? c.global / 16 : -1; });
  return found;
}

std::vector<i64> run(std::vector<i64> firsts, int count) {
  std::vector<i64> all;
  for (i64 first : firsts)
    for (int i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

}  // namespace

TEST_CASE("interleaved layouts, as an H200 was seen to walk them") {
  using I                        = tma::Interleave;
  constexpr auto         none    = Swizzle::none;
  const std::vector<i64> xor_128 = {0,   1,   2,   3,   4,   5,   6,   7,   101, 100, 103, 102,
                                    105, 104, 107, 106, 202, 203, 200, 201, 206, 207, 204, 205};
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 3}, {8, 3, 2}, {0, 0, 0}) == run({0, 100}, 8));
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 3}, {24, 2, 2}, {0, 0, 0}) == run({0, 100}, 24));
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 3}, {8, 3, 2}, {1, 0, 0}) == run({1, 101}, 8));
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 4, 3}, {8, 3, 2, 2}, {0, 0, 0, 0}) == run({0, 10, 20, 1000, 1010, 1020}, 8));
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 4, 3, 2}, {8, 2, 2, 2, 2}, {0, 0, 0, 0, 0}) ==
        run({0, 10, 100, 110, 10000, 10010, 10100, 10110}, 8));
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 3}, {16, 2, 2}, {0, 0, 0}, {8, 1, 1}) == std::vector<i64>{0, 8, 100, 108});
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 3}, {8, 4, 2}, {0, 0, 0}, {1, 2, 1}) == run({0, 100}, 8));
  CHECK(chunks_of(I::bytes_16, Swizzle::bytes_128, {40, 6, 3}, {8, 6, 3}, {0, 0, 0}) == xor_128);
  auto outside = run({0, 0}, 8);
  for (int i = 0; i < 8; ++i) outside[std::size_t(i)] = -1;
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 3}, {16, 3, 1}, {-8, 0, 0}) == outside);
  // A slice of 32 bytes is two chunks, and the swizzle comes after.
  CHECK(chunks_of(I::bytes_32, none, {64, 6, 4, 3}, {16, 2, 2, 2}, {0, 1, 1, 1}) == run({2220, 2240, 4220, 4240}, 32));
  CHECK(chunks_of(I::bytes_32, Swizzle::bytes_32, {64, 6, 3}, {8, 3, 1}, {8, 0, 0}) ==
        std::vector<i64>{16, 17, 18, 19, 20, 21, 22, 23, 25, 24, 27, 26, 29, 28, 31, 30});
  // Pixels, whatever the number of channels.
  CHECK(chunks_of(I::bytes_16, none, {40, 6, 3}, {16, 1, 1}, {0, 1, 0}, {}, 7) == run({10}, 7));
  CHECK(chunks_of(I::bytes_16, none, {40, 3, 2, 3}, {16, 1, 1, 1}, {8, 1, 0, 0}, {}, 7) == run({18}, 7));
}

TEST_CASE("what is wrong with a copy's place, as an H200 was seen to take it") {
  using tma::CopyUse;
  using tma::PlaceFault;
  TensorBox b;
  b.type      = ElementType::f32;
  b.rank      = 4;
  b.traversal = Traversal::im2col;
  b.box[3]    = 8;
  b.pixels    = 5;
  for (int d = 0; d < 4; ++d) b.extent[d] = 10;
  const CopyPlace p{.traversal = Traversal::im2col};
  const auto      fault = [&](CopyPlace place, CopyUse use = CopyUse::load, u32 shared = 128, int rank = 4) {
    return tma::check_copy_place(b, rank, place, shared, use);
  };
  const auto at = [&](int n, int h, int w, int c) {
    return CopyPlace{.traversal = Traversal::im2col, .at = {n, h, w, c, 0}};
  };
  CHECK(fault(p) == PlaceFault::none);
  CHECK(fault(p, CopyUse::load, 128, 3) == PlaceFault::another_rank);
  CHECK(fault({}) == PlaceFault::another_traversal);
  CHECK(fault({.traversal = Traversal::im2col_w}) == PlaceFault::another_traversal);
  CHECK(fault({.traversal = Traversal::rows4}, CopyUse::load, 128, 2) == PlaceFault::another_traversal);
  CHECK(fault(p, CopyUse::load, 64) == PlaceFault::tile_misaligned);
  CHECK(fault(p, CopyUse::prefetch, 64) == PlaceFault::none);
  CHECK(fault(at(0, 0, 0, 2)) == PlaceFault::inner_unaligned);
  // n and the channel may lie anywhere, where nothing is written.
  CHECK(fault(at(-3, 0, 0, -4)) == PlaceFault::none);
  CHECK(fault(at(99, 0, 0, 40), CopyUse::reduce) == PlaceFault::none);
  for (CopyUse use : {CopyUse::store, CopyUse::reduce}) {
    CHECK(fault(at(-1, 0, 0, 0), use) == PlaceFault::negative);
    CHECK(fault(at(0, 0, 0, -4), use) == PlaceFault::negative);
  }
  for (CopyUse use : {CopyUse::load, CopyUse::prefetch, CopyUse::store, CopyUse::reduce}) {
    CHECK(fault(at(0, -1, 0, 0), use) == PlaceFault::outside_box);
    CHECK(fault(at(0, 0, 10, 0), use) == PlaceFault::outside_box);
  }
  b.lower[2] = -1;
  CHECK(fault(at(0, 0, -1, 0)) == PlaceFault::none);
  CHECK(fault(at(0, 0, 0, 0), CopyUse::store) == PlaceFault::box_outside_tensor);
  b.lower[2] = 0, b.upper[1] = 1;
  CHECK(fault(at(0, 10, 0, 0)) == PlaceFault::none);
  CHECK(fault(at(0, 0, 0, 0), CopyUse::reduce) == PlaceFault::box_outside_tensor);
  b.upper[1]    = 0;
  CopyPlace far = p;
  far.offset[1] = 256;
  CHECK(fault(far) == PlaceFault::offset_too_large);
  far.offset[1] = 255;
  CHECK(fault(far) == PlaceFault::none);
  // Interleaved: corners belong to w and h behind the slices, and no coordinate is aligned.
  b.interleave = tma::Interleave::bytes_16;
  b.lower[1]   = -2;
  CHECK(fault(at(0, 0, -2, 1)) == PlaceFault::none);
  CHECK(fault(at(0, 0, -3, 1)) == PlaceFault::outside_box);
  CHECK(fault(at(0, 0, 0, -1)) == PlaceFault::outside_box);
  CHECK(fault(at(0, -1, 0, 1)) == PlaceFault::none);
  // Boxes, and rows by themselves.
  b           = {};
  b.type      = ElementType::f32;
  b.rank      = 2;
  b.extent[0] = b.extent[1] = 10;
  b.box[1]                  = 8;
  const CopyPlace before{.at = {-1, 0, 0, 0, 0}};
  CHECK(fault(before, CopyUse::load, 0, 2) == PlaceFault::none);
  CHECK(fault(before, CopyUse::store, 0, 2) == PlaceFault::negative);
  const CopyPlace rows{.traversal = Traversal::rows4, .at = {-1, 99, 3, 3, 4}};
  CHECK(fault(rows, CopyUse::store, 0, 2) == PlaceFault::none);
  b.box[0] = 4;
  CHECK(fault(rows, CopyUse::load, 0, 2) == PlaceFault::another_traversal);
}
