// What the programs that compare copies share: where copies land, barriers that hang nothing, memory on both sides, options.
#pragma once

#include <tma/tma.hpp>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "../support/gpu.hpp"
#include "differential.hpp"

namespace differential {

inline constexpr u32 threads      = 64;
inline constexpr u32 region_words = region_bytes / 8;
inline constexpr int polls        = 1000;  // a barrier that is short of bytes is said to be, and hangs nothing
inline constexpr u32 phase_done = 1, surplus_free = 2;

// The region starts at a multiple of 1024 in the shared window, so that a swizzle is the same wherever it lies.
TMA_DEVICE u64* region() {
  unsigned char* const first = tma::ptx::dynamic_shared();
  return reinterpret_cast<u64*>(first + (0u - tma::ptx::shared_address(first)) % 1024);
}

TMA_DEVICE bool completes(u32 barrier, u32 parity) {
  for (int i = 0; i < polls; ++i)
    if (tma::ptx::mbarrier_try_wait(barrier, parity)) return true;
  return false;
}

struct Barrier {
  u64 word;
};

// Memory on both sides, allocated once.
template <class T> class Mirrored {
public:
  explicit Mirrored(std::size_t count) {
    gpu::require(cudaMalloc(reinterpret_cast<void**>(&device_), count * sizeof(T)), "cudaMalloc");
    gpu::require(cudaMallocHost(reinterpret_cast<void**>(&host_), count * sizeof(T)), "cudaMallocHost");
  }
  ~Mirrored() {
    cudaFree(device_);
    cudaFreeHost(host_);
  }
  Mirrored(const Mirrored&)            = delete;
  Mirrored& operator=(const Mirrored&) = delete;

  T* device() const { return device_; }
  T* host() const { return host_; }

  void upload(std::size_t count) { copy(device_, host_, count, cudaMemcpyHostToDevice); }
  void download(std::size_t count) { copy(host_, device_, count, cudaMemcpyDeviceToHost); }

private:
  static void copy(T* to, const T* from, std::size_t count, cudaMemcpyKind kind) {
    gpu::require(cudaMemcpyAsync(to, from, count * sizeof(T), kind), "copy");
  }

  T *device_ = nullptr, *host_ = nullptr;
};

[[noreturn]] inline void refuse(const std::string& field, const std::string& value, const char* rule, const char* fix) {
  std::fprintf(stderr, "differential: %s = %s: %s. Fix: %s.\n", field.c_str(), value.c_str(), rule, fix);
  std::exit(2);
}

inline u64 number(const std::string& name, const std::string& text, u64 least) {
  char* end                  = nullptr;
  errno                      = 0;
  const unsigned long long n = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos || errno != 0 || n < least)
    refuse(name, text, least ? "a decimal number from 1 to 2^64 - 1" : "a decimal number from 0 to 2^64 - 1",
           least ? "write digits only, and not all of them 0" : "write digits only");
  return n;
}

inline std::FILE* opened(const char* option, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (!file) refuse(option, path, "the file cannot be written", "name a folder that exists");
  return file;
}

}  // namespace differential
