// Stand-in for CUDA's header of this name: the typed forms of the host's calls. (What a kernel needs is in cuda.hpp.)
#pragma once

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"

// --- memory of any type --------------------------------------------------------------------------------------------

template <class T> cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T> cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <class T> cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T> cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T> cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T> cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}

// --- variables of the device ---------------------------------------------------------------------------------------

template <class T> cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  *pointer = const_cast<void*>(static_cast<const void*>(&symbol));
  ::tma::machine::rt::register_symbol(*pointer, sizeof(T));
  return cudaSuccess;
}
template <class T> cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  void* place = nullptr;
  cudaGetSymbolAddress(&place, symbol);
  return cudaMemcpy(static_cast<char*>(place) + offset, from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  void* place = nullptr;
  cudaGetSymbolAddress(&place, symbol);
  return cudaMemcpy(to, static_cast<const char*>(place) + offset, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

// --- kernels by their type -----------------------------------------------------------------------------------------

template <class... P> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
  return cudaFuncGetAttributes(attributes, tma_machine_kernel(kernel));
}
template <class... P> cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(tma_machine_kernel(kernel), attribute, value);
}
template <class... P> cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache config) {
  return cudaFuncSetCacheConfig(tma_machine_kernel(kernel), config);
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(P...), int threads,
                                                          std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, tma_machine_kernel(kernel), threads, dynamic_shared);
}
template <class... P>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, void (*kernel)(P...), const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxPotentialClusterSize(blocks, tma_machine_kernel(kernel), config);
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void (*kernel)(P...), const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxActiveClusters(clusters, tma_machine_kernel(kernel), config);
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, std::size_t dynamic_shared = 0,
                             cudaStream_t stream = nullptr) {
  return cudaLaunchKernel(tma_machine_kernel(kernel), grid, block, arguments, dynamic_shared, stream);
}
template <class... P>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, void (*kernel)(P...), void** arguments) {
  return cudaLaunchKernelExC(config, tma_machine_kernel(kernel), arguments);
}

// Each argument converts to its parameter's type.
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... arguments) {
  return [&](P... parameters) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&parameters))..., nullptr};
    return cudaLaunchKernelExC(config, tma_machine_kernel(kernel), pointers);
  }(static_cast<A&&>(arguments)...);
}
