#pragma once

#include "../core/prologue.hpp"

#include "driver.hpp"
#include "kernel_channel.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace detail {

#if TMA_HAS_HOST_TEXT
inline Error synchronize_error(cudaError_t e) {
  if (const char* const report = kernel_report())
    return Error(ErrorKind::kernel_stopped, "tma: a check stopped a kernel (%s)\n%s", cudaGetErrorName(e), report);
  if (is_sticky(e))
    return Error(
        ErrorKind::context_failed,
        "tma: a kernel has failed (status %d, %s: %s), and every call fails until the process restarts. Fix: compile "
        "with -DTMA_CHECKED, which reports what it can, or run the program under compute-sanitizer.%s\n",
        int(e), cudaGetErrorName(e), cudaGetErrorString(e), descriptor_hint(e));
  take_back(e);
  return Error(ErrorKind::call_failed, "tma: the wait for a stream failed: %s (%s)\n", cudaGetErrorName(e),
               cudaGetErrorString(e));
}
#else
Error synchronize_error(cudaError_t e);
#endif

}  // namespace detail

/// Waits until all work of `stream` is done. Returns the error, if any: in builds with TMA_CHECKED what a kernel found wrong
/// (ErrorKind::kernel_stopped; `what()` is its report), else what CUDA says of it. A kernel that was launched otherwise than by
/// `tma::launch` or `tma::try_launch` prints its report, and says nothing here unless one of its module was launched so before.
[[nodiscard]] inline Error try_synchronize(cudaStream_t stream = nullptr) {
  detail::look_after_kernel_page();
  const cudaError_t e = cudaStreamSynchronize(stream);
  if (e == cudaSuccess) return {};
  return detail::synchronize_error(e);
}

/// The same, throwing `tma::Error`.
inline void synchronize(cudaStream_t stream = nullptr) {
  const Error error = try_synchronize(stream);
  if (error) detail::raise(error);
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
