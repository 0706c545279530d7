// A descriptor of the same tensor elsewhere. Not in tma.hpp: include it where tensors move.
#pragma once

#include "../core/prologue.hpp"

#include "make_descriptor.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// `cuTensorMapReplaceAddress` by its plain types: map and base.
using ReplaceAddress = int (*)(void*, void*);

namespace detail {

#if TMA_HAS_HOST_TEXT
inline Error replace_address(TensorMap& map, MapRequest request, const Driver* given) {
  Driver        system;
  const Error   no_machine = given ? Error() : system_driver(system);
  const Driver& driver     = given ? *given : system;
  if (!no_machine) add_machine(request, driver);
  const rules::Rule book[] = {rules::base_aligned, rules::base_not_null, rules::base_on_device, rules::base_reached};
  const Report      report = rules::check(request, book);
  if (!report.ok()) return Error("a descriptor cannot move to this address", report);
  if (no_machine) return no_machine;
  if (const Error before = failed_while_asking(request)) return before;
  void* const entry = driver.find ? driver.find(DriverCall::replace_address) : nullptr;
  if (!entry) return call_missing(DriverCall::replace_address, driver);
  AlignedMap moved;
  std::memcpy(&moved.get(), &map, sizeof map);
  const int status =
      ask_driver([&] { return reinterpret_cast<ReplaceAddress>(entry)(&moved.get(), const_cast<void*>(request.base)); });
  if (status == 0) {
    std::memcpy(&map, &moved.get(), sizeof map);
    return {};
  }
  if (const Error before = failed_before(status)) return before;
  if (!is_about_arguments(status)) return driver_failed("give a tensor map another address", status, driver);
  return Error(ErrorKind::encode_refused,
               "tma: the driver (CUDA %d) refused to give a tensor map the address %p: status %d. Only the maps that it has "
               "made have one, and with a 32-byte interleave it is a multiple of 32\n",
               driver.version, request.base, status);
}
#else
Error replace_address(TensorMap& map, MapRequest request, const Driver* given);
#endif

}  // namespace detail

/// `descriptor`, of any kind of box, with its tensor at `pointer`: same extents, strides, box and options.
///
/// Looked at are the rules of a base: T4, M2, M3, M16. Not looked at again, because 128 bytes do not tell: whether the extents fit
/// what is allocated there; and the mending of a small tensor's map (see make_descriptor), which stays as it was made: it goes
/// by the size of the tensor, which has not changed. Costs less than making a descriptor. Kernels that run keep the map they
/// were launched with.
///
/// Errors: broken rules; no machine; `driver_too_old` before CUDA 12.0; `encode_refused` for what is no map of the driver.
template <class T, int Rank, class Box>
[[nodiscard]] Result<TmaDescriptor<T, Rank, Box>> try_with_address(const TmaDescriptor<T, Rank, Box>& descriptor,
                                                                   detail::type_identity_t<T>*        pointer,
                                                                   const Driver*                      driver = nullptr) {
  MapRequest r;
  r.type                            = element_type<T>;
  r.stores                          = !detail::is_const_v<T>;
  r.base                            = pointer;
  TmaDescriptor<T, Rank, Box> moved = descriptor;
  if (const Error error = detail::replace_address(detail::DescriptorAccess::map(moved), r, driver)) return error;
  return moved;
}

/// The same, throwing `tma::Error`.
///
///     in = tma::with_address(in, next_buffer);
template <class T, int Rank, class Box>
[[nodiscard]] TmaDescriptor<T, Rank, Box> with_address(const TmaDescriptor<T, Rank, Box>& descriptor,
                                                       detail::type_identity_t<T>*        pointer) {
  return try_with_address(descriptor, pointer).value();
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
