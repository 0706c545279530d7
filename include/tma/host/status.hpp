// What a status says that a call returns: of the call itself, or of something before it. The one place that knows.
#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include "error.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

#if TMA_HAS_HOST_TEXT

// What has failed where a status means that the process can do nothing more with the device: every later call returns it.
// Null for all other statuses. The runtime and the driver have the same numbers; numbers, because toolkits and drivers know
// more of them from version to version: these are CUDA 13.5's.
inline const char* failure_before(int status) {
  switch (status) {
    case 700:                                                         // illegal address
    case 702:                                                         // launch timeout
    case 710:                                                         // assert
    case 714:                                                         // stack error
    case 715:                                                         // illegal instruction
    case 716:                                                         // misaligned address
    case 717:                                                         // invalid address space
    case 718:                                                         // invalid program counter
    case 719:                                                         // launch failure
    case 721: return "an earlier kernel has failed";                  // tensor memory leak
    case 214:                                                         // uncorrectable ECC error
    case 220:                                                         // uncorrectable NVLink error
    case 226:                                                         // contained: an access over NVLink, or the hardware
    case 911: return "an earlier kernel or the hardware has failed";  // a device outside of CUDA
    case 810: return "an earlier kernel has failed and the MPS server has ended this process's work";
    case 999: return "an earlier kernel or the driver itself has failed";
    default: return nullptr;
  }
}

inline bool is_sticky(int status) { return failure_before(status) != nullptr; }

// How a kernel ends that gives the copy engine a descriptor in local memory, among other mistakes.
inline bool may_be_a_local_descriptor(int status) {
  return status == 700 || (status >= 715 && status <= 717) || status == 719;
}

// The rest of a text about a kernel that has failed.
inline const char* descriptor_hint(int status) {
  return may_be_a_local_descriptor(status)
             ? " Look as well for a descriptor parameter that is not `const __grid_constant__`: the "
               "compiler copies it to local memory, where the copy engine cannot read it"
             : "";
}

// The error where `status` is not this call's own; success for every other status.
inline Error failed_before(int status) {
  const char* const what = failure_before(status);
  if (!what) return {};
  const cudaError_t e = static_cast<cudaError_t>(status);
  return Error(
      ErrorKind::context_failed,
      "tma: %s (status %d, %s: %s), and every call fails until the process restarts. This call is not the cause. Fix: "
      "run the program under compute-sanitizer, or compile it with -DTMA_CHECKED, to find the cause.%s\n",
      what, status, cudaGetErrorName(e), cudaGetErrorString(e), descriptor_hint(status));
}

// The error of a question that was ours is taken back. What a failed kernel left is not: others have to see it as well.
inline void take_back(cudaError_t e) {
  if (!is_sticky(e)) cudaGetLastError();
}

inline constexpr int no_context = 201;  // CUDA_ERROR_INVALID_CONTEXT

// The status of a call of the driver. The runtime makes its context late: where there is none, it is made first.
template <class Ask> int ask_driver(Ask ask) {
  const int status = ask();
  if (status != no_context) return status;
  const cudaError_t made = cudaFree(nullptr);
  if (made == cudaSuccess) return ask();
  take_back(made);
  return int(made);
}

#else
Error failed_before(int status);
void  take_back(cudaError_t e);
#endif  // TMA_HAS_HOST_TEXT

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
