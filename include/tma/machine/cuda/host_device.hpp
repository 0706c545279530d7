// The device as the host sees it. Included by memory.hpp alone: these are definitions.
#pragma once

#include <cstdio>
#include <cstring>

#include "../include/cuda_runtime_api.h"
#include "arena.hpp"
#include "host_errors.hpp"

namespace tma::machine::detail {

inline constexpr int kib = 1024;

// The numbers of an H200, as far as a program can ask for them.
struct DeviceFact {
  cudaDeviceAttr attribute;
  int            value;
};
inline constexpr DeviceFact device_facts[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, 48 * kib},
    {cudaDevAttrTotalConstantMemory, 64 * kib},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, 0x7fffffff},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrMultiProcessorCount, 132},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6144},
    {cudaDevAttrL2CacheSize, 60 * kib * kib},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 * kib},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 * kib},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1 * kib},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrClusterLaunch, 1},
};

// 0 for whatever the machine does not have.
constexpr int device_fact(cudaDeviceAttr attribute) {
  for (const DeviceFact& fact : device_facts)
    if (fact.attribute == attribute) return fact.value;
  return 0;
}

// cuMemGetAddressRange
int address_range(void** first, std::size_t* bytes, void* pointer) {
  rt::Allocation a;
  if (!arena.find(pointer, a)) return 500;  // CUDA_ERROR_NOT_FOUND
  if (first) *first = a.data;
  if (bytes) *bytes = a.bytes;
  return 0;
}

}  // namespace tma::machine::detail

// --- the device ----------------------------------------------------------------------------------------------------

cudaError_t cudaDriverGetVersion(int* version) {
  if (!version) return cudaErrorInvalidValue;
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceCount(int* count) { return tma_host::give(count, 1); }
cudaError_t cudaGetDevice(int* device) { return tma_host::give(device, 0); }
cudaError_t cudaSetDevice(int device) { return tma_host::found_or(device == 0, cudaErrorInvalidDevice); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned) { return tma_host::answer(cudaSuccess); }
cudaError_t cudaDeviceSynchronize() {
  tma::machine::rt::all_grids_ended();
  return tma_host::answer(cudaSuccess);
}
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return tma_host::answer(cudaSuccess); }
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit) { return tma_host::give(value, std::size_t(0)); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return tma_host::answer(cudaSuccess); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { return tma_host::give(can, 0); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return tma_host::answer(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return tma_host::answer(cudaErrorInvalidDevice);
  return tma_host::give(value, tma_host::device_fact(attribute));
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  using tma_host::device_fact;
  if (!p) return tma_host::answer(cudaErrorInvalidValue);
  if (device != 0) return tma_host::answer(cudaErrorInvalidDevice);
  *p = {};
  std::snprintf(p->name, sizeof p->name, "tma machine (CPU model of compute capability 9.0)");
  p->totalGlobalMem              = tma_host::arena.total_bytes();
  p->sharedMemPerBlock           = std::size_t(device_fact(cudaDevAttrMaxSharedMemoryPerBlock));
  p->regsPerBlock                = device_fact(cudaDevAttrMaxRegistersPerBlock);
  p->warpSize                    = device_fact(cudaDevAttrWarpSize);
  p->memPitch                    = std::size_t(device_fact(cudaDevAttrMaxPitch));
  p->maxThreadsPerBlock          = device_fact(cudaDevAttrMaxThreadsPerBlock);
  p->maxThreadsDim[0]            = device_fact(cudaDevAttrMaxBlockDimX);
  p->maxThreadsDim[1]            = device_fact(cudaDevAttrMaxBlockDimY);
  p->maxThreadsDim[2]            = device_fact(cudaDevAttrMaxBlockDimZ);
  p->maxGridSize[0]              = device_fact(cudaDevAttrMaxGridDimX);
  p->maxGridSize[1]              = device_fact(cudaDevAttrMaxGridDimY);
  p->maxGridSize[2]              = device_fact(cudaDevAttrMaxGridDimZ);
  p->totalConstMem               = std::size_t(device_fact(cudaDevAttrTotalConstantMemory));
  p->major                       = device_fact(cudaDevAttrComputeCapabilityMajor);
  p->minor                       = device_fact(cudaDevAttrComputeCapabilityMinor);
  p->multiProcessorCount         = device_fact(cudaDevAttrMultiProcessorCount);
  p->canMapHostMemory            = device_fact(cudaDevAttrCanMapHostMemory);
  p->concurrentKernels           = device_fact(cudaDevAttrConcurrentKernels);
  p->ECCEnabled                  = device_fact(cudaDevAttrEccEnabled);
  p->asyncEngineCount            = device_fact(cudaDevAttrAsyncEngineCount);
  p->unifiedAddressing           = device_fact(cudaDevAttrUnifiedAddressing);
  p->memoryBusWidth              = device_fact(cudaDevAttrGlobalMemoryBusWidth);
  p->l2CacheSize                 = device_fact(cudaDevAttrL2CacheSize);
  p->maxThreadsPerMultiProcessor = device_fact(cudaDevAttrMaxThreadsPerMultiProcessor);
  p->sharedMemPerMultiprocessor  = std::size_t(device_fact(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  p->regsPerMultiprocessor       = device_fact(cudaDevAttrMaxRegistersPerMultiprocessor);
  p->managedMemory               = device_fact(cudaDevAttrManagedMemory);
  p->concurrentManagedAccess     = device_fact(cudaDevAttrConcurrentManagedAccess);
  p->sharedMemPerBlockOptin      = std::size_t(device_fact(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  p->maxBlocksPerMultiProcessor  = device_fact(cudaDevAttrMaxBlocksPerMultiprocessor);
  p->reservedSharedMemPerBlock   = std::size_t(device_fact(cudaDevAttrReservedSharedMemoryPerBlock));
  p->memoryPoolsSupported        = device_fact(cudaDevAttrMemoryPoolsSupported);
  p->clusterLaunch               = device_fact(cudaDevAttrClusterLaunch);
  return tma_host::answer(cudaSuccess);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  if (!symbol || !function) return tma_host::answer(cudaErrorInvalidValue);
  *function        = std::strcmp(symbol, "cuMemGetAddressRange") == 0 ? reinterpret_cast<void*>(&tma_host::address_range)
                                                                      : tma::machine::rt::driver_call(symbol);
  const bool found = *function != nullptr;
  if (result) *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return tma_host::found_or(found || result, cudaErrorSymbolNotFound);
}
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}
