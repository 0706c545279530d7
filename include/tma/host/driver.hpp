#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include "error.hpp"
#include "map_request.hpp"
#include "status.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// `cuTensorMapEncodeTiled` by its plain types, so that <cuda.h> need not be included: map, element type, rank, base,
/// extents, strides (all but the first), box, element strides, interleave, swizzle, promotion, fill. Fastest first.
using EncodeTiled = int (*)(void*, int, unsigned, void*, const detail::u64*, const detail::u64*, const unsigned*,
                            const unsigned*, int, int, int, int);

/// The driver's other calls about tensor maps and their memory. Each is looked up when it is first needed, and need not be
/// there: programs that never use one run with drivers that do not have it.
enum class TMA_PUBLIC DriverCall : int {
  encode_tiled,
  encode_im2col,
  encode_im2col_wide,
  replace_address,
  address_range,
  pointer_attribute,
  can_access_peer
};

/// What making a descriptor asks of the machine. `system_driver` answers for the real one; tests pass their own.
struct TMA_PUBLIC Driver {
  EncodeTiled encode_tiled                 = nullptr;
  PointerKind (*pointer_kind)(const void*) = nullptr;
  void* (*find)(DriverCall)                = nullptr;     // one of the other calls; null where there is none
  int  compute_capability                  = 0;           // 90 for 9.0
  int  version                             = 0;           // 13000 for 13.0
  int  shared_limit                        = 227 * 1024;  // bytes of shared memory a block can have
  bool reads_pageable                      = false;       // the device reads pageable host memory
  int  device                              = -1;          // the current one; -1: not known
  int  devices                             = 1;           // how many the process sees
};

