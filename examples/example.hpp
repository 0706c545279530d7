// What the examples share beside the point they make: memory with both its sides, random numbers, and a verdict.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <utility>
#include <vector>

#include <tma/host/driver.hpp>

namespace example {

inline void require(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
  std::exit(1);
}

// An array on the device and its copy on the host.
template <class T> struct Array {
  std::vector<T> host;
  T*             device = nullptr;

  explicit Array(std::size_t n) : host(n) { require(cudaMalloc(&device, n * sizeof(T))); }
  ~Array() { cudaFree(device); }
  Array(Array&& other) noexcept : host(std::move(other.host)), device(std::exchange(other.device, nullptr)) {}
  Array& operator=(Array&&) = delete;

  static Array random(std::size_t n) {
    Array                                 a(n);
    std::mt19937                          engine(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (T& x : a.host) x = T(uniform(engine));
    a.upload();
    return a;
  }
  void upload() { require(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice)); }
  void download() {
    require(cudaDeviceSynchronize());
    require(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  }
};

// Compares every element with what it should be, prints one line, and returns the program's exit code.
template <class T, class Expected>
int verify(const char* name, const std::vector<T>& result, Expected expected, double tolerance = 0) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double difference = std::fabs(double(result[i]) - double(expected(i)));
    if (!(difference <= tolerance)) {
      if (wrong++ == 0) std::printf("%s: element %zu is %g, not %g\n", name, i, double(result[i]), double(expected(i)));
    }
  }
  // The bytes as one number (FNV-1a): the same wherever the example runs.
  unsigned long long hash  = 0xcbf29ce484222325;
  const auto*        bytes = reinterpret_cast<const unsigned char*>(result.data());
  for (std::size_t i = 0; i < result.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  if (wrong == 0) std::printf("%s: %zu elements, all right: %016llx\n", name, result.size(), hash);
  else std::printf("%s: %zu of %zu elements are wrong\n", name, wrong, result.size());
  return wrong == 0 ? 0 : 1;
}

inline int compute_capability() {
  int device = 0, major = 0, minor = 0;
  require(cudaGetDevice(&device));
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return major * 10 + minor;
}

// Runs `program` where there is a device for it: one of the engine, or older ones from `oldest` on. Exit code 77, by which
// CTest knows a skip, where there is none.
template <class Program> int main(Program program, int oldest = 90) {
  tma::Driver      driver;
  const tma::Error error = tma::system_driver(driver);
  if (error && (error.kind() != tma::ErrorKind::device_lacks_tma || compute_capability() < oldest)) {
    std::printf("skipped: %s", error.what());
    return 77;
  }
  try {
    return program();
  } catch (const std::exception& e) {
    std::printf("%s", e.what());
    return 1;
  }
}

}  // namespace example
