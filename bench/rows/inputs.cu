// Random rows, and whether results are those of double precision.
#include "rows.hpp"

#include <cuda_bf16.h>

#include "../harness/require.hpp"

namespace rows {
namespace {

constexpr int threads = 256;

template <class T> __global__ void fill_kernel(T* data, std::size_t n, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
    z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    data[i]              = T(float(z >> 40) * (8.f / (1 << 24)) - 4.f);
  }
}

__device__ double sum_of(double x, double* partial) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = x;
  __syncthreads();
  x = 0;
  for (int i = 0; i < threads / 32; ++i) x += partial[i];
  return x;
}

// A block a row. The inputs are below 4: no maximum is needed.
template <class T>
__global__ void __launch_bounds__(threads)
    check_kernel(Op op, const T* in, const T* out, const T* weight, int n, double tolerance, unsigned* wrong) {
  __shared__ double partial[threads / 32];
  in += (long long)blockIdx.x * n;
  out += (long long)blockIdx.x * n;
  double sum = 0;
  for (int i = int(threadIdx.x); i < n; i += threads) {
    const double x = double(float(in[i]));
    sum += op == Op::softmax ? exp(x) : x * x;
  }
  sum                 = sum_of(sum, partial);
  const double factor = op == Op::softmax ? 1 / sum : rsqrt(sum / n + double(epsilon));
  unsigned     bad    = 0;
  for (int i = int(threadIdx.x); i < n; i += threads) {
    const double x = double(float(in[i]));
    const double y = (op == Op::softmax ? exp(x) : x * double(float(weight[i]))) * factor;
    bad += !(fabs(double(float(out[i])) - y) <= tolerance * fabs(y));
  }
  if (bad) atomicAdd(wrong, bad);
}

template <class T> void launch_check(const Work& w, double tolerance, unsigned* counter) {
  check_kernel<<<unsigned(w.rows), threads>>>(w.op, static_cast<const T*>(w.in), static_cast<const T*>(w.out),
                                              static_cast<const T*>(w.weight), w.n, tolerance, counter);
}

}  // namespace

void fill(Type type, void* data, std::size_t elements, unsigned long long seed) {
  if (type == Type::bf16) fill_kernel<<<4096, 256>>>(static_cast<__nv_bfloat16*>(data), elements, seed);
  else fill_kernel<<<4096, 256>>>(static_cast<float*>(data), elements, seed);
  harness::require(cudaGetLastError(), "fill");
}

std::string check(const Work& work, unsigned* counter) {
  harness::require(cudaMemset(counter, 0, sizeof *counter), "cudaMemset");
  if (work.type == Type::bf16) launch_check<__nv_bfloat16>(work, 1. / 240, counter);  // half a unit of the last place: 2^-8
  else launch_check<float>(work, 1e-5, counter);
  unsigned wrong = 0;
  harness::require(cudaMemcpy(&wrong, counter, sizeof wrong, cudaMemcpyDeviceToHost), "a check");
  // The next output is not to look right because this one was.
  harness::require(
      cudaMemset(work.out, 0xff, std::size_t(work.rows) * std::size_t(work.n) * std::size_t(bytes_of(work.type))),
      "cudaMemset");
  if (wrong) return std::to_string(wrong) + " elements are wrong";
  return {};
}

}  // namespace rows
