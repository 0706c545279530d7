// Random legal copies. The same seed and index give the same copy on every machine and with every compiler: only integers,
// and one draw an expression, since the order within one is the compiler's.
#pragma once

#include <tma/core/copy_fault.hpp>
#include <tma/host/rules.hpp>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <string>

namespace differential {

using tma::detail::i64;
using tma::detail::u32;
using tma::detail::u64;

inline constexpr u32 region_bytes    = 16 * 1024;  // of shared memory, copied out whole
inline constexpr u32 region_guard    = 1024;       // at both of its ends, never part of a tile
inline constexpr u32 footprint_bytes = 8 * 1024;   // of a tile, at most
inline constexpr u32 array_bytes     = 64 * 1024;  // of global memory, at most
inline constexpr u32 array_guard     = 256;

// The i-th word of an endless sequence: what memory is filled with, and where draws come from.
TMA_HOST_DEVICE constexpr u64 word_of(u64 seed, u64 i) {
  u64 z = seed + (i + 1) * 0x9e3779b97f4a7c15;
  z     = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z     = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// As `word_of`, and every second word has a float of the kinds that rounding looks at: infinity or NaN, subnormal, almost
// too large, half way between two roundings.
TMA_HOST_DEVICE constexpr u64 tensor_word(u64 seed, u64 i) {
  const u64  word = word_of(seed, i), shift = word & 64 ? 32 : 0;
  const u64  all = 0x7f800000, low = 0x1fff;
  const auto changed = [&](u64 cleared, u64 set) { return (word & ~(cleared << shift)) | set << shift; };
  switch (word & 7) {
    case 0: return changed(word & 128 ? 0x7fffff : 0, all);
    case 1: return changed(all, 0);
    case 2: return changed(0x00800000, 0x7f7fe000);
    case 3: return changed(low, 0x1000);
    default: return word;
  }
}

class Hash {
public:
  void add(u64 word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 29;
  }
  u64 value() const { return value_; }

private:
  u64 value_ = 0x243f6a8885a308d3;
};

class Random {
public:
  Random(u64 seed, u64 index) : seed_(word_of(seed, index)) {}
  u64 word() { return word_of(seed_, drawn_++); }
  i64 below(i64 n) { return i64((word() >> 32) * u64(n) >> 32); }  // n < 2^32

private:
  u64 seed_, drawn_ = 0;
};

struct Case {
  u64             index = 0;
  bool            bulk  = false;  // one-dimensional: `bytes` from `offset` on; no tensor
  bool            store = false;
  tma::MapRequest tensor;        // its base left out: an address means something on one machine only
  int             at[5]   = {};  // slowest first
  u32             place   = 0;   // of the tile in the region
  u32             bytes   = 0;   // what a barrier counts
  u32             offset  = 0;   // of the tensor in the array
  u32             size    = 0;   // of the array
  u64             data    = 0;   // what the array is filled with
  u64             pattern = 0;   // what the region is filled with
  int             redraws = 0;

  u64 hash() const {
    Hash       h;
    const auto add = [&](auto... values) { (h.add(u64(values)), ...); };
    add(bulk, store, place, bytes, offset, size, data, pattern, redraws);
    if (bulk) return h.value();
    add(tensor.type, tensor.rank, tensor.swizzle, tensor.promotion, tensor.fill);
    for (int d = 0; d < tensor.rank; ++d)
      add(tensor.extent[d], tensor.stride[d], tensor.box[d], tensor.element_stride[d], at[d]);
    return h.value();
  }

  std::string text() const {
    char s[512];
    std::snprintf(s, sizeof s, "%s %s, %u bytes at 0x%x of the region, array of %u bytes, 0x%x before the first element\n",
                  bulk ? "one-dimensional" : "tensor", store ? "store" : "load", bytes, place, size, offset);
    std::string all = s;
    if (bulk) return all;
    std::snprintf(s, sizeof s, "  %s, rank %d, swizzle %s, fill %s, promotion %d\n", tma::element_name(tensor.type),
                  tensor.rank, tma::swizzle_name(tensor.swizzle), tensor.fill == tma::Fill::nan ? "nan" : "zero",
                  int(tensor.promotion));
    all += s;
    for (int d = 0; d < tensor.rank; ++d) {
      std::snprintf(s, sizeof s,
                    "  dimension %d: extent %lld, stride %lld bytes, box %d, element stride %d, coordinate %d\n", d,
                    static_cast<long long>(tensor.extent[d]), static_cast<long long>(tensor.stride[d]), tensor.box[d],
                    tensor.element_stride[d], at[d]);
      all += s;
    }
    return all;
  }
};

namespace draws {

inline void bulk(Random& random, Case& c) {
  const i64 kind = random.below(4), pieces = 1 + random.below(256);
  c.bytes          = u32(16 * (kind == 0 ? 1 : kind == 1 ? 256 : pieces));
  c.offset         = array_guard + 16 * u32(random.below(64));
  c.size           = c.offset + c.bytes + array_guard;
  const u32 places = (region_bytes - 2 * region_guard - c.bytes) / 16 + 1;
  c.place          = region_guard + 16 * u32(random.below(places));
  c.tensor.stores  = c.store;
}

inline int elements_of_a_piece(const Case& c) { return 16 / c.tensor.element_size(); }

// The innermost dimension: rows of whole 16-byte pieces, of one piece, of all that the swizzle or the box can hold, or
// something between.
inline void row(Random& random, Case& c) {
  tma::MapRequest& t    = c.tensor;
  const int        last = t.inner(), piece = elements_of_a_piece(c), span = tma::swizzle_span(t.swizzle);
  const i64        most = (span ? span : 256 * t.element_size()) / 16;
  const i64        kind = random.below(5), some = 1 + random.below(std::min<i64>(most, 24));
  const i64        pieces = kind == 0 ? 1 : kind == 1 ? most : kind == 2 ? std::max<i64>(most - 1, 1) : some;
  t.box[last]             = int(pieces * piece);
  t.stride[last]          = t.element_size();
  const i64 around        = random.below(6);
  const i64 wide          = 1 + random.below(std::max<i64>(600 / t.element_size(), 3 * t.box[last]));
  t.extent[last]          = around == 0   ? t.box[last]
                            : around == 1 ? t.box[last] + 1
                            : around == 2 ? std::max(t.box[last] - 1, 1)
                                          : wide;
  if (c.store) t.extent[last] = (t.extent[last] + piece - 1) / piece * piece;  // M4
}

inline void outer_dimension(Random& random, Case& c, int d, bool strided_stores) {
  static constexpr int usual[]  = {0, 0, 40, 16, 8, 5};
  tma::MapRequest&     t        = c.tensor;
  const bool           long_one = random.below(8) == 0;
  t.extent[d]                   = 1 + random.below(long_one ? 40 : usual[t.rank]);
  const i64 step                = random.below(6);
  t.element_stride[d]           = c.store && !strided_stores ? 1 : step < 4 ? 1 : int(step) - 2;
  const i64 kind                = random.below(7);
  const i64 small = 1 + random.below(4), any = 1 + random.below(16);
  const i64 tile = kind == 0   ? 1
                   : kind == 1 ? 2
                   : kind == 2 ? t.extent[d]
                   : kind == 3 ? t.extent[d] + 1
                   : kind < 6  ? small
                               : any;
  const i64 rest = random.below(t.element_stride[d]);  // elements that the box holds and the last step does not reach
  t.box[d]       = int(std::min<i64>((tile - 1) * t.element_stride[d] + 1 + rest, 256));
}

// Rows apart by random padding, the dimensions in any order in memory; for loads some lie over one another.
inline void strides(Random& random, Case& c) {
  tma::MapRequest& t = c.tensor;
  const int        n = t.inner();
  int              order[4];
  for (int i = 0; i < n; ++i) order[i] = n - 1 - i;
  if (random.below(3) == 0)
    for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  const auto padded = [&](i64 bytes) {
    const i64 padding = random.below(6);
    return (bytes + 15) / 16 * 16 + 16 * std::max<i64>(padding - 2, 0);
  };
  i64 span = padded(t.extent[n] * t.element_size());
  for (int i = 0; i < n; ++i) {
    const int d       = order[i];
    const i64 kind    = random.below(10);
    const i64 overlap = 16 * random.below(span / 16 + 1);
    t.stride[d]       = c.store || kind > 1 ? span : kind == 0 ? 0 : overlap;
    span              = padded(std::max(span, t.stride[d] * t.extent[d]));
  }
}

// Inside the tensor or over an edge; of every fourth copy anywhere, where a coordinate can be.
inline void coordinates(Random& random, Case& c) {
  const tma::MapRequest& t    = c.tensor;
  const bool             wild = random.below(4) == 0;
  for (int d = 0; d < t.rank; ++d) {
    const i64 extent = t.extent[d], reach = t.box[d];
    const i64 inside = random.below(std::max<i64>(extent - reach, 0) + 1), over = random.below(reach),
              off   = random.below(40);
    const i64 far[] = {INT_MIN, INT_MIN + 1 + off, -(1 << 30) - off, INT_MAX, INT_MAX - reach + 1, 1 << 30};
    const i64 end = random.below(6), kind = random.below(wild ? 10 : 6);
    i64       x = kind < 4    ? inside
                  : kind == 4 ? extent - 1 - over
                  : kind == 5 ? -1 - over
                  : kind == 6 ? extent + off
                  : kind == 7 ? -reach - off
                              : far[end];
    if (c.store) x = kind == 5 || kind == 7 ? inside : std::max<i64>(x, 0);  // M9
    const int piece = elements_of_a_piece(c);
    if (d == t.inner()) x = x >= 0 ? x / piece * piece : -((-x + piece - 1) / piece * piece);  // M8
    c.at[d] = int(x);
  }
}

inline u32 tile_bytes(const Case& c, u32 row) {
  u32 bytes = row;
  for (int d = 0; d < c.tensor.inner(); ++d) bytes *= u32(c.tensor.tile_extent(d));
  return bytes;
}

// False where the tile or the tensor is too large.
inline bool places(Random& random, Case& c) {
  const tma::MapRequest& t         = c.tensor;
  const u32              row       = u32(t.box[t.inner()] * t.element_size());
  const i64              footprint = tile_bytes(c, std::max(row, u32(tma::swizzle_span(t.swizzle))));
  i64                    span      = t.extent[t.inner()] * t.element_size();
  for (int d = 0; d < t.inner(); ++d) span += (t.extent[d] - 1) * t.stride[d];
  c.bytes               = tile_bytes(c, row);
  c.offset              = array_guard + 16 * u32(random.below(8));
  const i64 size        = c.offset + (span + 15) / 16 * 16 + array_guard;
  const i64 free_places = (i64(region_bytes) - 2 * region_guard - footprint) / 128 + 1;
  if (footprint > footprint_bytes || size > array_bytes) return false;
  c.size  = u32(size);
  c.place = region_guard + 128 * u32(random.below(free_places));
  return true;
}

inline bool is_legal(const Case& c) {
  tma::MapRequest t = c.tensor;
  t.base            = reinterpret_cast<const void*>(std::size_t(c.offset));  // the array itself is at a multiple of 256
  if (!tma::check(t).ok()) return false;
  tma::TensorBox box;
  box.type = t.type;
  box.rank = t.rank;
  return tma::check_tensor_copy(box, c.at, c.place, c.store) == tma::CopyFault::none;
}

inline bool tensor(Random& random, Case& c, bool strided_stores) {
  tma::MapRequest& t   = c.tensor;
  t                    = {};
  t.compute_capability = 90;
  t.stores             = c.store;
  t.type               = tma::ElementType(random.below(13));
  t.rank               = int(1 + random.below(5));
  t.swizzle            = tma::Swizzle(random.below(4));
  t.promotion          = tma::Promotion(random.below(4));
  const bool nan       = random.below(2) == 0;
  t.fill               = nan && !c.store && tma::is_floating(t.type) ? tma::Fill::nan : tma::Fill::zero;
  row(random, c);
  for (int d = t.inner() - 1; d >= 0; --d) outer_dimension(random, c, d, strided_stores);
  strides(random, c);
  coordinates(random, c);
  return places(random, c) && is_legal(c);
}

}  // namespace draws

// Case `index` of a seed: of eight one is one-dimensional, of five two are stores.
inline Case draw(u64 seed, u64 index, bool strided_stores = false) {
  Random random(seed, index);
  Case   c;
  c.index   = index;
  c.bulk    = random.below(8) == 0;
  c.store   = random.below(5) < 2;
  c.data    = random.word();
  c.pattern = random.word();
  if (c.bulk) draws::bulk(random, c);
  else
    while (!draws::tensor(random, c, strided_stores)) ++c.redraws;
  return c;
}

}  // namespace differential
