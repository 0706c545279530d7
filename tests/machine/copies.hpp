// Random legal copies of every kind the engine has. As differential.hpp, whose draws it uses: the same seed, kind and index
// give the same copy everywhere. Legal by the way they are drawn, and no rule book is asked: what is drawn does not change
// with it.
#pragma once

#include <tma/core/copy_chunks.hpp>
#include <tma/core/reduce_chunk.hpp>
#include <tma/core/reduction.hpp>

#include "differential.hpp"

namespace copies {

using differential::array_bytes;
using differential::array_guard;
using differential::footprint_bytes;
using differential::Random;
using differential::region_bytes;
using differential::region_guard;
using differential::word_of;
using tma::ElementType;
using tma::Reduction;
using tma::Traversal;
using tma::detail::i64;
using tma::detail::u16;
using tma::detail::u32;
using tma::detail::u64;

enum class Kind : int {
  load,
  store,
  reduce,
  bulk_load,
  bulk_store,
  bulk_reduce,
  im2col_load,
  im2col_store,
  im2col_reduce,
  interleaved_load,
  interleaved_store,
  interleaved_reduce,
  interleaved_im2col,
  gather,          // compute capability 10
  scatter,         // compute capability 10
  multicast,       // a tensor load into several blocks of a cluster
  bulk_multicast,  // a one-dimensional one
  peer_copy,       // from one block of a cluster to another
  peer_reduce,
};
inline constexpr int         kinds       = 19;
inline constexpr const char* kind_name[] = {"load",
                                            "store",
                                            "reduce",
                                            "bulk_load",
                                            "bulk_store",
                                            "bulk_reduce",
                                            "im2col_load",
                                            "im2col_store",
                                            "im2col_reduce",
                                            "interleaved_load",
                                            "interleaved_store",
                                            "interleaved_reduce",
                                            "interleaved_im2col",
                                            "gather",
                                            "scatter",
                                            "multicast",
                                            "bulk_multicast",
                                            "peer_copy",
                                            "peer_reduce"};

TMA_HOST_DEVICE constexpr bool is_bulk(Kind k) {
  return (k >= Kind::bulk_load && k <= Kind::bulk_reduce) || k >= Kind::bulk_multicast;
}
TMA_HOST_DEVICE constexpr bool is_reduction(Kind k) {
  return k == Kind::reduce || k == Kind::bulk_reduce || k == Kind::im2col_reduce || k == Kind::interleaved_reduce ||
         k == Kind::peer_reduce;
}
TMA_HOST_DEVICE constexpr bool is_cluster(Kind k) { return k >= Kind::multicast; }
// What is written is shared memory.
TMA_HOST_DEVICE constexpr bool is_load(Kind k) {
  return k == Kind::load || k == Kind::bulk_load || k == Kind::im2col_load || k == Kind::interleaved_load ||
         k == Kind::interleaved_im2col || k == Kind::gather || is_cluster(k);
}
TMA_HOST_DEVICE constexpr bool needs_capability_100(Kind k) { return k == Kind::gather || k == Kind::scatter; }

TMA_HOST_DEVICE constexpr Traversal traversal_of(Kind k) {
  return k == Kind::im2col_load || k == Kind::im2col_store || k == Kind::im2col_reduce || k == Kind::interleaved_im2col
             ? Traversal::im2col
         : k == Kind::gather || k == Kind::scatter ? Traversal::rows4
                                                   : Traversal::tiled;
}

// Memory is filled with words of a kind, so that what meets in a reduction is worth reducing.
enum class Style : int {
  raw,
  special32,  // infinite, subnormal, no number, half way: 32-bit floats
  near16,     // f16 of a few exponents
  near16b,    // bf16
  near32,
  tiny32,  // sums that are subnormal
  near64,
  small,  // integers of few bits
};

TMA_HOST_DEVICE constexpr u64 styled_word(Style style, u64 seed, u64 i) {
  const u64 word = word_of(seed, i), which = word_of(seed ^ 0x5bd1e995, i);
  switch (style) {
    case Style::raw: return word;
    case Style::special32: return differential::tensor_word(seed, i);
    // Every fourth word stays as it is.
    case Style::near16: return which & 3 ? (word & 0x8fff8fff8fff8fff) | 0x3000300030003000 : word;
    case Style::near16b: return which & 3 ? (word & 0x81ff81ff81ff81ff) | 0x3e003e003e003e00 : word;
    case Style::near32: return which & 3 ? (word & 0x81ffffff81ffffff) | 0x3e0000003e000000 : word;
    case Style::tiny32: return which & 3 ? (word & 0x81ffffff81ffffff) & 0x80ffffff80ffffff : word;
    case Style::near64: return which & 3 ? (word & 0x80ffffffffffffff) | 0x3f00000000000000 : word;
    case Style::small: return which & 3 ? word & 0x0000000700000007 : word;
  }
  return word;
}

struct Case : differential::Case {
  Kind           kind      = Kind::load;
  Reduction      operation = Reduction::add;
  tma::CopyPlace where;
  int            policy   = 0;  // of the cache; 0: none
  bool           prefetch = false;
  Style          style    = Style::raw;
  u32            blocks = 1, issuer = 0, target = 0, mask = 1;

