// What a tensor must satisfy that threads load: C rules. What the engine asks of alignment they do not.
#pragma once

#include "../../core/prologue.hpp"

#include "device.hpp"
#include "tensor.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace rules {

/// C1: the base is not null.
inline void threads_base_not_null(const MapRequest& r, Report& report) {
  if (r.base) return;
  report.error("C1", "base|null|the tensor lies in memory that the device reads|"
                     "allocate the tensor before making its descriptor");
}

/// C2: the base can be read by the device.
inline void threads_base_on_device(const MapRequest& r, Report& report) {
  if (!r.base || r.base_kind != PointerKind::pageable_host || r.reads_pageable) return;
  report.error("C2",
               "base|%p|this is ordinary host memory, which the device does not read|"
               "pass the device pointer (cudaMalloc), or pinned memory (cudaHostAlloc)",
               r.base);
}

/// C3: the base is a multiple of the element's size.
inline void threads_base_aligned(const MapRequest& r, Report& report) {
  const int to = r.unit_bytes() ? r.unit_bytes() : 1, rest = remainder(r.base, to);
  if (rest == 0) return;
  report.error("C3",
               "base|%p|the tensor starts at a multiple of its element's size, %d bytes; the remainder is %d|"
               "copy the tensor to an aligned buffer, or view it as elements of fewer bytes",
               r.base, to, rest);
}

/// C4: every extent is 1 to 2^31: what coordinates reach, which are signed 32-bit numbers.
inline void threads_extents_in_range(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    const i64 e = r.extent[d];
    if (e >= 1 && e <= (i64(1) << 31)) continue;
    report.error("C4", "extent[%d]|%lld|%s|%s", d, e,
                 e == 0  ? "the tensor is empty: every extent is at least 1"
                 : e < 0 ? "an extent is a count: 1 to 2^31"
                         : "an extent is at most 2^31: coordinates are signed 32-bit numbers",
                 e == 0  ? "there is nothing to copy: do not launch, or give the kernel no descriptor"
                 : e < 0 ? "look for a subtraction or a cast that went below zero"
                         : "split the dimension in two: blocks, and elements of a block");
  }
}

/// C5: every stride is a multiple of the element's size. It may be 0, or negative.
inline void threads_strides_aligned(const MapRequest& r, Report& report) {
  const int to = r.unit_bytes() ? r.unit_bytes() : 1;
  for (int d = 0; d < r.inner(); ++d) {
    const i64 s = r.stride[d];
    if (s % to == 0) continue;
    report.error("C5",
                 "stride[%d]|%lld bytes|a stride is a multiple of the element's size, %d bytes; the remainder is %lld|"
                 "view the tensor as elements of fewer bytes, or copy it",
                 d, s, to, s % to);
  }
}

/// C6: the innermost stride is one element.
inline void threads_inner_dense(const MapRequest& r, Report& report) {
  const i64 s = r.stride[r.inner()];
  if (r.unit_bytes() == 0 || s == r.unit_bytes()) return;
  report.error(
      "C6",
      "stride[%d]|%lld bytes%s|the innermost dimension is contiguous (a stride of 1 element, %d bytes)|"
      "reorder the dimensions so that the contiguous one is last; where there is none, add an innermost dimension of "
      "extent 1, or copy the tensor",
      r.inner(), s, InElements(r, s).text, r.unit_bytes());
}

/// C7: the tensor lies inside the address space.
inline void threads_inside_address_space(const MapRequest& r, Report& report) {
  bool over  = r.overflow;
  i64  first = 0, last = 0;
  for (int d = 0; d < dimensions(r) && !over; ++d) {
    i64 step;
    if (r.extent[d] < 1) continue;  // C4 speaks of these
    i64& end = r.stride[d] < 0 ? first : last;
    over     = __builtin_mul_overflow(r.extent[d] - 1, r.stride[d], &step) || __builtin_add_overflow(end, step, &end);
  }
  if (!over && last < (i64(1) << 57) && first > -(i64(1) << 57)) return;
  report.error("C7",
               "extents x strides|more than 2^57 bytes|the tensor ends inside the address space; some product does not fit|"
               "look for an extent or stride that is in bytes where elements are meant, or negative and unsigned");
}

/// Every rule of a tensor that threads load.
inline constexpr Rule threads[] = {threads_base_not_null,        threads_base_on_device,  threads_base_aligned,
                                   threads_extents_in_range,     threads_strides_aligned, threads_inner_dense,
                                   threads_inside_address_space, threads_base_reached};

}  // namespace rules
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../../core/epilogue.hpp"
