// What a tensor asks of the device that is current: that it reaches the memory.
#pragma once

#include "../../core/prologue.hpp"

#include "tensor.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace rules {

namespace detail_ {

inline void base_reached(const char* id, const MapRequest& r, Report& report) {
  if (r.owner < 0 || (r.readable && (r.writable || !r.stores))) return;
  char              access[160];
  const char* const how = r.peers ? "give device %d access: cudaDeviceEnablePeerAccess(%d, 0), for a pool "
                                    "cudaMemPoolSetAccess, for mapped memory cuMemSetAccess"
                                  : "copy the tensor: device %d cannot have access to device %d";
  TMA_DETAIL_STDIO(snprintf)(access, sizeof access, how, r.device, r.owner);
  report.error(
      id,
      "base|%p, on device %d|the current device must be able to %s the tensor; device %d has no such access to this "
      "memory|select device %d (cudaSetDevice) here and for the launch, or %s",
      r.base, r.owner, r.readable ? "write" : "read", r.device, r.owner, access);
}

}  // namespace detail_

/// M16: the current device reaches a tensor that another device has. The driver makes a map of any address; the copy faults.
inline void base_reached(const MapRequest& r, Report& report) { detail_::base_reached("M16", r, report); }

/// C8: the same of a tensor that threads load.
inline void threads_base_reached(const MapRequest& r, Report& report) { detail_::base_reached("C8", r, report); }

}  // namespace rules
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../../core/epilogue.hpp"
