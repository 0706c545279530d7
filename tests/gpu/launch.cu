// What a launch asks of the runtime, on a device and on the simulator: shared memory from many threads, a kernel's own cluster,
// and the errors of what cannot be launched.
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

namespace ptx = tma::ptx;

// Counts in `good` the launches that have all of their shared memory. Each test case has a kernel that was never launched.
template <int> __global__ void uses_all(int* good, int bytes) {
  int* const words = reinterpret_cast<int*>(ptx::dynamic_shared());
  const int  last  = bytes / 4 - 1;
  if (threadIdx.x == 0) words[last] = last;
  __syncthreads();
  if (threadIdx.x == 1 && words[last] == last) atomicAdd(good, 1);
}

// The size and the rank that each block sees.
__global__ void __cluster_dims__(2, 1, 2) pair_of_pairs(unsigned* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0) out[block] = ptx::cluster_size() * 100 + ptx::cluster_rank();
}
constexpr int four = 4;
__cluster_dims__(four) __global__ void row_of_four(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = ptx::cluster_size() * 100 + ptx::cluster_rank();
}
__global__ void __cluster_dims__() any_cluster(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = ptx::cluster_size() * 100 + ptx::cluster_rank();
}
#if !defined(__clang__)
template <int Blocks> __global__ void __cluster_dims__(Blocks, 1, 1) row_of(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = ptx::cluster_size() * 100 + ptx::cluster_rank();
}
#endif
__global__ void no_cluster(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = ptx::cluster_size() * 100 + ptx::cluster_rank();
}

std::set<std::string> ids(const tma::Error& error) {
  INFO(error.what());
  CHECK(error.kind() == tma::ErrorKind::rule_broken);
  std::set<std::string> all;
  for (const tma::Violation& v : error.report()) all.insert(v.id);
  return all;
}
using Ids = std::set<std::string>;

}  // namespace

#if !defined(TMA_MACHINE)
TEST_CASE("four threads launch one kernel first, with shared memory of every size: no launch fails") {
  gpu::Array<int>          good(std::vector<int>(1, 0));
  std::atomic<int>         failed{0};
  std::vector<std::thread> threads;
  constexpr int            launches = 200;
  int                      device   = 0;
  gpu::require(cudaGetDevice(&device), "cudaGetDevice");
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      gpu::require(cudaSetDevice(device), "cudaSetDevice");
      for (int i = 0; i < launches; ++i) {
        const unsigned bytes = 1024u * (60u + unsigned(i * 37 + t * 53) % 161);
        failed += bool(tma::try_launch(uses_all<4>, {.grid = 1, .block = 32, .shared = bytes}, good.get(), int(bytes)));
      }
    });
  for (std::thread& t : threads) t.join();
  gpu::finish();
  CHECK(failed == 0);
  CHECK(good.download()[0] == 4 * launches);
}

TEST_CASE("a raised limit changes nothing of a launch that does not use it") {
  gpu::Array<int> good(std::vector<int>(1, 0));
  const auto      blocks = [](std::size_t shared) {
    int n = 0;
    gpu::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, uses_all<0>, 128, shared), "occupancy");
    return n;
  };
  const int plain = blocks(0), some = blocks(20 << 10);
  tma::launch(uses_all<0>, {.grid = 1, .block = 128, .shared = 100 << 10}, good.get(), 100 << 10);
  gpu::finish();
  CHECK(blocks(0) == plain);
  CHECK(blocks(20 << 10) == some);
  cudaFuncAttributes a{};
  gpu::require(cudaFuncGetAttributes(&a, uses_all<0>), "cudaFuncGetAttributes");
  CHECK(a.preferredShmemCarveout == cudaSharedmemCarveoutDefault);
}
#endif

