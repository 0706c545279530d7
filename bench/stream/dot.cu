// Variants of the dot product.
#include "dot.cuh"

#include <memory>

#include "../harness/device_array.hpp"
#include "ours.cuh"

namespace stream {
namespace {

__global__ void sum_exactly(const float* a, const float* b, long long n, double* sums) {
  double sum = 0, size = 0;
  for (long long i = blockIdx.x * (long long)(blockDim.x) + threadIdx.x; i < n; i += (long long)(gridDim.x) * blockDim.x) {
    sum += double(a[i]) * b[i];
    size += fabs(double(a[i]) * b[i]);
  }
  atomicAdd(sums, sum);
  atomicAdd(sums + 1, size);
}

// What the blocks leave; lives as long as the variants.
struct Scratch {
  harness::DeviceArray<float>    sum{4096};
  harness::DeviceArray<unsigned> ended{1};
  Scratch() { harness::require(cudaMemset(ended.data, 0, sizeof(unsigned)), "cudaMemset"); }
};

template <int Bytes, int Stages, int Threads>
void add(Variants& to, const Arrays<float>& s, const std::shared_ptr<Scratch>& scratch, float* result, int multiprocessors,
         int blocks) {
  using Tile           = tma::Buffer<float, Bytes / 4>;
  const auto    kernel = dot<Tile, Stages, Threads>;
  constexpr int shared = int(tma::shared_bytes<typename tma::Pipeline<Stages, Tile, Tile>::Shared>);
  shared_for(kernel, 0);
  char name[96];
  std::snprintf(name, sizeof name, "tma::Pipeline 2 x %g KiB x %d x %d", Bytes / 1024., Stages, blocks);
  const int tiles = int(s.n / Tile::size), grid = std::min(tiles, blocks * multiprocessors);
  to.push_back({name,
                harness::Kind::ours,
                [=](int round) {
                  const long long at = s.at(round);
                  tma::launch(kernel, {.grid = grid, .block = Threads, .shared = tma::detail::u64(shared)}, input(s.a + at),
                              input(s.b + at), Partials{scratch->sum.data, scratch->ended.data, result}, tiles);
                },
                {},
                2. * Bytes * Stages * blocks});
}

template <int Vectors, int Threads>
void add_plain(Variants& to, const Arrays<float>& s, const std::shared_ptr<Scratch>& scratch, float* result,
               int multiprocessors, int blocks) {
  char name[96];
  std::snprintf(name, sizeof name, "plain: 2 x %d x 16 B a thread; %d threads x %d", Vectors, Threads, blocks);
  const int grid = int(std::min<long long>(s.n / (4 * Vectors * Threads), blocks * multiprocessors));
  to.push_back({name,
                harness::Kind::plain,
                [=](int round) {
                  const long long at = s.at(round);
                  plain_dot<Vectors, Threads><<<unsigned(grid), Threads>>>(
                      s.a + at, s.b + at, Partials{scratch->sum.data, scratch->ended.data, result}, s.n);
                  harness::require(cudaGetLastError(), "plain dot");
                },
                {},
                2. * 16 * Vectors * Threads * blocks});
}

}  // namespace

void add_dot(Variants& to, const Arrays<float>& s, float* result, int multiprocessors) {
  const auto scratch = std::make_shared<Scratch>();
  add<8192, 2, 128>(to, s, scratch, result, multiprocessors, 4);
  add<4096, 2, 128>(to, s, scratch, result, multiprocessors, 8);
  add<16384, 2, 256>(to, s, scratch, result, multiprocessors, 2);
  add_plain<1, 256>(to, s, scratch, result, multiprocessors, 8);
  add_plain<2, 256>(to, s, scratch, result, multiprocessors, 8);
  add_plain<4, 256>(to, s, scratch, result, multiprocessors, 4);
}

double dot_error(const Arrays<float>& s, const float* result) {
  harness::DeviceArray<double> sums(2);
  double                       right[2];
  float                        got = 0;
  harness::require(cudaMemset(sums.data, 0, sizeof right), "cudaMemset");
  sum_exactly<<<1024, 256>>>(s.a, s.b, s.n, sums.data);
  harness::require(cudaMemcpy(right, sums.data, sizeof right, cudaMemcpyDeviceToHost), "the sum");
  harness::require(cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost), "the sum");
  harness::require(cudaMemset(const_cast<float*>(result), 0xa5, sizeof got), "cudaMemset");
  return fabs(got - right[0]) / right[1];
}

}  // namespace stream
