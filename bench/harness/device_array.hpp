// Memory of the device, for as long as the object lives.
#pragma once

#include <cstddef>

#include "require.hpp"

namespace harness {

template <class T> struct DeviceArray {
  T* data = nullptr;
  explicit DeviceArray(std::size_t n) { require(cudaMalloc(&data, n * sizeof(T)), "cudaMalloc"); }
  ~DeviceArray() { cudaFree(data); }
  DeviceArray(const DeviceArray&)            = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
};

}  // namespace harness