  u64 hash() const {
    differential::Hash h;
    h.add(differential::Case::hash());
    const auto add = [&](auto... values) { (h.add(u64(values)), ...); };
    add(kind, operation, policy, prefetch, style, blocks, issuer, target, mask, tensor.type, tensor.interleave,
        tensor.traversal, tensor.pixels);
    for (int d = 0; d < 5; ++d) add(where.at[d], tensor.lower[d], tensor.upper[d]);
    for (int d = 0; d < 3; ++d) add(where.offset[d]);
    return h.value();
  }

  std::string text() const {
    static constexpr const char* const operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    char                               s[512];
    std::snprintf(s, sizeof s, "%s%s%s, policy %d, %s; block %u of %u, mask 0x%x, target %u\n", kind_name[int(kind)],
                  is_reduction(kind) ? " " : "", is_reduction(kind) ? operations[int(operation)] : "", policy,
                  prefetch ? "prefetched" : "not prefetched", issuer, blocks, mask, target);
    std::string all = s + differential::Case::text();
    if (is_bulk(kind)) return all + "  of " + tma::element_name(tensor.type) + "\n";
    std::snprintf(s, sizeof s, "  interleave %d, %d pixels, at", int(tensor.interleave), tensor.pixels);
    all += s;
    for (int x : where.at) all += " " + std::to_string(x);
    all += ", offsets";
    for (int x : where.offset) all += " " + std::to_string(x);
    all += ", corners";
    for (int d = 0; d < 5; ++d) all += " " + std::to_string(tensor.lower[d]) + "/" + std::to_string(tensor.upper[d]);
    return all + "\n";
  }
};

namespace draws {

using differential::draws::elements_of_a_piece;

inline Style style_of(Random& random, const Case& c) {
  const bool plain = random.below(4) == 0;
  if (!is_reduction(c.kind)) return tma::is_floating(c.tensor.type) && !plain ? Style::special32 : Style::raw;
  if (plain) return Style::raw;
  switch (c.tensor.type) {
    case ElementType::f16: return Style::near16;
    case ElementType::bf16: return Style::near16b;
    case ElementType::f64: return Style::near64;
    case ElementType::f32:
    case ElementType::f32_ftz:
    case ElementType::tf32:
    case ElementType::tf32_ftz: {
      const i64 which = random.below(3);
      return which == 0 ? Style::near32 : which == 1 ? Style::tiny32 : Style::special32;
    }
    default:
      return c.operation == Reduction::inc || c.operation == Reduction::dec || random.below(2) ? Style::small : Style::raw;
  }
}

// Which types an H200 was seen to take; others stop the kernel.
TMA_HOST_DEVICE constexpr bool takes(Kind kind, Reduction op, ElementType type) {
  const bool peer = kind == Kind::peer_reduce, bulk = kind == Kind::bulk_reduce;
  const bool word = type == ElementType::u32 || type == ElementType::i32, bits = op >= Reduction::bit_and;
  if (op == Reduction::inc || op == Reduction::dec) return type == ElementType::u32;
  if (word) return true;
  if (type == ElementType::u64) return !peer || op == Reduction::add;
  if (type == ElementType::i64) return peer ? op == Reduction::add : bulk || op == Reduction::min || op == Reduction::max;
  if (peer || bits || !tma::is_floating(type)) return false;
  if (type == ElementType::f16 || type == ElementType::bf16) return true;
  return op == Reduction::add && (!bulk || type == ElementType::f32 || type == ElementType::f64);
}

inline void operation(Random& random, Case& c) {
  do {
    c.operation   = Reduction(random.below(8));
    c.tensor.type = ElementType(random.below(13));
  } while (!takes(c.kind, c.operation, c.tensor.type));
}

// Where the tile and the tensor lie; false where they are too large.
inline bool places(Random& random, Case& c) {
  const tma::MapRequest& t         = c.tensor;
  const tma::TensorBox&  box       = t;
  const i64              footprint = tma::copied_rows(box, c.where) * tma::copied_pitch_bytes(box, c.where);
  const int              unit = t.interleave == tma::Interleave::none ? t.element_size() : tma::slice_bytes(t.interleave);
  i64                    span = t.extent[t.inner()] * unit;
  for (int d = 0; d < t.inner(); ++d) span += (t.extent[d] - 1) * t.stride[d];
  c.bytes  = u32(tma::copied_bytes(box, c.where));
  c.offset = array_guard + 16 * u32(random.below(8));
  if (t.interleave == tma::Interleave::bytes_32) c.offset = c.offset / 32 * 32;
  const i64 size        = c.offset + (span + 15) / 16 * 16 + array_guard;
  const i64 free_places = (i64(region_bytes) - 2 * region_guard - footprint) / 128 + 1;
  if (footprint > footprint_bytes || size > array_bytes) return false;
  c.size  = u32(size);
  c.place = region_guard + 128 * u32(random.below(free_places));
  return true;
}

// A store may end inside a piece of 16 bytes.
inline void edge(Random& random, Case& c) {
  const int piece = elements_of_a_piece(c), inner = c.tensor.inner();
  if (is_load(c.kind) || random.below(2) == 0) return;
  c.tensor.extent[inner] = std::max<i64>(c.tensor.extent[inner] - random.below(piece), 1);
}

inline bool tiled(Random& random, Case& c) {
  tma::MapRequest& t     = c.tensor;
  const auto       type  = t.type;
  const bool       legal = differential::draws::tensor(random, c, true);
  if (is_reduction(c.kind) && (!legal || t.type != type)) {
    t.type = type;
    return false;
  }
  if (!legal) return false;
  edge(random, c);
  for (int d = 0; d < t.rank; ++d) c.where.at[d] = c.at[d];
  return places(random, c);
}

// A convolution: filter, padding, stride and dilation say what corners and element strides are.
inline bool im2col(Random& random, Case& c) {
  tma::MapRequest& t    = c.tensor;
  const auto       type = t.type;
  t                     = {};
  t.traversal           = Traversal::im2col;
  t.type                = is_reduction(c.kind) ? type : ElementType(random.below(13));
  t.rank                = int(3 + random.below(3));
  t.swizzle             = tma::Swizzle(random.below(4));
  t.promotion           = tma::Promotion(random.below(4));
  const bool nan        = random.below(2) == 0;
  t.fill                = nan && is_load(c.kind) && tma::is_floating(t.type) ? tma::Fill::nan : tma::Fill::zero;
  differential::draws::row(random, c);
  edge(random, c);
  const int            inner = t.inner(), piece = elements_of_a_piece(c);
  static constexpr int widest[] = {0, 0, 0, 30, 12, 7};
  const bool           on_grid  = random.below(4) != 0;
  for (int d = inner - 1; d >= 1; --d) {
    t.extent[d]      = 1 + random.below(widest[t.rank]);
    const i64 stride = random.below(4), far = 1 + random.below(8);
    t.element_stride[d] = int(stride < 2 ? 1 : stride == 2 ? 2 : far);
    const int filter = int(1 + random.below(4)), padding = int(random.below(4)), dilation = int(1 + random.below(3));
    t.lower[d]       = is_load(c.kind) ? -padding : padding;
    t.upper[d]       = is_load(c.kind) ? padding - (filter - 1) * dilation : -(filter - 1);
    const i64 pixels = t.extent[d] + t.upper[d] - t.lower[d];
    if (pixels < 1) return false;
    const i64 grid = random.below((pixels - 1) / t.element_stride[d] + 1), any = random.below(pixels);
    c.where.at[d] = int(t.lower[d] + (on_grid ? grid * t.element_stride[d] : any));
    const i64 tap = random.below(filter) * dilation, wild = random.below(16);
    c.where.offset[d - 1] = !is_load(c.kind) ? 0 : wild == 0 ? (t.rank == 3 ? 65535 : t.rank == 4 ? 255 : 31) : int(tap);
  }
  t.extent[0]       = 1 + random.below(4);
  const i64 n       = random.below(t.extent[0] + 2) - 1;
  c.where.at[0]     = int(is_load(c.kind) ? n : std::max<i64>(n, 0));
  const i64 channel = random.below(4), wide = random.below(t.extent[inner] + t.box[inner]) - t.box[inner];
  const i64 x       = channel < 2 ? 0 : is_load(c.kind) ? wide : std::max<i64>(wide, 0);
  c.where.at[inner] = int(x >= 0 ? x / piece * piece : -((-x + piece - 1) / piece * piece));
  const i64 few = 1 + random.below(20), many = 1 + random.below(300), long_one = random.below(4);
  const i64 most = i64(footprint_bytes) / tma::TensorBox(t).pitch_bytes();
  t.pixels       = int(std::min(long_one ? few : many, std::max<i64>(most, 1)));
  differential::draws::strides(random, c);
  return places(random, c);
}

// Rows anywhere, some of them twice where that leaves one result.
inline bool rows4(Random& random, Case& c) {
  tma::MapRequest& t = c.tensor;
  t                  = {};
  t.type             = ElementType(random.below(13));
  t.rank             = 2;
  t.swizzle          = tma::Swizzle(random.below(4));
  const bool nan     = random.below(2) == 0;
  t.fill             = nan && is_load(c.kind) && tma::is_floating(t.type) ? tma::Fill::nan : tma::Fill::zero;
  differential::draws::row(random, c);
  edge(random, c);
  t.extent[0] = 4 + random.below(20);
  differential::draws::strides(random, c);
  for (int i = 0; i < 4; ++i) {
    const i64 inside = random.below(t.extent[0]), outside = random.below(8), before = random.below(2);
    bool      again = false;
    for (int k = 0; k < i; ++k) again = again || c.where.at[k] == inside;
    c.where.at[i] = int(outside || (again && !is_load(c.kind)) ? inside
                        : before && is_load(c.kind)            ? -1 - outside
                                                               : t.extent[0] + 3 + i);
    if (again && !is_load(c.kind)) c.where.at[i] = int(t.extent[0]) + i;
  }
  const int piece = elements_of_a_piece(c);
  const i64 x     = random.below(t.extent[1]);
  c.where.at[4]   = int(x / piece * piece);
  return places(random, c);
}

// [n][slices][d][h][w] as far as the rank has them.
inline bool interleaved(Random& random, Case& c) {
  tma::MapRequest& t      = c.tensor;
  const auto       type   = t.type;
  const bool       pixels = c.kind == Kind::interleaved_im2col;
  t                       = {};
  t.type                  = is_reduction(c.kind) ? type : ElementType(random.below(13));
  t.traversal             = c.where.traversal;
  t.rank                  = int(3 + random.below(3));
  t.interleave            = random.below(2) ? tma::Interleave::bytes_16 : tma::Interleave::bytes_32;
  t.swizzle               = tma::Swizzle(t.interleave == tma::Interleave::bytes_16 ? random.below(4) : 1);
  t.promotion             = tma::Promotion(random.below(4));
  const bool nan          = random.below(2) == 0;
  t.fill                  = nan && is_load(c.kind) && tma::is_floating(t.type) ? tma::Fill::nan : tma::Fill::zero;
  const int inner = t.inner(), unit = tma::slice_bytes(t.interleave), piece = elements_of_a_piece(c);
  for (int d = 0; d <= inner; ++d) {
    const i64 wide = random.below(d == inner ? 40 : d == 1 ? 5 : t.rank == 5 ? 4 : 7);
    t.extent[d]    = 1 + wide;
    const i64 step = random.below(6), some = random.below(8);
    t.element_stride[d] = d == 1 || step < 4 ? 1 : int(1 + some);
    const i64 few = 1 + random.below(4), width = 1 + random.below(std::max(48 / piece, 2)),
              channels = 1 + random.below(3 * piece);
    t.box[d]           = int(d == inner ? width * piece : d == 1 ? channels : (few - 1) * t.element_stride[d] + 1);
    const i64 x        = random.below(t.extent[d] + 4) - 2;
    c.where.at[d]      = int(is_load(c.kind) ? x : std::max<i64>(x, 0));
  }
  if (pixels) {
    const i64 few = 1 + random.below(30), many = 1 + random.below(200), long_one = random.below(4);
    t.pixels = int(long_one ? few : many);
    for (int d = 2; d <= inner; ++d) {
      const int filter = int(1 + random.below(3)), padding = int(random.below(3));
      t.lower[d - 1] = -padding;
      t.upper[d - 1] = padding - (filter - 1);
      const i64 size = t.extent[d] + t.upper[d - 1] - t.lower[d - 1];
      if (size < 1) return false;
      c.where.at[d]         = int(t.lower[d - 1] + random.below(size));
      c.where.offset[d - 2] = int(random.below(filter));
    }
    for (int d = 0; d < inner; ++d) t.box[d] = 1;
    t.element_stride[1] = 1;
  }
  t.stride[inner] = t.element_size();
  i64 span        = t.extent[inner] * unit;
  for (int d = inner - 1; d >= 0; --d) {
    t.stride[d] = span + unit * std::max<i64>(random.below(4) - 2, 0);
    span        = t.stride[d] * t.extent[d];
  }
  return places(random, c);
}

inline void cluster(Random& random, Case& c) {
  c.blocks = random.below(2) ? 2 : 4;
  c.issuer = u32(random.below(c.blocks));
  c.target = u32(c.issuer + 1 + random.below(c.blocks - 1)) % c.blocks;
  c.mask   = u32(1 + random.below((1 << c.blocks) - 1));
}

}  // namespace draws

inline Case draw(Kind kind, u64 seed, u64 index) {
  Random random(word_of(seed, u64(kind)), index);
  Case   c;
  c.index           = index;
  c.kind            = kind;
  c.bulk            = is_bulk(kind);
  c.store           = !is_load(kind);
  c.where.traversal = traversal_of(kind);
  c.data            = random.word();
  c.pattern         = random.word();
  c.policy          = std::max(int(random.below(8)) - 3, 0);
  c.prefetch        = is_load(kind) && random.below(4) == 0;
  if (is_cluster(kind)) draws::cluster(random, c);
  if (is_reduction(kind)) draws::operation(random, c);
  const auto again = [&](auto tensor) {
    while (!tensor()) ++c.redraws;
  };
  switch (kind) {
    case Kind::load:
    case Kind::store:
    case Kind::reduce:
    case Kind::multicast: again([&] { return draws::tiled(random, c); }); break;
    case Kind::im2col_load:
    case Kind::im2col_store:
    case Kind::im2col_reduce: again([&] { return draws::im2col(random, c); }); break;
    case Kind::interleaved_load:
    case Kind::interleaved_store:
    case Kind::interleaved_reduce:
    case Kind::interleaved_im2col: again([&] { return draws::interleaved(random, c); }); break;
    case Kind::gather:
    case Kind::scatter: again([&] { return draws::rows4(random, c); }); break;
    default: {
      const auto type = c.tensor.type;
      differential::draws::bulk(random, c);
      c.tensor.type = type;
    }
  }
  c.style = draws::style_of(random, c);
  return c;
}

}  // namespace copies
