// Allocations and copies as the host sees them. Included by memory.hpp alone: these are definitions.
#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

#include "../include/cuda_runtime_api.h"
#include "arena.hpp"
#include "host_errors.hpp"

namespace tma::machine::detail {

cudaError_t allocate_for(void** pointer, std::size_t bytes, MemoryKind kind) {
  if (!pointer) return answer(cudaErrorInvalidValue);
  if (context_failed()) return answer(cudaSuccess);
  *pointer = nullptr;
  if (bytes == 0) return answer(cudaSuccess);
  *pointer = arena.allocate(bytes, kind);
  return found_or(*pointer != nullptr, cudaErrorMemoryAllocation);
}

cudaError_t release_for(void* pointer, bool pinned) {
  if (context_failed() || !pointer) return answer(cudaSuccess);
  rt::all_grids_ended();
  rt::Allocation a;
  const bool known = arena.find(pointer, a) && a.data == pointer && (arena.kind_of(a) == MemoryKind::pinned_host) == pinned;
  return found_or(known && arena.release(pointer), cudaErrorInvalidValue);
}

// Where a range of memory lies. A range that leaves its allocation lies nowhere.
enum class Place { nowhere, device, managed, pinned_host, pageable_host };

bool within(const char* from, std::size_t bytes, const char* data, std::size_t size) {
  return from >= data && std::size_t(from - data) <= size && bytes <= size - std::size_t(from - data);
}

Place place_of(const void* pointer, std::size_t bytes) {
  const char* const at = static_cast<const char*>(pointer);
  if (!pointer) return Place::nowhere;
  if (arena.contains(pointer)) {
    rt::Allocation a;
    if (!arena.find(pointer, a) || !within(at, bytes, a.data, a.bytes)) return Place::nowhere;
    switch (arena.kind_of(a)) {
      case MemoryKind::managed: return Place::managed;
      case MemoryKind::pinned_host: return Place::pinned_host;
      default: return Place::device;
    }
  }
  const std::lock_guard lock(symbols_mutex);
  const auto            after = symbols.upper_bound(const_cast<char*>(at));
  if (after != symbols.begin()) {
    const auto& [data, size] = *std::prev(after);
    if (at < data + size) return within(at, bytes, data, size) ? Place::device : Place::nowhere;
  }
  return Place::pageable_host;
}

// A side of a copy is what the direction says, where it says so. Managed and pinned memory is both.
bool fits(Place place, bool host, bool device) {
  switch (place) {
    case Place::nowhere: return false;
    case Place::device: return device;
    case Place::pageable_host: return host;
    default: return true;
  }
}

cudaError_t copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t height, cudaMemcpyKind kind) {
  if (context_failed()) return answer(cudaSuccess);
  rt::all_grids_ended();  // in whichever stream: an asynchronous one stands between two launches as well
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return answer(cudaErrorInvalidMemcpyDirection);
  if (width == 0 || height == 0) return answer(cudaSuccess);
  if (height > 1 && (width > to_pitch || width > from_pitch)) return answer(cudaErrorInvalidPitchValue);
  const bool any         = kind == cudaMemcpyDefault;
  const bool to_device   = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!fits(place_of(to, to_pitch * (height - 1) + width), any || !to_device, any || to_device) ||
      !fits(place_of(from, from_pitch * (height - 1) + width), any || !from_device, any || from_device))
    return answer(cudaErrorInvalidValue);
  for (std::size_t y = 0; y < height; ++y)
    std::memmove(static_cast<char*>(to) + y * to_pitch, static_cast<const char*>(from) + y * from_pitch, width);
  return answer(cudaSuccess);
}

cudaError_t fill(void* to, std::size_t pitch, int byte, std::size_t width, std::size_t height) {
  if (context_failed()) return answer(cudaSuccess);
  rt::all_grids_ended();
  if (width == 0 || height == 0) return answer(cudaSuccess);
  if (height > 1 && width > pitch) return answer(cudaErrorInvalidPitchValue);
  if (!fits(place_of(to, pitch * (height - 1) + width), false, true)) return answer(cudaErrorInvalidValue);
  for (std::size_t y = 0; y < height; ++y) std::memset(static_cast<char*>(to) + y * pitch, byte, width);
  return answer(cudaSuccess);
}

}  // namespace tma::machine::detail

// --- allocations ---------------------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return tma_host::allocate_for(pointer, bytes, tma::machine::MemoryKind::device);
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return tma_host::allocate_for(pointer, bytes, tma::machine::MemoryKind::managed);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return tma_host::allocate_for(pointer, bytes, tma::machine::MemoryKind::pinned_host);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault); }
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (!pitch) return tma_host::answer(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(pointer, *pitch * height);
}
cudaError_t cudaFree(void* pointer) { return tma_host::release_for(pointer, false); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return tma_host::release_for(pointer, true); }

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  const auto place = tma_host::place_of(host, 1);
  if (place != tma_host::Place::pinned_host) return tma_host::answer(cudaErrorInvalidValue);
  return tma_host::give(device, host);
}
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return tma_host::answer(cudaErrorNotSupported); }
cudaError_t cudaHostUnregister(void*) { return tma_host::answer(cudaErrorHostMemoryNotRegistered); }

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  tma_host::give(free, tma_host::arena.free_bytes());
  return tma_host::give(total, tma_host::arena.total_bytes());
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  void* const p = const_cast<void*>(pointer);
  switch (tma_host::place_of(pointer, 0)) {
    case tma_host::Place::device:
      return tma_host::give(attributes, cudaPointerAttributes{cudaMemoryTypeDevice, 0, p, nullptr});
    case tma_host::Place::managed: return tma_host::give(attributes, cudaPointerAttributes{cudaMemoryTypeManaged, 0, p, p});
    case tma_host::Place::pinned_host: return tma_host::give(attributes, cudaPointerAttributes{cudaMemoryTypeHost, 0, p, p});
    default: return tma_host::give(attributes, cudaPointerAttributes{cudaMemoryTypeUnregistered, -2, nullptr, p});
  }
}

cudaError_t cudaDeviceReset() {
  std::vector<void*> all;
  tma_host::arena.for_each([&](const tma::machine::rt::Allocation& a) { all.push_back(a.data); });
  for (void* pointer : all) tma_host::arena.release(pointer);
  return tma_host::answer(cudaSuccess);
}

// --- copies --------------------------------------------------------------------------------------------------------

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return tma_host::copy(to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  return tma_host::copy(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemset(void* to, int byte, std::size_t bytes) { return tma_host::fill(to, bytes, byte, bytes, 1); }
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) { return cudaMemset(to, byte, bytes); }
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int byte, std::size_t width, std::size_t height) {
  return tma_host::fill(to, pitch, byte, width, height);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int byte, std::size_t width, std::size_t height, cudaStream_t) {
  return cudaMemset2D(to, pitch, byte, width, height);
}
