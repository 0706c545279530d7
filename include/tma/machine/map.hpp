// The machine's tensor map, and what makes it in the driver's place.
#pragma once

#include "../core/prologue.hpp"

#include <cstring>
#include <type_traits>

#include "../core/tensor_box.hpp"
#include "../host/map_request.hpp"
#include "../host/rules.hpp"
#include "../host/rules/im2col.hpp"

namespace tma::machine {
namespace detail {

using tma::detail::i64, tma::detail::u16, tma::detail::u64;
using i16 = short;

// What lies in the 128 bytes. Numbers that the rules have let pass fit.
struct EncodedMap {
  u64           seal;
  u64           base;
  i64           extent[5];
  i64           stride[4];
  u16           box[5], pixels;
  i16           lower[3], upper[3];  // of dimensions 1 to 3
  unsigned char element_stride[5];
  unsigned char rank, type, interleave, swizzle, fill, traversal;
};

static_assert(sizeof(EncodedMap) <= 128 && std::is_trivially_copyable_v<EncodedMap>);

// What the first word of a map is, from the other fifteen: memory that was never made a map, that a real driver wrote, or
// of which a byte has changed, does not begin with it.
inline u64 seal_of(const void* map) {
  u64 words[16], seal = 0x70616d20616d7421;
  std::memcpy(words, map, sizeof words);
  for (int i = 1; i < 16; ++i) seal = (seal ^ words[i]) * 0x100000001b3;
  return seal;
}

// What the driver refuses: T, I and W rules. It does not look at where a map is written (T1), at a block's shared memory
// (T20), at what a map is for (I10), at what the device can walk (W1), nor at the number of pixels where there is but one (W4).
inline bool is_refused(const Violation& v) {
  if (v.severity != Severity::error || (v.id[0] != 'T' && v.id[0] != 'I' && v.id[0] != 'W')) return false;
  constexpr const char* others[] = {"T1", "T20", "I10", "W1", "W4"};
  for (const char* id : others)
    if (std::strcmp(v.id, id) == 0) return false;
  return true;
}

}  // namespace detail

/// Writes `box` and `base` as 128 bytes to `map`. The numbers are ones that `rt::encode_tiled`, or
/// `rt::encode_im2col`, takes.
inline void encode(void* map, const TensorBox& box, const void* base) {
  detail::EncodedMap m{};
  m.base = reinterpret_cast<detail::u64>(base);
  for (int d = 0; d < box.rank; ++d) {
    m.extent[d]         = box.extent[d];
    m.box[d]            = static_cast<detail::u16>(box.box[d]);
    m.element_stride[d] = static_cast<unsigned char>(box.element_stride[d]);
    if (d < box.inner()) m.stride[d] = box.stride[d];
    if (d < 1 || d > 3) continue;
    m.lower[d - 1] = static_cast<detail::i16>(box.lower[d]);
    m.upper[d - 1] = static_cast<detail::i16>(box.upper[d]);
  }
  m.pixels     = static_cast<detail::u16>(box.pixels);
  m.traversal  = static_cast<unsigned char>(box.traversal);
  m.rank       = static_cast<unsigned char>(box.rank);
  m.type       = static_cast<unsigned char>(box.type);
  m.interleave = static_cast<unsigned char>(box.interleave);
  m.swizzle    = static_cast<unsigned char>(box.swizzle);
  m.fill       = static_cast<unsigned char>(box.fill);
  std::memset(map, 0, 128);
  std::memcpy(map, &m, sizeof m);
  m.seal = detail::seal_of(map);
  std::memcpy(map, &m.seal, sizeof m.seal);
}

/// Reads the 128 bytes at `map`, at any alignment. False, and nothing written, where they are no map of the machine: never
/// made, overwritten in part, or made by a real driver.
///
/// Every map is read; copies are modelled only through those whose box `is_dense`.
[[nodiscard]] inline bool decode(const void* map, TensorBox& box, void*& base) {
  detail::EncodedMap m;
  std::memcpy(&m, map, sizeof m);
  if (m.seal != detail::seal_of(map) || m.rank > 5) return false;
  box      = {};
  box.rank = m.rank;
  for (int d = 0; d < box.rank; ++d) {
    box.extent[d]         = m.extent[d];
    box.box[d]            = m.box[d];
    box.element_stride[d] = m.element_stride[d];
    if (d < box.inner()) box.stride[d] = m.stride[d];
    if (d < 1 || d > 3) continue;
    box.lower[d] = m.lower[d - 1];
    box.upper[d] = m.upper[d - 1];
  }
  box.pixels               = m.pixels;
  box.traversal            = Traversal(m.traversal);
  box.type                 = ElementType(m.type);
  box.interleave           = Interleave(m.interleave);
  box.swizzle              = Swizzle(m.swizzle);
  box.fill                 = Fill(m.fill);
  box.stride[box.rank - 1] = element_bytes(box.type);
  base                     = reinterpret_cast<void*>(m.base);
  return true;
}

/// What a call of one of the driver's encode functions asks for: fastest dimension first, as it is given. Any rank; of more
/// than 5 dimensions the first 5 are looked at.
struct EncodeCall {
  int                       type    = 0;
  unsigned                  rank    = 1;
  void*                     base    = nullptr;
  const unsigned long long *extents = nullptr, *strides = nullptr;
  const unsigned *          box = nullptr, *element_strides = nullptr;
  int                       interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  // Of the im2col functions. They have no box.
  Traversal  traversal = Traversal::tiled;
  const int *lower = nullptr, *upper = nullptr;
  unsigned   channels = 0, pixels = 1;