TEST_CASE("one kernel with shared memory of every size, in any order") {
  gpu::Array<int> good(std::vector<int>(1, 0));
  int             launched = 0;
  for (unsigned kib : {1u, 47u, 48u, 49u, 220u, 60u, 227u, 2u, 100u}) {
    tma::launch(uses_all<1>, {.grid = 1, .block = 32, .shared = kib << 10}, good.get(), int(kib << 10));
    ++launched;
  }
  gpu::finish();
  CHECK(good.download()[0] == launched);
  CHECK((ids(tma::try_launch(uses_all<1>, {.grid = 1, .block = 32, .shared = 228 << 10}, good.get(), 4)) == Ids{"L4"}));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("a kernel's own cluster is that of its launches") {
  gpu::Array<unsigned> out(16);
  tma::launch(pair_of_pairs, {.grid = {2, 2, 2}, .block = 32}, out.get());
  gpu::finish();
  auto h = out.download();
  for (unsigned z = 0; z < 2; ++z)
    for (unsigned y = 0; y < 2; ++y)
      for (unsigned x = 0; x < 2; ++x) CHECK(h[(z * 2 + y) * 2 + x] == 400 + z * 2 + x);
  tma::launch(row_of_four, {.grid = 8, .block = 32}, out.get());
  gpu::finish();
  h = out.download();
  for (unsigned x = 0; x < 8; ++x) CHECK(h[x] == 400 + x % 4);
  tma::launch(row_of_four, {.grid = 4, .block = 32, .cluster = 4}, out.get());  // the same once more is no contradiction
  tma::launch(any_cluster, {.grid = 6, .block = 32, .cluster = 3}, out.get());
  gpu::finish();
  h = out.download();
  for (unsigned x = 0; x < 6; ++x) CHECK(h[x] == 300 + x % 3);
#if !defined(__clang__)
  tma::launch(row_of<8>, {.grid = 16, .block = 32}, out.get());
  gpu::finish();
  h = out.download();
  for (unsigned x = 0; x < 16; ++x) CHECK(h[x] == 800 + x % 8);
#endif
  tma::launch(no_cluster, {.grid = 3, .block = 32}, out.get());
  gpu::finish();
  CHECK(out.download()[2] == 100);
}

TEST_CASE("L3: what a kernel's own cluster does not fit") {
  gpu::Array<unsigned> out(64);
  const auto           refused = [&](void (*kernel)(unsigned*), const tma::LaunchConfig& c) {
    return ids(tma::try_launch(kernel, c, out.get()));
  };
  CHECK((refused(row_of_four, {.grid = 6, .block = 32}) == Ids{"L3"}));
  CHECK((refused(pair_of_pairs, {.grid = {2, 2, 3}, .block = 32}) == Ids{"L3"}));
  CHECK((refused(row_of_four, {.grid = 8, .block = 32, .cluster = 2}) == Ids{"L3"}));
  CHECK((refused(any_cluster, {.grid = 8, .block = 32}) == Ids{"L3"}));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  tma::launch(row_of_four, {.grid = 8, .block = 32}, out.get());  // and the next launch goes well
  gpu::finish();
  CHECK(out.download()[7] == 403);
}

TEST_CASE("L3: a cluster that the device may not have is launched, or refused with its largest") {
  gpu::Array<int>  good(std::vector<int>(1, 0));
  const tma::Error error =
      tma::try_launch(uses_all<2>, {.grid = 16, .block = 1024, .shared = 227 << 10, .cluster = 16}, good.get(), 227 << 10);
  if (error) CHECK((ids(error) == Ids{"L3"}));
  gpu::finish();
  CHECK(good.download()[0] == (error ? 0 : 16));
}

#if !defined(TMA_MACHINE)
namespace {

__global__ void __launch_bounds__(128) of_128_threads(int* out) { out[threadIdx.x] = 1; }

}  // namespace

TEST_CASE("L6: more threads than a kernel runs with") {
  gpu::Array<int> out(256);
  CHECK((ids(tma::try_launch(of_128_threads, {.grid = 1, .block = 256}, out.get())) == Ids{"L6"}));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  tma::launch(of_128_threads, {.grid = 1, .block = 128}, out.get());
  gpu::finish();
}

TEST_CASE("L7: a stream of another device, where there is one") {
  int devices = 0, current = 0;
  gpu::require(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  gpu::require(cudaGetDevice(&current), "cudaGetDevice");
  if (devices < 2) return;
  cudaStream_t stream;
  gpu::require(cudaSetDevice(current == 0 ? 1 : 0), "cudaSetDevice");
  gpu::require(cudaStreamCreate(&stream), "cudaStreamCreate");
  gpu::require(cudaSetDevice(current), "cudaSetDevice");
  gpu::Array<int> out(256);
  CHECK((ids(tma::try_launch(of_128_threads, {.grid = 1, .block = 128, .stream = stream}, out.get())) == Ids{"L7"}));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  gpu::require(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

// Last: nothing of this process is left after it.
TEST_CASE("after cudaDeviceReset a kernel has its shared memory again") {
  for (int i = 0; i < 2; ++i) {
    {
      gpu::Array<int> good(std::vector<int>(1, 0));
      tma::launch(uses_all<3>, {.grid = 1, .block = 32, .shared = 100 << 10}, good.get(), 100 << 10);
      gpu::finish();
      CHECK(good.download()[0] == 1);
    }
    gpu::require(cudaDeviceReset(), "cudaDeviceReset");
  }
}
#endif
