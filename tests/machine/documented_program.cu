// A program as it is, with a fault in its kernel: what follows the launch fails, and the exit code is not the program's own.
#include <tma/tma.hpp>

#include <cstdio>

__global__ void reversed(int* out) {
  __shared__ int value[32];
  value[threadIdx.x] = int(threadIdx.x);
  out[threadIdx.x]   = value[31 - threadIdx.x];
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(int));
  const tma::Error error = tma::try_launch(reversed, {.grid = 1, .block = 32}, out);
  std::printf("launched: %s; then: %s\n", error ? "no" : "yes", cudaGetErrorName(cudaDeviceSynchronize()));
  std::fflush(stdout);
  return 0;
}
