// Kernels that every measurement needs beside its own.
#pragma once

#include <cstddef>

namespace harness {

// Keeps the device busy for so long: one thread. What is launched behind it starts without a launch's delay.
static __global__ void hold_device(long long nanoseconds) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
}

// Fills memory with words that depend on the seed alone.
static __global__ void randomise(unsigned* data, std::size_t n, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
    z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    data[i]              = unsigned(z >> 32);
  }
}

}  // namespace harness