namespace detail {

#if TMA_HAS_HOST_TEXT

inline PointerKind pointer_kind(const void* pointer) {
  cudaPointerAttributes a{};
  if (const cudaError_t e = cudaPointerGetAttributes(&a, pointer); e != cudaSuccess) {
    take_back(e);
    return PointerKind::unknown;
  }
  switch (a.type) {
    case cudaMemoryTypeDevice: return PointerKind::device;
    case cudaMemoryTypeManaged: return PointerKind::managed;
    case cudaMemoryTypeHost: return PointerKind::pinned_host;
    default: return PointerKind::pageable_host;
  }
}

struct DriverCallName {
  const char* name;
  int         version;  // of the driver that brought it: 12080 for 12.8
};

inline constexpr DriverCallName driver_calls[] = {
    {"cuTensorMapEncodeTiled", 12000},    {"cuTensorMapEncodeIm2col", 12000}, {"cuTensorMapEncodeIm2colWide", 12080},
    {"cuTensorMapReplaceAddress", 12000}, {"cuMemGetAddressRange", 12000},    {"cuPointerGetAttribute", 12000},
    {"cuDeviceCanAccessPeer", 12000}};

// A call of the driver, looked up once a process. Loading it by name leaves no link dependency on the driver, so that
// programs start, and report, on machines that have none.
inline cudaError_t find_call(DriverCall call, void*& found) {
  static void*         cached[7] = {};
  const int            i         = static_cast<int>(call);
  const DriverCallName wanted    = driver_calls[i];
  static_assert(sizeof cached / sizeof *cached == sizeof driver_calls / sizeof *driver_calls);
  found = __atomic_load_n(&cached[i], __ATOMIC_ACQUIRE);
  if (found) return cudaSuccess;
  // Neither output is written when the driver is missing.
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t               e =
      cudaGetDriverEntryPointByVersion(wanted.name, &found, unsigned(wanted.version), cudaEnableDefault, &result);
  if (e != cudaSuccess) return e;
  if (result != cudaDriverEntryPointSuccess || !found) return cudaErrorSymbolNotFound;
  __atomic_store_n(&cached[i], found, __ATOMIC_RELEASE);
  return cudaSuccess;
}

// The same for those who go on without the reason.
inline void* find_call_quietly(DriverCall call) {
  void*             found = nullptr;
  const cudaError_t e     = find_call(call, found);
  if (e == cudaSuccess) return found;
  take_back(e);
  return nullptr;
}

inline Error call_missing(DriverCall call, const Driver& driver) {
  const DriverCallName wanted = driver_calls[static_cast<int>(call)];
  // After a failed kernel nothing is found.
  if (const Error before = failed_before(cudaPeekAtLastError())) return before;
  return Error(ErrorKind::driver_too_old,
               "tma: the driver (CUDA %d.%d) has no %s: it came with CUDA %d.%d; update the driver\n", driver.version / 1000,
               driver.version % 1000 / 10, wanted.name, wanted.version / 1000, wanted.version % 1000 / 10);
}

// Whether a status speaks of what the driver was given. All others speak of the machine or of the process.
inline bool is_about_arguments(int status) { return status == 1 || status == 801; }  // invalid value, not supported

inline Error driver_failed(const char* what, int status, const Driver& driver) {
  const cudaError_t e = static_cast<cudaError_t>(status);
  return Error(
      ErrorKind::call_failed,
      "tma: the driver (CUDA %d.%d) failed to %s: status %d, %s (%s). The tensor is not the cause. Fix: look at the "
      "state of the device and of the process, not at the arguments of this call\n",
      driver.version / 1000, driver.version % 1000 / 10, what, status, cudaGetErrorName(e), cudaGetErrorString(e));
}

inline Error find_driver(Driver& driver) {
  int               version = 0;
  const cudaError_t asked   = cudaDriverGetVersion(&version);
  if (const Error before = failed_before(asked)) return before;
  if (asked != cudaSuccess || version == 0)
    return Error(ErrorKind::no_driver,
                 "tma: no NVIDIA driver found on this machine; the copy engine needs one (12.0 or newer) and a "
                 "GPU of compute capability 9.0 or newer\n");
  const int         cuda_major = version / 1000, cuda_minor = version % 1000 / 10;
  int               devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (const Error before = failed_before(counted)) return before;
  if (counted == cudaErrorInsufficientDriver)
    return Error(
        ErrorKind::driver_too_old,
        "tma: the driver speaks CUDA %d.%d, this program was built with %d.%d: update the driver, or build with an older "
        "toolkit (12.8 or newer)\n",
        cuda_major, cuda_minor, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  if (counted != cudaSuccess || devices == 0)
    return Error(
        ErrorKind::no_device,
        "tma: the driver (CUDA %d.%d) finds no GPU (%s); the copy engine needs one of compute capability 9.0 or newer\n",
        cuda_major, cuda_minor, counted == cudaSuccess ? "0 devices" : cudaGetErrorName(counted));

  // No call that a stream capture forbids: a descriptor may be made while one goes on.
  int device = 0, major = 0, minor = 0, shared = 0, pageable = 0;
  if (const Error before = failed_before(cudaPeekAtLastError())) return before;
  cudaError_t e         = cudaGetDevice(&device);
  const auto  attribute = [&](cudaDeviceAttr which, int& value) {
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&value, which, device);
  };
  attribute(cudaDevAttrComputeCapabilityMajor, major);
  attribute(cudaDevAttrComputeCapabilityMinor, minor);
  attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, shared);
  attribute(cudaDevAttrPageableMemoryAccess, pageable);
  if (const Error before = failed_before(e)) return before;
  if (e != cudaSuccess || major == 0)
    return Error(ErrorKind::no_device, "tma: the device does not answer: %s (%s)\n", cudaGetErrorName(e),
                 cudaGetErrorString(e));
  if (major < 9)
    return Error(
        ErrorKind::device_lacks_tma,
        "tma: device %d has compute capability %d.%d; the copy engine came with 9.0 (Hopper). Load by threads or cp.async "
        "there\n",
        device, major, minor);

  void*             encode = nullptr;
  const cudaError_t found  = find_call(DriverCall::encode_tiled, encode);
  if (const Error before = failed_before(found)) return before;
  if (found != cudaSuccess)
    return Error(ErrorKind::driver_too_old,
                 "tma: the driver (CUDA %d.%d) has no cuTensorMapEncodeTiled (%s): it needs 12.0 or newer\n", cuda_major,
                 cuda_minor, cudaGetErrorName(found));
  driver = {reinterpret_cast<EncodeTiled>(encode),
            pointer_kind,
            find_call_quietly,
            major * 10 + minor,
            version,
            shared,
            pageable != 0,
            device,
            devices};
  return {};
}

#endif  // TMA_HAS_HOST_TEXT

}  // namespace detail

/// The real driver and the current device, or the reason why there is none to be had. Leaves no CUDA error behind.
#if TMA_HAS_HOST_TEXT
inline Error system_driver(Driver& driver) {
  const Error error = detail::find_driver(driver);
  if (error && error.kind() != ErrorKind::context_failed) cudaGetLastError();
  return error;
}
#else
Error system_driver(Driver& driver);
#endif

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
