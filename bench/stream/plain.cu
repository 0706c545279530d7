// Variants without the copy engine, and the check of all variants' output.
#include "plain.cuh"

#include "../harness/device_array.hpp"
#include "stream.hpp"

namespace stream {
namespace {

template <class T> __device__ bool same(const T& x, const T& y) {
  const auto* const p   = reinterpret_cast<const unsigned char*>(&x);
  const auto* const q   = reinterpret_cast<const unsigned char*>(&y);
  bool              all = true;
  for (int k = 0; k < int(sizeof(T)); ++k) all &= p[k] == q[k];
  return all;
}

__global__ void sum_vectors(const float4* data, std::size_t n, float* result) {
  float sum = 0;
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x) {
    const float4 v = data[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 0.12345f) *result = sum;  // never, but the compiler does not know
}

template <class T, class Op>
__global__ void compare(const T* a, const T* b, const T* y, long long n, Op op, unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (long long i = blockIdx.x * (long long)(blockDim.x) + threadIdx.x; i < n; i += (long long)(gridDim.x) * blockDim.x)
    if constexpr (Op::inputs == 2) mine += !same(y[i], op(a[i], b[i]));
    else mine += !same(y[i], op(a[i]));
  if (mine) atomicAdd(wrong, mine);
}

template <int Vectors, int Threads, class T, class Op> void add(Variants& to, const Arrays<T>& s, const Op& op) {
  char name[64];
  std::snprintf(name, sizeof name, "plain: %d x 16 B a thread; %d threads", Vectors, Threads);
  to.push_back({name, harness::Kind::plain, [=](int round) {
                  const long long at = s.at(round);
                  plain<T, Op, Vectors, Threads>
                      <<<unsigned(s.n / (per_vector<T> * Vectors * Threads)), Threads>>>(s.a + at, s.b + at, s.y + at, op);
                  harness::require(cudaGetLastError(), "plain");
                }});
}

template <int Threads, class T, class Op> void add_kept(Variants& to, const Arrays<T>& s, const Op& op) {
  char name[64];
  std::snprintf(name, sizeof name, "plain: 16 B a thread evict_last; %d threads", Threads);
  to.push_back({name, harness::Kind::plain, [=](int round) {
                  const long long at = s.at(round);
                  plain_kept<T, Op, Threads>
                      <<<unsigned(s.n / (per_vector<T> * Threads)), Threads>>>(s.a + at, s.b + at, s.y + at, op);
                  harness::require(cudaGetLastError(), "plain");
                }});
}

}  // namespace

template <class T, class Op> void add_plain(Variants& to, const Arrays<T>& s, const Op& op) {
  add<1, 128>(to, s, op);
  add<2, 128>(to, s, op);
  add<1, 256>(to, s, op);
  add_kept<128>(to, s, op);
}

void read_all(const void* data, std::size_t bytes, float* result) {
  sum_vectors<<<1056, 256>>>(static_cast<const float4*>(data), bytes / 16, result);
  harness::require(cudaGetLastError(), "read_all");
}

// Spoils y after it, so that a variant that writes nothing is found.
template <class T, class Op> long long count_wrong(const Arrays<T>& s, const Op& op) {
  harness::DeviceArray<unsigned long long> wrong(1);
  unsigned long long                       n = 0;
  harness::require(cudaMemset(wrong.data, 0, sizeof n), "cudaMemset");
  compare<<<2048, 256>>>(s.a, s.b, s.y, s.n, op, wrong.data);
  harness::require(cudaMemcpy(&n, wrong.data, sizeof n, cudaMemcpyDeviceToHost), "the check");
  harness::require(cudaMemset(s.y, 0xa5, std::size_t(s.n) * sizeof(T)), "cudaMemset");
  return (long long)(n);
}

#define STREAM_PLAIN(T, Op)                                                          \
  template void      add_plain<T, Op<T>>(Variants&, const Arrays<T>&, const Op<T>&); \
  template long long count_wrong<T, Op<T>>(const Arrays<T>&, const Op<T>&);
STREAM_PLAIN(float, Copy)
STREAM_PLAIN(float, Scale)
STREAM_PLAIN(float, Add)
STREAM_PLAIN(float, Triad)
STREAM_PLAIN(char, Copy)
STREAM_PLAIN(char, Triad)
STREAM_PLAIN(__half, Copy)
STREAM_PLAIN(__half, Triad)
STREAM_PLAIN(double, Copy)
STREAM_PLAIN(double, Triad)
STREAM_PLAIN(Wide, Copy)

}  // namespace stream
