// Whether a tensor lies inside the memory that was allocated for it. Not in tma.hpp: include it where that is asked.
#pragma once

#include "../core/prologue.hpp"

#include "make_descriptor.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// `cuMemGetAddressRange` by its plain types: base and size of the allocation that holds an address.
using AddressRange = int (*)(void**, std::size_t*, void*);

namespace detail {

#if TMA_HAS_HOST_TEXT

/// M12: the tensor lies inside the allocation of its base.
inline void inside_allocation(const MapRequest& r, const void* first, std::size_t bytes, Report& report) {
  const i64 end = span_bytes(r);
  // The driver gave the allocation that holds the base.
  const i64 there = i64(bytes) - (static_cast<const char*>(r.base) - static_cast<const char*>(first));
  if (end <= there) return;
  report.error(
      "M12",
      "extents x strides|the tensor ends at byte +%lld from its base|the allocation behind the base holds the "
      "tensor; from there on it has %lld bytes. The engine goes by the extents alone, and reads or writes what "
      "lies behind|look for an extent or a stride of another tensor or in another unit, or allocate %lld bytes more",
      end, there, end - there);
}

inline Error check_allocation(const MapRequest& r, const Driver* given) {
  const rules::Rule book[] = {rules::base_not_null, rules::inside_address_space};
  Report            report = rules::check(r, book);
  if (!report.ok()) return Error("this tensor has no place in memory", report);
  for (int d = 0; d < r.rank; ++d)
    if (r.extent[d] < 1 || r.stride[d] < 0) return {};  // T5 and T7 speak of these

  Driver system;
  if (!given)
    if (const Error no_machine = system_driver(system)) return no_machine;
  const Driver& driver = given ? *given : system;
  void* const   entry  = driver.find ? driver.find(DriverCall::address_range) : nullptr;
  if (!entry) return call_missing(DriverCall::address_range, driver);
  void*       first = nullptr;
  std::size_t bytes = 0;
  const int   status =
      ask_driver([&] { return reinterpret_cast<AddressRange>(entry)(&first, &bytes, const_cast<void*>(r.base)); });
  if (const Error before = failed_before(status)) return before;
  if (status != 0)
    return Error(
        ErrorKind::call_failed,
        "tma: the driver (CUDA %d) knows no allocation at %p: status %d. Memory of malloc is not its own, nor is what "
        "has been freed\n",
        driver.version, r.base, status);
  inside_allocation(r, first, bytes, report);
  return report.ok() ? Error() : Error("this tensor is larger than its memory", report);
}

#else
Error check_allocation(const MapRequest& r, const Driver* given);
#endif  // TMA_HAS_HOST_TEXT

}  // namespace detail

/// Asks the driver which allocation holds the first element of `view`, and whether the last one lies in it as well (M12).
///
///     if (const tma::Error error = tma::check_allocation(view)) throw error;
///
/// What a copy engine checks are the extents of a descriptor. Where these are wrong, nothing else is: a kernel reads other
/// tensors, or faults, far from the cause. `make_descriptor` does not ask, because a view may be made before its memory, and
/// the call costs more than making a descriptor. Interleaved layouts are not known here. Of memory from a pool the driver
/// sees what the pool has allocated: two tensors of one such piece are not told apart.
///
/// False where all is well. Errors: M12; M2 and M6, without which the question has no sense; no machine; `call_failed` where
/// the driver knows no such allocation. `driver` stands in for the real one in tests.
template <class T, int Rank>
[[nodiscard]] Error check_allocation(const TensorView<T, Rank>& view, const Driver* driver = nullptr) {
  MapRequest r = detail::request_of(view, {});
  detail::count_elements<T>(r);
  return detail::check_allocation(r, driver);
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
