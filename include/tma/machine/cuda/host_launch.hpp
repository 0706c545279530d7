// Kernels and launches as the host sees them. Included by memory.hpp alone: these are definitions.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "../include/cuda_runtime_api.h"
#include "host_device.hpp"
#include "host_errors.hpp"
#include "host_streams.hpp"
#include "kernel_name.hpp"

namespace tma::machine::detail {

// A kernel of which host code has given the address. `call` is null until its type was seen too.
struct Kernel {
  void (*call)(void*)        = nullptr;
  int         dynamic_shared = device_fact(cudaDevAttrMaxSharedMemoryPerBlock);  // opted in to
  int         carveout       = cudaSharedmemCarveoutDefault;
  bool        large_clusters = false;
  std::string name           = {};
};

// Entries stay where they are: a running launch points to its kernel's name.
std::mutex                    kernels_mutex;
std::map<const void*, Kernel> kernels;

Kernel& kernel_at(const void* address) {
  const std::lock_guard lock(kernels_mutex);
  return kernels[address];
}

std::size_t volume(const Index3& e) { return std::size_t(e.x) * e.y * e.z; }

bool within(const Index3& e, cudaDeviceAttr x, cudaDeviceAttr y, cudaDeviceAttr z) {
  return e.x >= 1 && e.y >= 1 && e.z >= 1 && e.x <= unsigned(device_fact(x)) && e.y <= unsigned(device_fact(y)) &&
         e.z <= unsigned(device_fact(z));
}

// What CUDA refuses before anything runs.
cudaError_t check_launch(const rt::LaunchShape& shape, const Kernel& kernel) {
  if (!kernel.call) return cudaErrorInvalidDeviceFunction;
  if (!within(shape.grid, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ) ||
      !within(shape.block, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ) ||
      volume(shape.block) > std::size_t(device_fact(cudaDevAttrMaxThreadsPerBlock)))
    return cudaErrorInvalidConfiguration;
  if (shape.dynamic_shared > std::size_t(kernel.dynamic_shared)) return cudaErrorInvalidValue;
  const Index3& c = shape.cluster;
  if (volume(c) < 1 || volume(c) > (kernel.large_clusters ? 16 : 8)) return cudaErrorInvalidClusterSize;
  if (shape.grid.x % c.x != 0 || shape.grid.y % c.y != 0 || shape.grid.z % c.z != 0) return cudaErrorInvalidConfiguration;
  return cudaSuccess;
}

}  // namespace tma::machine::detail

const void* tma::machine::rt::register_kernel(const void* kernel, void (*call)(void*)) {
  tma_host::kernel_at(kernel).call = call;
  return kernel;
}

// --- attributes ----------------------------------------------------------------------------------------------------

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* address) {
  if (!attributes || !address) return tma_host::answer(cudaErrorInvalidDeviceFunction);
  const auto& kernel = tma_host::kernel_at(address);
  // Registers and static shared memory are what only a device compiler knows: 0.
  *attributes                               = {};
  attributes->maxThreadsPerBlock            = tma_host::device_fact(cudaDevAttrMaxThreadsPerBlock);
  attributes->ptxVersion                    = 90;
  attributes->binaryVersion                 = 90;
  attributes->maxDynamicSharedSizeBytes     = kernel.dynamic_shared;
  attributes->preferredShmemCarveout        = kernel.carveout;
  attributes->nonPortableClusterSizeAllowed = kernel.large_clusters;
  return tma_host::answer(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void* address, cudaFuncAttribute attribute, int value) {
  if (!address) return tma_host::answer(cudaErrorInvalidDeviceFunction);
  auto& kernel = tma_host::kernel_at(address);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value > tma_host::device_fact(cudaDevAttrMaxSharedMemoryPerBlockOptin))
        return tma_host::answer(cudaErrorInvalidValue);
      kernel.dynamic_shared = value;
      break;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
        return tma_host::answer(cudaErrorInvalidValue);
      kernel.carveout = value;
      break;
    case cudaFuncAttributeNonPortableClusterSizeAllowed: kernel.large_clusters = value != 0; break;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: break;
    default: return tma_host::answer(cudaErrorInvalidValue);
  }
  return tma_host::answer(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void* address, cudaFuncCache) {
  return tma_host::found_or(address != nullptr, cudaErrorInvalidDeviceFunction);
}

// Of threads and dynamic shared memory; registers and static shared memory are not known.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t dynamic_shared) {
  using tma_host::device_fact;
  if (!kernel) return tma_host::answer(cudaErrorInvalidDeviceFunction);
  if (threads < 1) return tma_host::answer(cudaErrorInvalidValue);
  int most = device_fact(cudaDevAttrMaxBlocksPerMultiprocessor);
  if (threads > device_fact(cudaDevAttrMaxThreadsPerBlock) ||
      dynamic_shared > std::size_t(device_fact(cudaDevAttrMaxSharedMemoryPerBlockOptin)))
    return tma_host::give(blocks, 0);
  const int by_threads = device_fact(cudaDevAttrMaxThreadsPerMultiProcessor) / ((threads + 31) / 32 * 32);
  const int by_shared  = device_fact(cudaDevAttrMaxSharedMemoryPerMultiprocessor) /
                         int(dynamic_shared + std::size_t(device_fact(cudaDevAttrReservedSharedMemoryPerBlock)));
  if (most > by_threads) most = by_threads;
  if (most > by_shared) most = by_shared;
  return tma_host::give(blocks, most);
}

// --- launches ------------------------------------------------------------------------------------------------------

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* address, void** arguments) {
  if (!config) return tma_host::answer(cudaErrorInvalidValue);
  if (tma_host::context_failed()) return tma_host::answer(cudaSuccess);
  if (tma::machine::rt::in_kernel() || (!config->attrs && config->numAttrs)) return tma_host::answer(cudaErrorNotSupported);
  if (!tma_host::is_stream(config->stream)) return tma_host::answer(cudaErrorInvalidResourceHandle);

  tma::machine::rt::LaunchShape shape{
      config->gridDim, config->blockDim, {1, 1, 1}, config->dynamicSmemBytes, config->stream};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& a = config->attrs[i];
    if (a.id == cudaLaunchAttributeClusterDimension)
      shape.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
    if (a.id == cudaLaunchAttributeCooperative && a.val.cooperative) return tma_host::answer(cudaErrorNotSupported);
    if (a.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      shape.programmatic = a.val.programmaticStreamSerializationAllowed != 0;
    // The others are about what runs beside the kernel, and nothing does.
  }
  auto& kernel = tma_host::kernel_at(address);
  if (const cudaError_t e = tma_host::check_launch(shape, kernel); e != cudaSuccess) return tma_host::answer(e);

  if (kernel.name.empty()) kernel.name = tma_host::kernel_name(address);
  tma::machine::KernelCall call{address, arguments};
  const auto e = static_cast<cudaError_t>(tma::machine::rt::launch(shape, kernel.name.c_str(), kernel.call, &call));
  // The launch itself went well: what the kernel did wrong is what every later call says.
  if (tma_host::is_sticky(e)) {
    tma_host::sticky_error = e;
    return cudaSuccess;
  }
  return tma_host::answer(e);
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t dynamic_shared,
                             cudaStream_t stream) {
  const cudaLaunchConfig_t config{grid, block, dynamic_shared, stream, nullptr, 0};
  return cudaLaunchKernelExC(&config, kernel, arguments);
}
