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

/// Bytes from the base to the first byte of the tensor, and past its last. False where they do not fit 64 bits.
inline bool tensor_bytes(const MapRequest& r, i64& low, i64& high) {
  low  = 0;
  high = r.unit_bytes();
  for (int d = 0; d < r.rank; ++d) {
    i64  step;
    i64& end = r.stride[d] < 0 ? low : high;
    if (__builtin_mul_overflow(r.units(d) - 1, r.stride[d], &step) || __builtin_add_overflow(end, step, &end)) return false;
  }
  return low > -(i64(1) << 57);
}

// Memory that is there, around an address: an allocation; or of a reserved range what is mapped without a gap.
class MappedRange {
public:
  explicit MappedRange(const Driver& driver) : driver_(driver) {}

  // The allocation, or the mapped chunk, that holds the address. A status of the driver.
  int begin(const void* pointer) {
    const int status = ask(pointer, first_, end_);
    low_ = first_, high_ = end_;
    return status;
  }

  // As far as these two, if memory goes so far.
  void reach(const char* low, const char* high) {
    if ((low >= first_ && high <= end_) || !is_reserved()) return;
    const char *first, *end;
    while (high > end_ && end_ < high_ && ask(end_, first, end) == 0 && end > end_) end_ = end;
    while (low < first_ && first_ > low_ && ask(first_ - 1, first, end) == 0 && first < first_) first_ = first;
  }

  const char* first() const { return first_; }
  const char* end() const { return end_; }
  // Of the reserved range, or of the one allocation: whether the place is inside, where nothing is mapped.
  bool is_hole(const char* place) const { return place >= low_ && place < high_; }

private:
  int ask(const void* pointer, const char*& first, const char*& end) const {
    void*       from  = nullptr;
    std::size_t bytes = 0;
    void* const entry = driver_.find(DriverCall::address_range);
    const int   status =
        ask_driver([&] { return reinterpret_cast<AddressRange>(entry)(&from, &bytes, const_cast<void*>(pointer)); });
    first = static_cast<const char*>(from);
    end   = first + bytes;
    return status;
  }

  // Only chunks of one reserved range belong together. What cudaMalloc gave ends where it ends, although the next allocation
  // may lie behind it; and so does what a pool gave.
  bool is_reserved() {
    u64 of_malloc = 0, pool = 0, start = 0, bytes = 0;
    if (!pointer_attribute(driver_, Attribute::legacy_ipc, first_, of_malloc) || of_malloc & 0xff) return false;
    if (pointer_attribute(driver_, Attribute::pool, first_, pool) && pool) return false;
    if (!pointer_attribute(driver_, Attribute::range_start, first_, start) ||
        !pointer_attribute(driver_, Attribute::range_bytes, first_, bytes))
      return false;
    low_  = reinterpret_cast<const char*>(start);
    high_ = low_ + bytes;
    return true;
  }

  const Driver& driver_;
  const char *  first_ = nullptr, *end_ = nullptr;
  const char *  low_ = nullptr, *high_ = nullptr;  // of the reserved range
};

// M12: the tensor lies inside the memory of its base.
inline void inside_allocation(const MapRequest& r, i64 low, i64 high, const MappedRange& range, Report& report) {
  const char* const base = static_cast<const char*>(r.base);
  if (base + low >= range.first() && base + high <= range.end()) return;
  const bool behind = base + high > range.end();
  const i64  place  = behind ? high : low;
  const i64  there  = behind ? range.end() - base : range.first() - base;
  const i64  more   = behind ? place - there : there - place;
  if (range.is_hole(behind ? range.end() : range.first() - 1))
    report.error(
        "M12",
        "extents x strides|the tensor %s at byte %+lld from its base|every byte of the tensor must be mapped; of the "
        "reserved range behind the base nothing is mapped %s byte %+lld|map memory there (cuMemMap, cuMemSetAccess), "
        "or look for an extent or a stride of another tensor or in another unit",
        behind ? "ends" : "begins", place, behind ? "from" : "before", there);
  else if (behind)
    report.error(
        "M12",
        "extents x strides|the tensor ends at byte %+lld from its base|the allocation behind the base holds the "
        "tensor; from there on it has %lld bytes. The engine goes by the extents alone, and reads or writes what "
        "lies behind|look for an extent or a stride of another tensor or in another unit, or allocate %lld bytes more",
        place, there, more);
  else
    report.error(
        "M12",
        "extents x strides|the tensor begins at byte %+lld from its base|the allocation behind the base must hold the "
        "tensor; it begins at byte %+lld|look for a stride of the wrong sign, or give the view a base %lld bytes later",
        place, there, more);
}

