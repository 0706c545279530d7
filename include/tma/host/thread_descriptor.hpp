// Descriptors of tensors that threads load, and the question whether that is needed. Not in tma.hpp: include it where a program
// has a fallback.
#pragma once

#include "../core/prologue.hpp"

#include "../core/thread_descriptor.hpp"
#include "make_descriptor.hpp"
#if TMA_HAS_HOST_TEXT
#  include "rules/threads.hpp"
#endif

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace detail {

#if TMA_HAS_HOST_TEXT

// M15: there is an engine. What the system says of it becomes one more reason.
inline void no_engine(ErrorKind found, Report& report) {
  if (found == ErrorKind::context_failed) {
    report.error("M15",
                 "device|%s|no kernel of this process must have failed before: every call fails until it restarts|"
                 "find that kernel: tma::system_driver says what it left; threads load nothing either",
                 error_kind_name(found));
    return;
  }
  report.error("M15",
               "device|%s|the copy engine came with compute capability 9.0 (Hopper) and driver 12.0|"
               "load by threads: tma::ThreadLoads; tma::system_driver says what is missing",
               error_kind_name(found));
}

inline Report can_load(MapRequest& r, const Driver* given, const MapKind& kind) {
  Driver        system;
  const Error   no_machine = given ? Error() : system_driver(system);
  const Driver& driver     = given ? *given : system;
  if (!no_machine) add_machine(r, driver);
  Report report = kind.check(r);
  if (no_machine) no_engine(no_machine.kind(), report);
  else if (driver.compute_capability > 0 && driver.compute_capability < 90) no_engine(ErrorKind::device_lacks_tma, report);
  return report;
}

inline Report check_threads(MapRequest& r, const Driver* given) {
  if (given) {
    if (r.base && given->pointer_kind) r.base_kind = given->pointer_kind(r.base);
    r.reads_pageable = given->reads_pageable;
    add_owner(r, *given);
  } else if (r.base) {
    r.base_kind = pointer_kind(r.base);
    Driver here{.find = find_call_quietly};  // any device will do: an older one has no engine, and no system_driver
    int    pageable = 0;
    if (r.base_kind != PointerKind::unknown && cudaGetDevice(&here.device) == cudaSuccess) {
      if (r.base_kind == PointerKind::pageable_host)
        cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, here.device);
      if (cudaGetDeviceCount(&here.devices) == cudaSuccess) add_owner(r, here);
    }
    r.reads_pageable = pageable != 0;
  }
  return rules::check(r, rules::threads);
}

#else
Report can_load(MapRequest& r, const Driver* given, const MapKind& kind);
Report check_threads(MapRequest& r, const Driver* given);
Error  tensor_error(const MapRequest& r, const char* what, const Report& report);
#endif  // TMA_HAS_HOST_TEXT

template <class Loads> inline constexpr bool by_engine              = false;
template <> inline constexpr bool            by_engine<EngineLoads> = true;

}  // namespace detail

/// Whether the copy engine can load `view` in tiles of `TileT`: true exactly where `make_descriptor<TileT>(view)` makes a
/// descriptor, on this device; false with every reason, for `report.text()`. A view of elements that are not const is asked
/// for stores as well.
///
///     if (tma::can_load<Tile>(view)) launch<tma::EngineLoads>(view);
///     else launch<tma::ThreadLoads>(view);
///
/// It knows nothing of coordinates: a kernel that loads at innermost coordinates that are no multiple of 16 bytes needs threads
/// whatever this says (`tma::check_coord`). `driver` stands in for the real one in tests.
template <class TileT, class T, int Rank>
[[nodiscard]] Report can_load(const TensorView<T, Rank>& view, const Options& options = {}, const Driver* driver = nullptr) {
  MapRequest r = detail::tile_request<TileT>(view, options);
  return detail::can_load(r, driver, detail::map_of_tiles<T, TileT>);
}

/// The descriptor of `view` through which threads load tiles of `TileT`, or the error: broken rules (C), all of them. Asks for
/// no device, but looks where the pointer points if there is one. `driver` stands in for it in tests.
template <class TileT, class T, int Rank>
[[nodiscard]] Result<ThreadDescriptor<T, Rank, TileT>> try_make_thread_descriptor(const TensorView<T, Rank>& view,
                                                                                  const Driver* driver = nullptr) {
  MapRequest   r      = detail::request_of(view, {});
  const Report report = detail::check_threads(r, driver);
  if (!report.ok()) return detail::tensor_error(r, "cannot be loaded by threads", report);
  if (const Error before = detail::failed_while_asking(r)) return before;
  ThreadDescriptor<T, Rank, TileT> descriptor;
  detail::ThreadDescriptorAccess::set(descriptor, r.base, r.extent, r.stride);
  return descriptor;
}

/// The same, throwing `tma::Error`. Costs some comparisons; valid as long as the tensor stays where it is.
template <class TileT, class T, int Rank>
ThreadDescriptor<T, Rank, TileT> make_thread_descriptor(const TensorView<T, Rank>& view) {
  return try_make_thread_descriptor<TileT>(view).value();
}

/// What a kernel template over who loads takes: `make_descriptor<TileT>(view)` for EngineLoads, `make_thread_descriptor` for
/// ThreadLoads.
///
///     tma::launch(kernel<Loads>, {...}, tma::make_descriptor_for<Loads, Tile>(view), ...);
template <class Loads, class TileT, class T, int Rank>
[[nodiscard]] Result<descriptor_for<Loads, T, Rank, TileT>> try_make_descriptor_for(const TensorView<T, Rank>& view) {
  if constexpr (detail::by_engine<Loads>) return try_make_descriptor<TileT>(view);
  else return try_make_thread_descriptor<TileT>(view);
}
template <class Loads, class TileT, class T, int Rank>
descriptor_for<Loads, T, Rank, TileT> make_descriptor_for(const TensorView<T, Rank>& view) {
  if constexpr (detail::by_engine<Loads>) return make_descriptor<TileT>(view);
  else return make_thread_descriptor<TileT>(view);
}

template <class Loads, class TileT, class T, int Rank>
  requires(!detail::is_loads_v<Loads>)
void make_descriptor_for(const TensorView<T, Rank>&) {
  static_assert(detail::is_loads_v<Loads>,
                "tma::make_descriptor_for: the first argument says who loads, tma::EngineLoads or "
                "tma::ThreadLoads; the second is the tile");
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
