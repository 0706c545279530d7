// What every device test needs: memory that cleans up after itself, guard zones, and a wait that cannot hang.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace gpu {

// Sees what tests read of device memory.
inline void (*on_download)(const void* data, std::size_t bytes) = nullptr;

// How often something is done: fewer times on the CPU machine, and where TMA_TEST_SMALL is set, to record on a device what
// such a run must reproduce.
inline bool small_runs() {
#if defined(TMA_MACHINE)
  return true;
#else
  const char* set = std::getenv("TMA_TEST_SMALL");
  return set && *set;
#endif
}
inline int scaled(int full, int small) { return small_runs() ? small : full; }

inline void require(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s (%s)\n", what, cudaGetErrorName(e), cudaGetErrorString(e));
  std::fflush(stderr);
  _exit(3);  // the context is lost: what follows would only fail again
}

// Waits for the device. After `seconds` the process ends: a kernel that hangs leaves nothing behind.
inline cudaError_t wait(double seconds = 20) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const cudaError_t e = cudaStreamQuery(nullptr);
    if (e != cudaErrorNotReady) return e != cudaSuccess ? e : cudaDeviceSynchronize();
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) {
      std::fprintf(stderr, "watchdog: the kernel did not finish within %g s\n", seconds);
      std::fflush(stderr);
      _exit(124);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

inline void finish() {
  require(cudaGetLastError(), "launch");
  require(wait(), "kernel");
}

// Device memory with its contents on the host beside it.
template <class T> class Array {
public:
  explicit Array(std::size_t count) : count_(count) {
    require(cudaMalloc(&data_, count * sizeof(T) + 1), "cudaMalloc");
    require(cudaMemset(data_, 0xcd, count * sizeof(T) + 1), "cudaMemset");  // the same on every machine
  }
  explicit Array(const std::vector<T>& host) : Array(host.size()) { upload(host); }
  ~Array() { cudaFree(data_); }
  Array(const Array&)            = delete;
  Array& operator=(const Array&) = delete;

  T*          get() const { return data_; }
  std::size_t size() const { return count_; }

  void upload(const std::vector<T>& host) {
    require(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "upload");
  }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    require(cudaMemcpy(static_cast<void*>(host.data()), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
    if (on_download) on_download(host.data(), count_ * sizeof(T));
    return host;
  }
  void fill(unsigned char byte) { require(cudaMemset(data_, byte, count_ * sizeof(T)), "fill"); }

private:
  T*          data_ = nullptr;
  std::size_t count_;
};

// Random bytes, the same for the same seed.
struct Random {
  std::uint64_t state;
  explicit Random(std::uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull + 1) {}
  std::uint64_t operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  int below(int n) { return int((*this)() % std::uint64_t(n)); }
};

template <class T> std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  std::vector<T> v(count);
  Random         random(seed);
  for (T& x : v) {
    const std::uint64_t bits = random();
    if constexpr (std::is_floating_point_v<T>) x = T(double(bits >> 11) / double(1ull << 52) - 1);
    else std::memcpy(static_cast<void*>(&x), &bits, sizeof(T) < 8 ? sizeof(T) : 8);
  }
  return v;
}

}  // namespace gpu
