// The kernels of check.hpp.
#include "check.hpp"

#include <cmath>

#include "../harness/device_array.hpp"
#include "../harness/require.hpp"

namespace check {
namespace {

using harness::require;

template <class T> __global__ void fill_kernel(T* data, std::size_t n, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed * 0xd1342543de82ef95ull;
    z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    data[i]              = T(float(unsigned(z >> 40)) * 0x1p-23f - 1.f);
  }
}

template <class T> __global__ void reference_kernel(gemm::Problem<T> p) {
  const int n = int(blockIdx.x * blockDim.x + threadIdx.x), m = int(blockIdx.y);
  if (n >= p.n) return;
  float sum = 0;
  for (int k = 0; k < p.k; ++k)
    sum = fmaf(float(p.a[std::size_t(m) * p.pitch_a + k]), float(p.b[std::size_t(n) * p.pitch_b + k]), sum);
  p.c[std::size_t(m) * p.pitch_c + n] = T(sum);
}

struct Errors {
  double   difference, expected;  // sums of squares
  unsigned largest;               // bits of the largest difference, which is no negative number
  unsigned strange;               // elements that are no numbers
};

template <class T> __global__ void compare_kernel(gemm::Problem<T> p, const T* expected, Errors* errors) {
  double   difference = 0, square = 0;
  float    largest = 0;
  unsigned strange = 0;
  for (int n = int(blockIdx.x * blockDim.x + threadIdx.x); n < p.n; n += int(gridDim.x * blockDim.x)) {
    const std::size_t at = std::size_t(blockIdx.y) * p.pitch_c + n;
    const float       x = float(p.c[at]), y = float(expected[at]), d = fabsf(x - y);
    if (!(d < 1e30f)) ++strange;
    else largest = fmaxf(largest, d);
    difference += double(d) * d;
    square += double(y) * y;
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    difference += __shfl_xor_sync(0xffffffffu, difference, apart);
    square += __shfl_xor_sync(0xffffffffu, square, apart);
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, apart));
    strange += __shfl_xor_sync(0xffffffffu, strange, apart);
  }
  if (threadIdx.x % 32) return;
  atomicAdd(&errors->difference, difference);
  atomicAdd(&errors->expected, square);
  atomicMax(&errors->largest, __float_as_uint(largest));
  if (strange) atomicAdd(&errors->strange, strange);
}

}  // namespace

template <class T> void fill(T* data, std::size_t n, unsigned seed) {
  fill_kernel<<<1024, 256>>>(data, n, seed);
  require(cudaGetLastError(), "fill");
}

template <class T> void poison(T* data, std::size_t n) { require(cudaMemset(data, 0xff, n * sizeof(T)), "cudaMemset"); }

template <class T> void reference(const gemm::Problem<T>& problem) {
  reference_kernel<<<dim3(unsigned(problem.n + 127) / 128, unsigned(problem.m)), 128>>>(problem);
  require(cudaGetLastError(), "reference");
}

template <class T> std::string compare(const gemm::Problem<T>& p, const T* expected) {
  harness::DeviceArray<Errors> device(1);
  require(cudaMemset(device.data, 0, sizeof(Errors)), "cudaMemset");
  compare_kernel<<<dim3(8, unsigned(p.m)), 128>>>(p, expected, device.data);
  Errors e{};
  require(cudaMemcpy(&e, device.data, sizeof(Errors), cudaMemcpyDeviceToHost), "compare");
  float largest = 0;
  static_assert(sizeof(largest) == sizeof(e.largest));
  __builtin_memcpy(&largest, &e.largest, sizeof(largest));
  const double relative = std::sqrt(e.difference / e.expected), rms = std::sqrt(e.expected / p.m / p.n);
  if (e.strange == 0 && relative <= 2e-3 && largest <= 0.05 * rms) return {};
  char text[200];
  std::snprintf(text, sizeof(text), "relative error %.3g, largest difference %.3g of %.3g root mean square, %u no numbers",
                relative, double(largest), rms, e.strange);
  return text;
}

#define CHECK_INSTANTIATE(T)                                  \
  template void        fill<T>(T*, std::size_t, unsigned);    \
  template void        poison<T>(T*, std::size_t);            \
  template void        reference<T>(const gemm::Problem<T>&); \
  template std::string compare<T>(const gemm::Problem<T>&, const T*)
CHECK_INSTANTIATE(__nv_bfloat16);
CHECK_INSTANTIATE(__half);

}  // namespace check
