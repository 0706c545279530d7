#pragma once

#include "../core/aligned_pointer.hpp"
#include "error.hpp"

namespace tma {

/// What keeps `pointer` from being used by bulk copies of static size: null (M2), or not a multiple of 16 (M10).
inline Report check_aligned(const void* pointer) {
  Report            report;
  const std::size_t rest = reinterpret_cast<std::size_t>(pointer) % 16;
  if (!pointer) {
    auto& v = report.add("M2", Severity::error);
    detail::print_to(v.field, "pointer");
    detail::print_to(v.value, "null");
    detail::print_to(v.rule, "the copy reads or writes device memory");
    detail::print_to(v.fix, "allocate before asking for the pointer");
  } else if (rest != 0) {
    auto& v = report.add("M10", Severity::error);
    detail::print_to(v.field, "pointer");
    detail::print_to(v.value, "%p", pointer);
    detail::print_to(v.rule, "a bulk copy starts at a multiple of 16 bytes; the remainder is %d, and the hardware stops the "
                             "kernel with a misaligned address",
                     int(rest));
    detail::print_to(v.fix, "copy with a tma::BulkCopy1D of run-time length, which takes any pointer, or start %d bytes later",
                     int(16 - rest));
  }
  return report;
}

/// What keeps a number of bytes from being moved by one bulk copy: it is not a multiple of 16 (M11).
inline Report check_bulk_length(detail::i64 bytes) {
  Report report;
  if (bytes >= 0 && bytes % 16 == 0) return report;
  auto& v = report.add("M11", Severity::error);
  detail::print_to(v.field, "length");
  detail::print_to(v.value, "%lld bytes", bytes);
  detail::print_to(v.rule, "a bulk copy moves a multiple of 16 bytes; the hardware drops the last %lld silently, and a barrier "
                           "that expects them hangs",
                   bytes < 0 ? -bytes : bytes % 16);
  detail::print_to(v.fix, "copy with a tma::BulkCopy1D of run-time length, which moves the rest by threads");
  return report;
}

/// `pointer` with the promise that bulk copies of static size need. Throws `tma::Error` where it does not hold.
template <class T> AlignedPointer<T> aligned(T* pointer) {
  const Report report = check_aligned(pointer);
  if (!report.ok()) throw Error("this pointer cannot be used by bulk copies of static size", report);
  return assume_aligned(pointer);
}

}  // namespace tma
