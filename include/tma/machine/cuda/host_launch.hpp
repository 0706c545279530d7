// Kernels and launches as the host sees them. Included by memory.hpp alone: these are definitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "../include/cuda_runtime_api.h"
#include "host_device.hpp"
#include "host_errors.hpp"
#include "host_pointers.hpp"
#include "host_streams.hpp"
#include "kernel_name.hpp"

namespace tma::machine::detail {

// A kernel of which host code has given the address. `call` is null until its type was seen too.
struct Kernel {
  void (*call)(void*)        = nullptr;
  int         dynamic_shared = device_fact(cudaDevAttrMaxSharedMemoryPerBlock);  // opted in to
  int         carveout       = cudaSharedmemCarveoutDefault;
  bool        large_clusters = false;
  Index3      cluster        = {0, 0, 0};  // __cluster_dims__; 0 where it has none
  bool        needs_cluster  = false;      // __cluster_dims__(): the launch has to say it
  std::string name           = {};

  rt::ParameterSizes parameters = {};
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

#if defined(__aarch64__)
using Instruction                         = std::uint32_t;
inline constexpr Instruction no_operation = 0xd503201f;
#else
using Instruction                         = unsigned char;
inline constexpr Instruction no_operation = 0x90;
#endif

// Whether nothing but instructions that do nothing lies there: not another function.
bool is_room(std::uintptr_t first, std::uintptr_t last) {
  for (; first < last; first += sizeof(Instruction))
    if (*reinterpret_cast<const Instruction*>(first) != no_operation) return false;
  return true;
}

// How much room lies before its first instruction says what its __cluster_dims__ are.
void find_cluster(Kernel& kernel, const void* address, rt::KernelPlaces places) {
  const auto     at    = reinterpret_cast<std::uintptr_t>(address);
  std::uintptr_t place = 0;  // the nearest one
  for (const std::uintptr_t* p = places.first; p != places.last; ++p)
    if (*p <= at && *p > place) place = *p;
  const std::uintptr_t code = (at - place) / sizeof(Instruction);
  if (place == 0 || code == 0 || code > cluster_of_the_launch || !is_room(place, at)) return;
  if (code == cluster_of_the_launch) kernel.needs_cluster = true;
  else kernel.cluster = {unsigned(code - 1) % 16 + 1, unsigned(code - 1) / 16 % 16 + 1, unsigned(code - 1) / 256 + 1};
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

const void* tma::machine::rt::register_kernel(const void* address, void (*call)(void*), ParameterSizes parameters,
                                              KernelPlaces clusters) {
  auto& kernel = tma_host::kernel_at(address);
  if (!kernel.call) tma_host::find_cluster(kernel, address, clusters);
  kernel.call       = call;
  kernel.parameters = parameters;
  return address;
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
  attributes->clusterDimMustBeSet           = kernel.needs_cluster || kernel.cluster.x > 0;
  attributes->requiredClusterWidth          = int(kernel.cluster.x);
  attributes->requiredClusterHeight         = int(kernel.cluster.y);
  attributes->requiredClusterDepth          = int(kernel.cluster.z);
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

// Of clusters that need no more than the largest of all SMs of a group: 8 blocks, 16 where the kernel allows it.
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* kernel, const cudaLaunchConfig_t* config) {
  if (!kernel) return tma_host::answer(cudaErrorInvalidDeviceFunction);
  if (!config) return tma_host::answer(cudaErrorInvalidValue);
  return tma_host::give(blocks, tma_host::kernel_at(kernel).large_clusters ? 16 : 8);
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* kernel, const cudaLaunchConfig_t* config) {
  int               most = 0, blocks = 1;
  const cudaError_t e = cudaOccupancyMaxPotentialClusterSize(&most, kernel, config);
  if (e != cudaSuccess) return e;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (const cudaLaunchAttribute& a = config->attrs[i]; a.id == cudaLaunchAttributeClusterDimension)
      blocks = int(a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z);
  return tma_host::give(clusters,
                        blocks < 1 || blocks > most ? 0 : tma_host::device_fact(cudaDevAttrMultiProcessorCount) / blocks);
}

// --- launches ------------------------------------------------------------------------------------------------------

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* address, void** arguments) {
  if (!config) return tma_host::answer(cudaErrorInvalidValue);
  if (tma_host::context_failed()) return tma_host::answer(cudaSuccess);
  if (tma::machine::rt::in_kernel() || (!config->attrs && config->numAttrs)) return tma_host::answer(cudaErrorNotSupported);
  if (!tma_host::is_stream(config->stream)) return tma_host::answer(cudaErrorInvalidResourceHandle);

  auto&                         kernel = tma_host::kernel_at(address);
  const tma::machine::Index3    own    = kernel.cluster;
  tma::machine::rt::LaunchShape shape{
      config->gridDim, config->blockDim, {1, 1, 1}, config->dynamicSmemBytes, config->stream};
  bool in_clusters = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& a = config->attrs[i];
    if (a.id == cudaLaunchAttributeClusterDimension)
      shape.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z}, in_clusters = true;
    if (a.id == cudaLaunchAttributeCooperative && a.val.cooperative) return tma_host::answer(cudaErrorNotSupported);
    if (a.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      shape.programmatic = a.val.programmaticStreamSerializationAllowed != 0;
    // The others are about what runs beside the kernel, and nothing does.
  }
  // A kernel's own cluster is that of every launch.
  const tma::machine::Index3& c = shape.cluster;
  if ((kernel.needs_cluster && !in_clusters) || (own.x > 0 && in_clusters && (c.x != own.x || c.y != own.y || c.z != own.z)))
    return tma_host::answer(cudaErrorInvalidClusterSize);
  if (own.x > 0) shape.cluster = own;
  if (const cudaError_t e = tma_host::check_launch(shape, kernel); e != cudaSuccess) return tma_host::answer(e);

  if (kernel.name.empty()) kernel.name = tma_host::kernel_name(address);
  tma::machine::KernelCall call{address, arguments};
  tma_host::find_host_pointers(arguments, kernel.parameters);
  tma_host::add_host_stack(__builtin_frame_address(0));
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
