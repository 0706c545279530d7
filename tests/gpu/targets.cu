// The copy engine is that of sm_90, with or without what the letter adds: the same file built for each, and once as PTX alone,
// which the driver compiles.
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<float, tma::Shape<16, 32>, tma::Swizzle::bytes_128>;
using Line = tma::Buffer<float, 60>;

// A ring of tiles and buffers, whose sums go out as a tile; both ends by the engine, both kinds of copies, edges included.
__global__ void through(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> from,
                        const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> to, tma::AlignedPointer<const float> line,
                        int steps) {
  using Pipe = tma::Pipeline<3, Tile, Line>;
  struct Shared {
    Pipe::Shared ring;
    Tile         out;
  };
  auto& s     = tma::shared<Shared>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(s.out)) x = 0;
  block.sync();
  Pipe pipe(s.ring);
  pipe.for_each(
      steps,
      [&](auto load, int i) {
        load(from, {16 * i - 3, 0});
        load(line.chunk<60>(i));
      },
      [&](const Tile& tile, const Line& row, int) {
        for (int k = block.rank(); k < Tile::size; k += block.size()) s.out[k] += tile[k] + row[k % 60];
      });
  auto ready = block.publish(s.out);
  if (auto issuer = block.elect()) issuer.store(to, {int(blockIdx.x) * 16, 0}, ready);
}

// The blocks of a cluster load a tile each and send it to the other. No multicast: of that the assembler says, for plain sm_90,
// that later machines may be slow at it.
__global__ void exchange(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> from, float* out) {
  struct Shared {
    Tile             own, other;
    tma::LoadBarrier loaded, sent;
  };
  auto& s                      = tma::shared<Shared>();
  auto [cluster, loaded, sent] = tma::this_cluster<2>(s.loaded, s.sent);
  const int to                 = 1 - cluster.rank();
  if (auto issuer = cluster.elect()) {
    issuer.load(from, {16 * cluster.rank(), 0}, s.own, loaded);
    loaded.wait();
    issuer.send(tma::as_loaded(s.own), cluster.peer(s.other, to), cluster.peer(s.sent, to));
  }
  sent.wait();
  for (int k = cluster.block().rank(); k < Tile::size; k += cluster.block().size())
    out[int(blockIdx.x) * Tile::size + k] = s.other[k];
}

std::vector<float> numbered(int n) {
  std::vector<float> v(n);
  for (int i = 0; i < n; ++i) v[i] = float(i);
  return v;
}

}  // namespace

TEST_CASE("a kernel of copies alone runs as every kind of code") {
#if !defined(TMA_MACHINE)
  int                device = 0, major = 0;
  cudaFuncAttributes attributes{};
  gpu::require(cudaGetDevice(&device), "the device");
  gpu::require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "its capability");
  const cudaError_t found = cudaFuncGetAttributes(&attributes, through);
  if (found != cudaSuccess && (found == cudaErrorUnsupportedPtxVersion || major != 9)) {
    cudaGetLastError();
    WARN("this code is not for this device, or newer than its driver: " << cudaGetErrorName(found));
    return;
  }
  gpu::require(found, "a kernel's attributes");
  CHECK(attributes.ptxVersion == 90);
#endif
  constexpr int      steps = 7, blocks = 3, rows = steps * 16;
  gpu::Array<float>  in(numbered(rows * 32)), out(std::size_t(blocks) * Tile::size);
  tma::TensorView    view{static_cast<const float*>(in.get()), {rows, 32}};
  const auto         from = tma::make_descriptor<Tile>(view);
  std::vector<float> sums(Tile::size);
  for (int i = 0; i < steps; ++i)
    for (int k = 0; k < Tile::size; ++k) {
      const int row = 16 * i - 3 + k / 32;
      sums[k] += (row < 0 ? 0.f : float(row * 32 + k % 32)) + float(i * 60 + k % 60);
    }
  tma::launch(through, {.grid = blocks, .block = 96}, from,
              tma::make_descriptor<Tile>(tma::TensorView{out.get(), {blocks * 16, 32}}),
              tma::aligned(static_cast<const float*>(in.get())), steps);
  gpu::finish();
  const auto h = out.download();
  for (int i = 0; i < int(h.size()); ++i) REQUIRE(h[i] == sums[i % Tile::size]);

  gpu::Array<float> both(4 * Tile::size);
  tma::launch(exchange, {.grid = 4, .block = 64, .cluster = 2}, from, both.get());
  gpu::finish();
  const auto b = both.download();
  for (int i = 0; i < int(b.size()); ++i) REQUIRE(b[i] == float((i / Tile::size % 2 ? 0 : 16 * 32) + i % Tile::size));
}
