// Errors as the host sees them. Included by memory.hpp alone: these are definitions.
#pragma once

#include <atomic>

#include "../include/cuda_runtime_api.h"

namespace tma::machine::detail {

// What a kernel left behind: every later call returns it.
std::atomic<cudaError_t> sticky_error{cudaSuccess};

// What the last call that failed in this host thread said.
thread_local cudaError_t last_error = cudaSuccess;

bool is_sticky(cudaError_t e) {
  switch (e) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return true;
    default: return false;
  }
}

// What a call returns that came to `e`.
cudaError_t answer(cudaError_t e) {
  const cudaError_t sticky = sticky_error;
  if (sticky != cudaSuccess) return sticky;
  if (e != cudaSuccess) last_error = e;
  return e;
}

cudaError_t found_or(bool found, cudaError_t otherwise) { return answer(found ? cudaSuccess : otherwise); }

// Writes an answer to a question.
template <class T> cudaError_t give(T* to, T value) {
  if (!to) return answer(cudaErrorInvalidValue);
  *to = value;
  return answer(cudaSuccess);
}

// Whether a call is to be refused before it does anything.
bool context_failed() { return sticky_error != cudaSuccess; }

}  // namespace tma::machine::detail

namespace tma_host = tma::machine::detail;

void tma::machine::rt::clear_error() {
  tma_host::sticky_error = cudaSuccess;
  tma_host::last_error   = cudaSuccess;
}

cudaError_t cudaPeekAtLastError() {
  const cudaError_t sticky = tma_host::sticky_error;
  return sticky != cudaSuccess ? sticky : tma_host::last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t e  = cudaPeekAtLastError();
  tma_host::last_error = cudaSuccess;
  return e;
}

const char* cudaGetErrorName(cudaError_t error) {
#define TMA_DETAIL_CASE(name, number, text) \
  case name: return #name;
  switch (error) { TMA_DETAIL_CUDA_ERRORS(TMA_DETAIL_CASE) }
#undef TMA_DETAIL_CASE
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
#define TMA_DETAIL_CASE(name, number, text) \
  case name: return text;
  switch (error) { TMA_DETAIL_CUDA_ERRORS(TMA_DETAIL_CASE) }
#undef TMA_DETAIL_CASE
  return "unrecognized error code";
}
