#pragma once

#include "../core/prologue.hpp"

#include "driver.hpp"
#include "map_request.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// `cuPointerGetAttribute` by its plain types: the value, which attribute, the address.
using PointerAttribute = int (*)(void*, int, void*);
/// `cuDeviceCanAccessPeer`: the answer, the device that reads, the one that has the memory.
using CanAccessPeer = int (*)(int*, int, int);

namespace detail {

// The numbers of CUpointer_attribute.
enum class Attribute : int { device = 9, legacy_ipc = 10, range_start = 11, range_bytes = 12, access = 16, pool = 17 };

#if TMA_HAS_HOST_TEXT

// False where the driver does not say.
inline bool pointer_attribute(const Driver& driver, Attribute which, const void* pointer, u64& value) {
  void* const entry = driver.find ? driver.find(DriverCall::pointer_attribute) : nullptr;
  value             = 0;
  return entry && ask_driver([&] {
                    return reinterpret_cast<PointerAttribute>(entry)(&value, int(which), const_cast<void*>(pointer));
                  }) == 0;
}

// Whose memory it is, and what the current device may do with it. Asked only where there are several devices; a driver that does
// not answer leaves the question open, and nothing is refused.
inline void add_owner(MapRequest& r, const Driver& driver) {
  u64 owner = 0, access = 0;
  if (driver.devices < 2 || driver.device < 0 || r.base_kind != PointerKind::device) return;
  if (!pointer_attribute(driver, Attribute::device, r.base, owner) || int(owner) == driver.device) return;
  if (!pointer_attribute(driver, Attribute::access, r.base, access)) return;
  r.device          = driver.device;
  r.owner           = int(owner);
  r.readable        = access & 1;
  r.writable        = access & 2;
  void* const entry = driver.find(DriverCall::can_access_peer);
  int         can   = 1;
  if (entry && reinterpret_cast<CanAccessPeer>(entry)(&can, r.device, r.owner) == 0) r.peers = can != 0;
}

#else
void add_owner(MapRequest& r, const Driver& driver);
#endif  // TMA_HAS_HOST_TEXT

}  // namespace detail
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
