#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include "driver.hpp"
#include "error.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// What matters of a device, for each of its multiprocessors where not said otherwise.
struct TMA_PUBLIC StreamDevice {
  int    multiprocessors = 0;  ///< in all
  int    shared_bytes    = 0;
  int    threads         = 0;
  int    registers       = 0;
  int    blocks          = 0;
  double clock_ghz       = 0;
  double gb_per_s        = 0;  ///< of the memory, all multiprocessors together: twice its clock, times the width of its bus
};

/// The current device's, from its properties. The error where there is none.
#if TMA_HAS_HOST_TEXT
inline Error stream_device(StreamDevice& device) {
  int         id        = 0;
  cudaError_t asked     = cudaSuccess;
  const auto  attribute = [&](cudaDeviceAttr which) {
    int               value = 0;
    const cudaError_t e     = cudaDeviceGetAttribute(&value, which, id);
    if (asked == cudaSuccess) asked = e;
    return value;
  };
  Driver driver;
  if (const Error error = system_driver(driver)) return error;
  const cudaError_t e = cudaGetDevice(&id);
  if (const Error before = detail::failed_before(e)) return before;
  if (e != cudaSuccess)
    return Error(ErrorKind::no_device,
                 "tma::stream_device: current device: %s: its properties are those of the device that the thread has "
                 "selected. Fix: cudaSetDevice before, or describe the device by hand\n",
                 cudaGetErrorName(e));
  device.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  device.shared_bytes    = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  device.threads         = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  device.registers       = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  device.blocks          = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  device.clock_ghz       = attribute(cudaDevAttrClockRate) * 1e-6;
  device.gb_per_s        = 2e-6 * attribute(cudaDevAttrMemoryClockRate) * (attribute(cudaDevAttrGlobalMemoryBusWidth) / 8);
  return detail::failed_before(asked);
}
#else
Error stream_device(StreamDevice& device);
#endif

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
