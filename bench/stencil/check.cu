// Random values, and whether results are those of double precision.
#include "../harness/require.hpp"
#include "math.cuh"

namespace stencil {
namespace {

__global__ void fill_kernel(float* data, std::size_t n, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
    z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    data[i]              = float(z >> 40) * (2.f / (1 << 24)) - 1.f;
  }
}

__global__ void check_kernel(const Work w, unsigned* wrong) {
  const Weights k = weights_of(w.points);
  const auto    x = [&](int plane, int row, int column) { return double(value_at(w, plane, row, column)); };
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (long long)w.depth * w.height * w.pitch;
       i += (long long)gridDim.x * blockDim.x) {
    const int c = int(i % w.pitch), r = int(i / w.pitch % w.height), p = int(i / w.pitch / w.height);
    if (c >= w.width) {  // untouched
      if (__float_as_uint(w.out[i]) != ~0u) atomicAdd(wrong, 1u);
      continue;
    }
    double y = double(k.centre) * x(p, r, c), edges = x(p, r - 1, c) + x(p, r + 1, c) + x(p, r, c - 1) + x(p, r, c + 1);
    if (w.points == Points::seven) edges += x(p - 1, r, c) + x(p + 1, r, c);
    if (w.points == Points::nine)
      y += double(k.corner) * (x(p, r - 1, c - 1) + x(p, r - 1, c + 1) + x(p, r + 1, c - 1) + x(p, r + 1, c + 1));
    y += double(k.edge) * edges;
    if (!(fabs(double(w.out[i]) - y) <= 1e-6)) atomicAdd(wrong, 1u);
  }
}

}  // namespace

void fill(float* data, std::size_t n, unsigned long long seed) {
  fill_kernel<<<4096, 256>>>(data, n, seed);
  harness::require(cudaGetLastError(), "fill");
}

void spoil(const Work& w) {
  harness::require(cudaMemset(w.out, 0xff, std::size_t(w.rows()) * std::size_t(w.pitch) * sizeof(float)), "cudaMemset");
}

std::string check(const Work& w, unsigned* counter) {
  harness::require(cudaMemset(counter, 0, sizeof *counter), "cudaMemset");
  check_kernel<<<4096, 256>>>(w, counter);
  unsigned wrong = 0;
  harness::require(cudaMemcpy(&wrong, counter, sizeof wrong, cudaMemcpyDeviceToHost), "a check");
  spoil(w);
  return wrong ? std::to_string(wrong) + " elements are wrong" : std::string();
}

}  // namespace stencil
