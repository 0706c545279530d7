// Streams, events and graphs as the host sees them. Included by memory.hpp alone: these are definitions.
#pragma once

#include <mutex>
#include <set>
#include <utility>

#include "../include/cuda_runtime_api.h"
#include "host_errors.hpp"

namespace tma::machine::detail {

// Streams and events that exist. A handle is the address of nothing in particular.
class Handles {
public:
  void* create() {
    const std::lock_guard lock(mutex_);
    char* const           handle = new char(0);
    live_.insert(handle);
    return handle;
  }
  bool destroy(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto            found = live_.find(handle);
    if (found == live_.end()) return false;
    delete static_cast<const char*>(*found);
    live_.erase(found);
    recorded_.erase(handle);
    return true;
  }
  bool exists(const void* handle) {
    const std::lock_guard lock(mutex_);
    return live_.count(handle) > 0;
  }
  void record(const void* handle) {
    const std::lock_guard lock(mutex_);
    recorded_.insert(handle);
  }
  bool recorded(const void* handle) {
    const std::lock_guard lock(mutex_);
    return recorded_.count(handle) > 0;
  }

private:
  std::mutex            mutex_;
  std::set<const void*> live_, recorded_;
};

Handles streams, events;

bool is_stream(cudaStream_t s) {
  return s == nullptr || s == cudaStreamLegacy || s == cudaStreamPerThread || streams.exists(s);
}

}  // namespace tma::machine::detail

// --- streams -------------------------------------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return tma_host::give(stream, static_cast<cudaStream_t>(tma_host::streams.create()));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return tma_host::found_or(tma_host::streams.destroy(stream), cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  tma::machine::rt::grids_ended(stream);
  return tma_host::found_or(tma_host::is_stream(stream), cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return cudaStreamQuery(stream); }
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return tma_host::is_stream(stream) ? tma_host::give(device, 0) : tma_host::answer(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* context) {
  const cudaError_t e = cudaStreamQuery(stream);
  if (e == cudaSuccess && function) function(context);
  return e;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  tma::machine::rt::grids_ended(stream);
  return tma_host::found_or(tma_host::is_stream(stream) && tma_host::events.exists(event), cudaErrorInvalidResourceHandle);
}

// --- events --------------------------------------------------------------------------------------------------------

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return tma_host::give(event, static_cast<cudaEvent_t>(tma_host::events.create()));
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return tma_host::found_or(tma_host::events.destroy(event), cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  tma::machine::rt::grids_ended(stream);  // the next launch is not next to the one before
  const bool exist = tma_host::events.exists(event) && tma_host::is_stream(stream);
  if (exist) tma_host::events.record(event);
  return tma_host::found_or(exist, cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  tma::machine::rt::all_grids_ended();
  return tma_host::found_or(tma_host::events.exists(event), cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return cudaEventQuery(event); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  if (!tma_host::events.recorded(start) || !tma_host::events.recorded(end))
    return tma_host::answer(cudaErrorInvalidResourceHandle);
  return tma_host::give(ms, 0.f);
}

// --- graphs --------------------------------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return tma_host::answer(cudaErrorNotSupported); }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) { return tma_host::answer(cudaErrorNotSupported); }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  return tma_host::give(status, cudaStreamCaptureStatusNone);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  std::swap(current, *mode);
  return tma_host::answer(cudaSuccess);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return tma_host::answer(cudaErrorNotSupported);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return tma_host::answer(cudaErrorNotSupported); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return tma_host::answer(cudaErrorNotSupported); }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return tma_host::answer(cudaErrorNotSupported); }
