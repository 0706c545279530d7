// The machine's tensor map, and what makes it in the driver's place.
#pragma once

#include <cstring>
#include <type_traits>

#include "../core/tensor_box.hpp"
#include "../host/map_request.hpp"
#include "../host/rules.hpp"

namespace tma::machine {
namespace detail {

using tma::detail::i64, tma::detail::u16, tma::detail::u64;

// What lies in the 128 bytes. Numbers that the rules have let pass fit.
struct EncodedMap {
  u64           seal;
  u64           base;
  i64           extent[5];
  i64           stride[4];
  u16           box[5];
  unsigned char element_stride[5];
  unsigned char rank, type, interleave, swizzle, fill;
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

// What the driver refuses: T rules, but it does not look at shared memory (T20).
inline bool is_refused(const Violation& v) {
  return v.severity == Severity::error && v.id[0] == 'T' && std::strcmp(v.id, "T20") != 0;
}

}  // namespace detail

/// Writes `box` and `base` as 128 bytes to `map`. The numbers are ones that `rt::encode_tiled` takes.
inline void encode(void* map, const TensorBox& box, const void* base) {
  detail::EncodedMap m{};
  m.base = reinterpret_cast<detail::u64>(base);
  for (int d = 0; d < box.rank; ++d) {
    m.extent[d]         = box.extent[d];
    m.box[d]            = static_cast<detail::u16>(box.box[d]);
    m.element_stride[d] = static_cast<unsigned char>(box.element_stride[d]);
    if (d < box.inner()) m.stride[d] = box.stride[d];
  }
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
  if (m.seal != detail::seal_of(map)) return false;
  box      = {};
  box.rank = m.rank;
  for (int d = 0; d < box.rank; ++d) {
    box.extent[d]         = m.extent[d];
    box.box[d]            = m.box[d];
    box.element_stride[d] = m.element_stride[d];
    if (d < box.inner()) box.stride[d] = m.stride[d];
  }
  box.type                 = ElementType(m.type);
  box.interleave           = Interleave(m.interleave);
  box.swizzle              = Swizzle(m.swizzle);
  box.fill                 = Fill(m.fill);
  box.stride[box.rank - 1] = element_bytes(box.type);
  base                     = reinterpret_cast<void*>(m.base);
  return true;
}

namespace rt {

/// cuTensorMapEncodeTiled by its plain types, fastest dimension first: writes the machine's map and returns 0, or writes
/// nothing and returns 1 (CUDA_ERROR_INVALID_VALUE) for what the driver refuses.
inline int encode_tiled(void* map, int type, unsigned rank, void* base, const unsigned long long* extents,
                        const unsigned long long* strides, const unsigned* box, const unsigned* element_strides,
                        int interleave, int swizzle, int promotion, int fill) {
  constexpr int refused = 1;
  if (!map || rank < 1 || rank > 5 || !extents || (rank > 1 && !strides) || !box || !element_strides) return refused;
  MapRequest r;
  r.type               = ElementType(type);
  r.rank               = int(rank);
  r.base               = base;
  r.interleave         = Interleave(interleave);
  r.swizzle            = Swizzle(swizzle);
  r.promotion          = Promotion(promotion);
  r.fill               = Fill(fill);
  r.stores             = r.type == ElementType::u6_align16;  // a map does not say; this type has a swizzle for stores alone
  r.destination        = map;
  r.compute_capability = 90;
  for (int d = 0; d <= r.inner(); ++d) {
    const int i         = r.inner() - d;
    r.extent[d]         = detail::i64(extents[i]);
    r.stride[d]         = i == 0 ? r.element_size() : detail::i64(strides[i - 1]);
    r.box[d]            = int(box[i]);
    r.element_stride[d] = int(element_strides[i]);
  }
  const TensorBox b = r;
  // T12 refuses an innermost element stride that would be ignored. The driver ignores it.
  int& innermost = r.element_stride[r.inner()];
  if (r.interleave == Interleave::none && innermost >= 1 && innermost <= 8) innermost = 1;
  for (const Violation& v : check(r))
    if (detail::is_refused(v)) return refused;
  encode(map, b, base);
  return 0;
}

}  // namespace rt
}  // namespace tma::machine
