// What only a device can show: its own memory and graphs, clusters, and launches by the compiler's own syntax. The other
// tests of this folder also run on the CPU machine.
#include "transfer.hpp"

using tma::Shape;
using tma::Tile;

TEST_CASE("a tensor of more than 4 GiB is reached to its end") {
  using T                     = Tile<unsigned char, Shape<8, 128>>;
  constexpr std::int64_t rows = (1 << 20) + 3, columns = 4096;
  unsigned char*         big;
  if (cudaMalloc(&big, rows * columns) != cudaSuccess) {
    cudaGetLastError();
    WARN("not enough memory for a tensor of 4 GiB");
    return;
  }
  const auto                both = tma::make_descriptor<T>(tma::TensorView{big, {rows, columns}});
  const auto                data = gpu::random_values<unsigned char>(8 * 128, 1);
  gpu::Array<unsigned char> tile(data);
  gpu::require(cudaMemset2D(big + (rows - 5) * columns, columns, 0, columns, 5), "memset");
  const tma::Coord<2> at{int(rows - 5), 3968};
  tma::launch(transfer::store_tile<T>, {.grid = 1, .block = 64}, both, at, tile.get());
  tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, both, at, tile.get());
  gpu::finish();
  const auto h = tile.download();
  for (int i = 0; i < 8 * 128; ++i) REQUIRE(h[i] == (i < 5 * 128 ? data[i] : 0));
  std::vector<unsigned char> row(128);
  gpu::require(cudaMemcpy(row.data(), big + (rows - 1) * columns + 3968, 128, cudaMemcpyDeviceToHost), "download");
  CHECK(std::equal(row.begin(), row.end(), data.begin() + 4 * 128));
  cudaFree(big);
}

namespace {

using Room = Tile<float, Shape<32, 32>>;

__global__ void cluster_size(unsigned* out) {
  unsigned n;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(n));
  if (threadIdx.x == 0) atomicAdd(&out[n], 1);
}

__global__ void first_element(const __grid_constant__ tma::TmaDescriptor<const float, 2, Room> from, int tag, double x,
                              float* out) {
  struct Shared {
    Room             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);
  arrived.wait();
  if (block.rank() == 0) out[0] = tile[0], out[1] = float(tag), out[2] = float(x);
}

}  // namespace

TEST_CASE("a descriptor is an argument of a launch by the compiler's syntax") {
  gpu::Array<float> one(std::vector<float>(1024, 1.5f)), out(3);
  const auto        from = tma::make_descriptor<Room>(tma::TensorView{static_cast<const float*>(one.get()), {32, 32}});
  first_element<<<1, 32>>>(from, 0x5a, 7.0, out.get());
  gpu::finish();
  CHECK(out.download() == std::vector<float>{1.5f, 90.f, 7.f});
}

TEST_CASE("what the driver accepts and the engine does not is refused") {
  float* const      host = static_cast<float*>(std::malloc(1 << 16));
  gpu::Array<float> in(1024);
  tma::Driver       driver;
  REQUIRE(!tma::system_driver(driver));
  CHECK(tma::check<Room>(tma::TensorView{static_cast<float*>(nullptr), {32, 32}}).has("M2"));
  if (!driver.reads_pageable)
    CHECK(tma::check<Room>(
              tma::TensorView{reinterpret_cast<float*>((reinterpret_cast<std::size_t>(host) + 255) / 256 * 256), {32, 32}})
              .has("M3"));
  std::free(host);
  float* pinned;
  gpu::require(cudaHostAlloc(&pinned, 1 << 16, 0), "cudaHostAlloc");
  CHECK(tma::try_make_descriptor<Room>(tma::TensorView{pinned, {32, 32}}));
  cudaFreeHost(pinned);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("launch forms clusters") {
  gpu::Array<unsigned> sizes(std::vector<unsigned>(17, 0));
  tma::launch(cluster_size, {.grid = 8, .block = 32, .cluster = 4}, sizes.get());
  tma::launch(cluster_size, {.grid = 16, .block = 32, .cluster = 16}, sizes.get());
  tma::launch(cluster_size, {.grid = 5, .block = 32}, sizes.get());
  gpu::finish();
  const auto h = sizes.download();
  CHECK(h[4] == 8);
  CHECK(h[16] == 16);
  CHECK(h[1] == 5);
  CHECK(tma::try_launch(cluster_size, {.grid = 5, .block = 32, .cluster = 2}, sizes.get()).report().has("L3"));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("a descriptor is made, and launched with, while a stream is captured; the graph keeps its own copy") {
  const auto        data = gpu::random_values<float>(64 * 64, 4);
  gpu::Array<float> in(data), out(1024);
  cudaStream_t      stream;
  cudaGraph_t       graph;
  cudaGraphExec_t   executable;
  gpu::require(cudaStreamCreate(&stream), "cudaStreamCreate");
  gpu::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  {
    auto from = tma::make_descriptor<Room>(tma::TensorView{static_cast<const float*>(in.get()), {64, 64}});
    tma::launch(transfer::load_tile<Room>, {.grid = 1, .block = 64, .stream = stream}, from, tma::Coord<2>{5, 32},
                out.get());
    std::memset(static_cast<void*>(&from), 0, sizeof from);
  }
  gpu::require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  gpu::require(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int replay = 0; replay < 3; ++replay) {
    out.fill(0);
    gpu::finish();
    gpu::require(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    gpu::require(cudaStreamSynchronize(stream), "a graph");
    REQUIRE(
        transfer::same_bits(out.download(), reference::load<Room>(data, reference::Tensor<2>{{64, 64}, {64, 1}}, {5, 32})));
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
