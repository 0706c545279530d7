// What the modes are held against on a device: one element a thread and step, no shared memory.
#pragma once

#include "kernels.cuh"

namespace sweep {

static __global__ void reference(const float* in, float* out, size_t n, int fma) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    float x = in[i];
    for (int f = 0; f < fma; ++f) x = fmaf(x, factor, term);
    out[i] = x;
  }
}

// Counts elements that differ in any bit.
static __global__ void differences(const unsigned* a, const unsigned* b, size_t n, unsigned long long* count) {
  unsigned long long mine = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    mine += a[i] != b[i];
  if (mine) atomicAdd(count, mine);
}

static __global__ void fold(const unsigned* a, size_t n, unsigned* folded) {
  unsigned mine = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) mine ^= a[i];
  atomicXor(folded, mine);
}

static __global__ void randomise(float* a, size_t n, unsigned long long seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    a[i] = input_at(i, seed);
}

}  // namespace sweep