  /// False where an array that the driver reads is missing.
  bool is_complete() const {
    const bool shape = traversal == Traversal::tiled ? box != nullptr : lower && upper;
    return extents && (rank < 2 || strides) && shape && element_strides;
  }
};

/// The same as the rules see it, of a device of compute capability 10.
inline MapRequest request_of(const EncodeCall& c, const void* map) {
  MapRequest r;
  r.type               = ElementType(c.type);
  r.rank               = int(c.rank);
  r.base               = c.base;
  r.interleave         = Interleave(c.interleave);
  r.swizzle            = Swizzle(c.swizzle);
  r.promotion          = Promotion(c.promotion);
  r.fill               = Fill(c.fill);
  r.stores             = r.type == ElementType::u6_align16;  // a map does not say; this type has a swizzle for stores alone
  r.destination        = map;
  r.compute_capability = 100;
  r.shared_limit       = 0x7fffffff;  // the driver has a limit of its own: T24
  r.traversal          = c.traversal;
  r.pixels             = int(c.pixels);
  for (int d = 0; d <= r.inner(); ++d) {
    const int i         = r.inner() - d;
    r.extent[d]         = detail::i64(c.extents[i]);
    r.stride[d]         = i == 0 ? r.unit_bytes() : detail::i64(c.strides[i - 1]);
    r.box[d]            = c.box ? int(c.box[i]) : i == 0 ? int(c.channels) : 1;
    r.element_stride[d] = int(c.element_strides[i]);
    const bool wide     = c.traversal > Traversal::im2col;
    if (c.lower && d > 0 && i > 0 && (i == 1 || !wide)) r.lower[d] = c.lower[i - 1], r.upper[d] = c.upper[i - 1];
  }
  return r;
}

/// Writes the machine's map and returns 0; or writes nothing and returns 1 (CUDA_ERROR_INVALID_VALUE) for what the driver
/// refuses.
inline int encode(void* map, const EncodeCall& c) {
  constexpr int refused = 1;
  if (!map || c.rank < 1 || c.rank > 5 || !c.is_complete()) return refused;
  MapRequest r = request_of(c, map);
  for (const Violation& v : c.traversal == Traversal::tiled ? check(r) : check_im2col(r))
    if (detail::is_refused(v)) return refused;
  if (c.traversal == Traversal::im2col_w128) r.pixels = 128;
  encode(map, r, c.base);
  return 0;
}

namespace rt {

/// cuTensorMapEncodeTiled by its plain types, fastest dimension first.
inline int encode_tiled(void* map, int type, unsigned rank, void* base, const unsigned long long* extents,
                        const unsigned long long* strides, const unsigned* box, const unsigned* element_strides,
                        int interleave, int swizzle, int promotion, int fill) {
  return encode(map, {.type            = type,
                      .rank            = rank,
                      .base            = base,
                      .extents         = extents,
                      .strides         = strides,
                      .box             = box,
                      .element_strides = element_strides,
                      .interleave      = interleave,
                      .swizzle         = swizzle,
                      .promotion       = promotion,
                      .fill            = fill});
}

/// cuTensorMapEncodeIm2col.
inline int encode_im2col(void* map, int type, unsigned rank, void* base, const unsigned long long* extents,
                         const unsigned long long* strides, const int* lower, const int* upper, unsigned channels,
                         unsigned pixels, const unsigned* element_strides, int interleave, int swizzle, int promotion,
                         int fill) {
  return encode(map, {.type            = type,
                      .rank            = rank,
                      .base            = base,
                      .extents         = extents,
                      .strides         = strides,
                      .element_strides = element_strides,
                      .interleave      = interleave,
                      .swizzle         = swizzle,
                      .promotion       = promotion,
                      .fill            = fill,
                      .traversal       = Traversal::im2col,
                      .lower           = lower,
                      .upper           = upper,
                      .channels        = channels,
                      .pixels          = pixels});
}

/// cuTensorMapEncodeIm2colWide.
inline int encode_im2col_wide(void* map, int type, unsigned rank, void* base, const unsigned long long* extents,
                              const unsigned long long* strides, int lower, int upper, unsigned channels, unsigned pixels,
                              const unsigned* element_strides, int interleave, int mode, int swizzle, int promotion,
                              int fill) {
  if (mode != 0 && mode != 1) return 1;
  return encode(map, {.type            = type,
                      .rank            = rank,
                      .base            = base,
                      .extents         = extents,
                      .strides         = strides,
                      .element_strides = element_strides,
                      .interleave      = interleave,
                      .swizzle         = swizzle,
                      .promotion       = promotion,
                      .fill            = fill,
                      .traversal       = mode == 0 ? Traversal::im2col_w : Traversal::im2col_w128,
                      .lower           = &lower,
                      .upper           = &upper,
                      .channels        = channels,
                      .pixels          = pixels});
}

/// cuTensorMapReplaceAddress: the same map of a tensor elsewhere. The alignment is what it was.
inline int replace_address(void* map, void* base) {
  TensorBox box;
  void*     old;
  if (!map || !decode(map, box, old)) return 1;
  const bool pieces =
      box.interleave == Interleave::bytes_32 || box.type == ElementType::u4_align16 || box.type == ElementType::u6_align16;
  if (reinterpret_cast<detail::u64>(base) % (pieces ? 32 : 16) != 0) return 1;
  encode(map, box, base);
  return 0;
}

/// One of the calls above, by the driver's name for it; null for any other.
inline void* driver_call(const char* name) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  return is("cuTensorMapEncodeTiled")        ? reinterpret_cast<void*>(&encode_tiled)
         : is("cuTensorMapEncodeIm2col")     ? reinterpret_cast<void*>(&encode_im2col)
         : is("cuTensorMapEncodeIm2colWide") ? reinterpret_cast<void*>(&encode_im2col_wide)
         : is("cuTensorMapReplaceAddress")   ? reinterpret_cast<void*>(&replace_address)
                                             : nullptr;
}

}  // namespace rt
}  // namespace tma::machine

#include "../core/epilogue.hpp"
