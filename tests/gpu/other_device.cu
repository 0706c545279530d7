// Two devices: a tensor on the one, and a kernel on the other. With one device nothing is asked.
#include <tma/host/check_allocation.hpp>
#include <tma/host/thread_descriptor.hpp>
#include <tma/host/with_address.hpp>
#include <tma/tma.hpp>

#include <cuda.h>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Moved = tma::Tile<int, tma::Shape<8, 32>>;
using Map   = tma::TmaDescriptor<const int, 2, Moved>;

__global__ void sum_tile(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Moved            tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);
  arrived.wait();
  if (block.rank() != 0) return;
  *out = 0;
  for (int i = 0; i < Moved::size; ++i) *out += tile[i];
}

struct Device {
  explicit Device(int device) { gpu::require(cudaSetDevice(device), "device"); }
  ~Device() { cudaSetDevice(0); }
};

int devices() {
  int n = 0;
  gpu::require(cudaGetDeviceCount(&n), "devices");
  if (n < 2) std::printf("one device: nothing to ask\n");
  return n;
}

// A tensor of ones on device 1.
struct There {
  int* data = nullptr;
  There() {
    const Device     one(1);
    std::vector<int> ones(Moved::size, 1);
    gpu::require(cudaMalloc(&data, ones.size() * sizeof(int)), "allocate");
    gpu::require(cudaMemcpy(data, ones.data(), ones.size() * sizeof(int), cudaMemcpyHostToDevice), "write");
  }
  ~There() {
    const Device one(1);
    cudaFree(data);
  }
  tma::TensorView<const int, 2> view() const { return {data, {8, 32}}; }
};

int sum(const Map& map) {
  gpu::Array<int> out(1);
  tma::launch(sum_tile, {.grid = 1, .block = 32}, map, out.get());
  gpu::finish();
  return out.download()[0];
}

}  // namespace

TEST_CASE("a tensor of another device is refused until the current one has access, and then loaded") {
  if (devices() < 2) return;
  const There there;
  int         can = 0;
  gpu::require(cudaDeviceCanAccessPeer(&can, 0, 1), "peers");

  const tma::Error error = tma::check_allocation(there.view());
  INFO(error.what());
  REQUIRE(error.kind() == tma::ErrorKind::rule_broken);
  CHECK(error.report().has("M16"));
  CHECK(tma::try_make_descriptor<Moved>(there.view()).error().report().has("M16"));
  CHECK(tma::try_make_thread_descriptor<Moved>(there.view()).error().report().has("C8"));
  CHECK(!tma::can_load<Moved>(there.view()));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK((std::string(error.what()).find("cudaDeviceEnablePeerAccess(1, 0)") != std::string::npos) == (can != 0));

  {  // Where it is, all is well.
    const Device one(1);
    CHECK(!tma::check_allocation(there.view()));
    CHECK(sum(tma::make_descriptor<Moved>(there.view())) == Moved::size);
  }
  if (!can) return;
  gpu::require(cudaDeviceEnablePeerAccess(1, 0), "access");
  const tma::Error now = tma::check_allocation(there.view());
  INFO(now.what());
  CHECK(!now);
  const auto made = tma::try_make_descriptor<Moved>(there.view());
  REQUIRE(made);
  CHECK(sum(*made) == Moved::size);
  CHECK(tma::try_make_thread_descriptor<Moved>(there.view()));
  gpu::require(cudaDeviceDisablePeerAccess(1), "no access");
  CHECK(tma::check_allocation(there.view()).report().has("M16"));
}

TEST_CASE("memory of a pool has access of its own") {
  if (devices() < 2) return;
  int can = 0;
  gpu::require(cudaDeviceCanAccessPeer(&can, 0, 1), "peers");
  int* data = nullptr;
  {
    const Device one(1);
    gpu::require(cudaMallocAsync(&data, Moved::size * sizeof(int), nullptr), "allocate");
    gpu::require(cudaMemset(data, 0, Moved::size * sizeof(int)), "write");
    gpu::require(cudaDeviceSynchronize(), "wait");
  }
  const tma::TensorView<const int, 2> view{data, {8, 32}};
  CHECK(tma::check_allocation(view).report().has("M16"));
  if (can) {
    cudaMemPool_t pool = nullptr;
    gpu::require(cudaDeviceGetDefaultMemPool(&pool, 1), "pool");
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id   = 0;
    access.flags         = cudaMemAccessFlagsProtReadWrite;
    gpu::require(cudaMemPoolSetAccess(pool, &access, 1), "access");
    const tma::Error now = tma::check_allocation(view);
    INFO(now.what());
    CHECK(!now);
    CHECK(sum(tma::make_descriptor<Moved>(view)) == 0);
  }
  const Device one(1);
  cudaFreeAsync(data, nullptr);
  cudaDeviceSynchronize();
}

TEST_CASE("managed and pinned memory is everyone's") {
  int* managed = nullptr;
  int* pinned  = nullptr;
  gpu::require(cudaMallocManaged(&managed, Moved::size * sizeof(int)), "managed");
  gpu::require(cudaHostAlloc(&pinned, Moved::size * sizeof(int), cudaHostAllocPortable), "pinned");
  for (int device = 0; device < devices(); ++device) {
    const Device here(device);
    for (int* p : {managed, pinned}) CHECK(!tma::check<Moved>(tma::TensorView<const int, 2>{p, {8, 32}}).has("M16"));
  }
  cudaFree(managed);
  cudaFreeHost(pinned);
}
