// Pairs that are no twins, each for one reason: check.py must find every one of them.
#include "../twins/raw.hpp"

struct alignas(128) Shared {
  float              tile[1024];
  unsigned long long barrier;
};

__device__ __forceinline__ void load(Shared& s, const CUtensorMap& in, float* out, bool issues) {
  raw::start(threadIdx.x, [&] { raw::mbar_init(&s.barrier, 1); });
  if (issues) {
    raw::load(s.tile, in, &s.barrier, 0, 0);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  raw::wait(&s.barrier, 0);
  out[threadIdx.x] = s.tile[threadIdx.x];
}

// A thread that the compiler does not know to be the only one: a loop around the copy.
extern "C" __global__ void tma_peeled(const __grid_constant__ CUtensorMap in, float* out) {
  __shared__ Shared s;
  load(s, in, out, threadIdx.x == 0);
}
extern "C" __global__ void raw_peeled(const __grid_constant__ CUtensorMap in, float* out) {
  __shared__ Shared s;
  load(s, in, out, raw::elect_sync() & (threadIdx.x < 32));
}

// One fence too many.
extern "C" __global__ void tma_fence(float* out) {
  __shared__ float x[256];
  x[threadIdx.x] = *out;
  raw::fence_async_shared();
  raw::fence_async_shared();
  __syncthreads();
  *out = x[threadIdx.x ^ 1];
}
extern "C" __global__ void raw_fence(float* out) {
  __shared__ float x[256];
  x[threadIdx.x] = *out;
  raw::fence_async_shared();
  __syncthreads();
  *out = x[threadIdx.x ^ 1];
}

// One fence too few is no twin either.
extern "C" __global__ void tma_no_fence(float* out) {
  __shared__ float x[256];
  x[threadIdx.x] = *out;
  __syncthreads();
  *out = x[threadIdx.x ^ 1];
}
extern "C" __global__ void raw_no_fence(float* out) {
  __shared__ float x[256];
  x[threadIdx.x] = *out;
  raw::fence_async_shared();
  __syncthreads();
  *out = x[threadIdx.x ^ 1];
}

// The same instructions, more shared memory.
extern "C" __global__ void tma_shared(float* out) {
  __shared__ float x[512];
  x[threadIdx.x] = *out;
  __syncthreads();
  *out = x[threadIdx.x ^ 1];
}
extern "C" __global__ void raw_shared(float* out) {
  __shared__ float x[256];
  x[threadIdx.x] = *out;
  __syncthreads();
  *out = x[threadIdx.x ^ 1];
}

// The same instructions on both sides, in local memory.
extern "C" __global__ void tma_local(float* out, int i) {
  volatile float x[32];
  x[i] = *out;
  *out = x[i ^ 1];
}
extern "C" __global__ void raw_local(float* out, int i) {
  volatile float x[32];
  x[i] = *out;
  *out = x[i ^ 1];
}

// The same instruction, with another modifier.
extern "C" __global__ void tma_modifier(int* out) { *out = __ldcg(out + 1); }
extern "C" __global__ void raw_modifier(int* out) { *out = out[1]; }