inline Error check_allocation(MapRequest& r, const Driver* given) {
  const rules::Rule book[] = {rules::base_not_null, rules::inside_address_space};
  Report            report = rules::check(r, book);
  if (!report.ok()) return tensor_error(r, "has no place in memory", report);
  for (int d = 0; d < r.rank; ++d)
    if (r.extent[d] < 1) return {};  // T5 speaks of these
  i64 low = 0, high = 0;
  if (!tensor_bytes(r, low, high)) {
    r.overflow = true;
    rules::inside_address_space(r, report);
    return tensor_error(r, "has no place in memory", report);
  }

  Driver system;
  if (!given)
    if (const Error no_machine = system_driver(system)) return no_machine;
  const Driver& driver = given ? *given : system;
  if (!driver.find || !driver.find(DriverCall::address_range)) return call_missing(DriverCall::address_range, driver);
  MappedRange range(driver);
  const int   status = range.begin(r.base);
  if (const Error before = failed_before(status)) return before;
  if (status != 0)
    return Error(ErrorKind::call_failed,
                 "tma: the driver (CUDA %d) knows no allocation at %p, where %s begins: status %d. Memory of malloc is not "
                 "its own, nor "
                 "is what has been freed\n",
                 driver.version, r.base, tensor_words(r).c_str(), status);
  const char* const base = static_cast<const char*>(r.base);
  range.reach(base + low, base + high);
  inside_allocation(r, low, high, range, report);
  if (!report.ok()) return tensor_error(r, "is larger than its memory", report);
  add_machine(r, driver);
  rules::base_reached(r, report);
  return report.ok() ? Error() : tensor_error(r, "is on another device", report);
}

#else
Error check_allocation(MapRequest& r, const Driver* given);
#endif  // TMA_HAS_HOST_TEXT

}  // namespace detail

/// Asks the driver which allocation holds the first element of `view`, whether all others lie in it as well (M12), and whether
/// the current device reaches it (M16).
///
///     if (const tma::Error error = tma::check_allocation(view)) throw error;
///
/// What a copy engine checks are the extents of a descriptor. Where these are wrong, nothing else is: a kernel reads other
/// tensors, or faults, far from the cause. `make_descriptor` does not ask, because a view may be made before its memory, and
/// the call costs more than making a descriptor. Interleaved layouts are not known here. Of memory from a pool the driver
/// sees what the pool has allocated: two tensors of one such piece are not told apart.
///
/// Chunks that are mapped side by side into one reserved range (cuMemAddressReserve, cuMemMap), as growing allocators do, are
/// one piece of memory; a chunk that is missing between the first byte and the last is a broken rule. The driver is asked once
/// for each chunk.
///
/// False where all is well. Errors: M12, M16; M2 and M6, without which the question has no sense; no machine; `call_failed`
/// where the driver knows no such allocation. `driver` stands in for the real one in tests.
template <class T, int Rank>
[[nodiscard]] Error check_allocation(const TensorView<T, Rank>& view, const Driver* driver = nullptr) {
  MapRequest r = detail::request_of(view, {});
  detail::count_elements<T>(r);
  return detail::check_allocation(r, driver);
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
