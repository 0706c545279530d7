#pragma once

#include "../core/prologue.hpp"

#include "../core/aligned_pointer.hpp"
#include "error.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

#if TMA_HAS_HOST_TEXT

/// What keeps `pointer` from being used by bulk copies of static size: null (M2), or not a multiple of 16 (M10).
[[nodiscard]] inline Report check_aligned(const void* pointer) {
  Report    report;
  const int rest = int(reinterpret_cast<std::size_t>(pointer) % 16);
  if (!pointer)
    report.error("M2", "pointer|null|the copy reads or writes device memory|allocate before asking for the pointer");
  else if (rest != 0)
    report.error(
        "M10",
        "pointer|%p|a bulk copy starts at a multiple of 16 bytes; the remainder is %d, and the hardware stops the kernel "
        "with a misaligned address|"
        "copy with a tma::BulkCopy1D of run-time length, which takes any pointer, or start %d bytes later",
        pointer, rest, 16 - rest);
  return report;
}

/// What keeps a number of bytes from being moved by one bulk copy: it is not a multiple of 16 (M11).
[[nodiscard]] inline Report check_bulk_length(detail::i64 bytes) {
  Report report;
  if (bytes < 0)
    report.error("M11", "length|%lld bytes|a length is not negative|look for a subtraction or a cast that went below zero",
                 bytes);
  else if (bytes % 16 != 0)
    report.error(
        "M11",
        "length|%lld bytes|a bulk copy moves a multiple of 16 bytes; the hardware drops the rest silently, and a barrier "
        "that expects it hangs|"
        "copy with a tma::BulkCopy1D of run-time length, which moves the rest by threads",
        bytes);
  return report;
}

namespace detail {

inline void require_aligned(const void* pointer) {
  const Report report = check_aligned(pointer);
  if (!report.ok()) raise(Error("this pointer cannot be used by bulk copies of static size", report));
}

}  // namespace detail

#else

[[nodiscard]] Report check_aligned(const void* pointer);
[[nodiscard]] Report check_bulk_length(detail::i64 bytes);

namespace detail {

void require_aligned(const void* pointer);

}  // namespace detail

#endif  // TMA_HAS_HOST_TEXT

/// `pointer` with the promise that bulk copies of static size need. Throws `tma::Error` where it does not hold.
template <class T> AlignedPointer<T> aligned(T* pointer) {
  detail::require_aligned(pointer);
  return assume_aligned(pointer);
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
