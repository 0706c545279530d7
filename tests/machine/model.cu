// What CUDA promises, on the machine: warps and blocks, shared memory, blocks that wait for each other, types and timelines.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tma/machine/machine.hpp>
#include <tma/tma.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using tma::machine::Strategy;

tma::machine::Result clean(const std::function<void()>& program, int schedules = 20) {
  auto result = tma::machine::explore({.schedules = schedules}, program);
  INFO(result.text());
  CHECK(result.clean());
  return result;
}

// A later block sets what an earlier one waits for, and the other way round.
__global__ void ping_pong(int* flags, int rounds, int* seen) {
  __shared__ int last;  // of this block, whichever runs beside it
  const int      me = int(blockIdx.x), other = 1 - me;
  if (threadIdx.x == 0) {
    last = me * 1000;
    for (int i = 1; i <= rounds; ++i) {
      if (me == 0)
        while (atomicAdd(&flags[other], 0) < i) __nanosleep(100);
      __threadfence();
      atomicExch(&flags[me], i);
      if (me == 1)
        while (atomicAdd(&flags[other], 0) < i) {}
      last += i;
    }
  }
  __syncthreads();
  seen[blockIdx.x * blockDim.x + threadIdx.x] = last;
}

__global__ void warps(int* out, int n) {
  const int rank = int(threadIdx.x), lane = rank % 32;
  int       sum = rank;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  const unsigned odd   = __ballot_sync(0xffffffff, rank & 1);
  const int      first = __shfl_sync(0xffffffff, rank, 0), up = __shfl_up_sync(0xffffffff, rank, 1);
  int            half = 0;  // a branch of its own, with its own lanes
  if (lane < 16) half = __any_sync(0x0000ffff, lane == 3);
  else half = __all_sync(0xffff0000, lane > 15) * 2;
  out[rank * 5 + 0] = sum;
  out[rank * 5 + 1] = int(odd);
  out[rank * 5 + 2] = first * 1000 + up;
  out[rank * 5 + 3] = half;
  out[rank * 5 + 4] = __syncthreads_count(rank < n);
}

__global__ void shapes(int* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned rank  = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + rank] = int(block * 10000 + tma::this_block().rank());
}

// Two named barriers among two halves of a block, and one that some only arrive at.
__global__ void named(int* out) {
  __shared__ int value[2];
  const int      half = int(threadIdx.x) / 64;
  if (threadIdx.x % 64 == 0) value[half] = half + 7;
  tma::ptx::sync_threads(1 + half, 64);
  out[threadIdx.x] = value[half];
}

__global__ void halves(const __half* a, const __nv_bfloat16* b, float* out) {
  const int i = int(threadIdx.x);
  out[i]      = __half2float(__hfma(a[i], __float2half(2.f), __float2half(1.f))) + __bfloat162float(b[i]);
}

__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float            sum = 0;
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) sum += in[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) *out = sum;
  }
}

}  // namespace

TEST_CASE("blocks wait for one another, in both directions") {
  gpu::Array<int> flags(2), seen(64);
  clean([&] {
    flags.fill(0);
    tma::launch(ping_pong, {.grid = 2, .block = 32}, flags.get(), 5, seen.get());
  });
  const auto h = seen.download();
  for (int t = 0; t < 64; ++t) CHECK(h[t] == t / 32 * 1000 + 15);
}

TEST_CASE("shuffles, votes and counts of a warp and a block") {
  for (int threads : {32, 64, 1024}) {
    gpu::Array<int> out(std::size_t(threads) * 5);
    clean([&] { tma::launch(warps, {.grid = 1, .block = threads}, out.get(), 20); }, 5);
    const auto h = out.download();
    for (int t = 0; t < threads; ++t) {
      const int warp = t / 32 * 32;
      REQUIRE(h[t * 5] == 32 * warp + 496);
      REQUIRE(unsigned(h[t * 5 + 1]) == 0xaaaaaaaa);
      REQUIRE(h[t * 5 + 2] == warp * 1000 + (t % 32 ? t - 1 : t));
      REQUIRE(h[t * 5 + 3] == (t % 32 < 16 ? 1 : 2));
      REQUIRE(h[t * 5 + 4] == 20);
    }
  }
}

TEST_CASE("grids and blocks of three dimensions") {
  gpu::Array<int> out(2 * 3 * 4 * 105);
  clean([&] { tma::launch(shapes, {.grid = {2, 3, 4}, .block = {3, 5, 7}}, out.get()); }, 3);
  const auto h = out.download();
  for (int i = 0; i < int(h.size()); ++i) REQUIRE(h[i] == i / 105 * 10000 + i % 105);
}

TEST_CASE("named barriers") {
  gpu::Array<int> out(128);
  clean([&] { tma::launch(named, {.grid = 1, .block = 128}, out.get()); });
  const auto h = out.download();
  for (int t = 0; t < 128; ++t) REQUIRE(h[t] == t / 64 + 7);
}

TEST_CASE("half types compute as on a device") {
  std::vector<__half>        a(64);
  std::vector<__nv_bfloat16> b(64);
  for (int i = 0; i < 64; ++i) a[i] = __float2half(float(i) / 8), b[i] = __float2bfloat16(float(i));
  gpu::Array<__half>        da(a);
  gpu::Array<__nv_bfloat16> db(b);
  gpu::Array<float>         out(64);
  clean([&] {
    tma::launch(halves, {.grid = 1, .block = 64}, static_cast<const __half*>(da.get()),
                static_cast<const __nv_bfloat16*>(db.get()), out.get());
  });
  const auto h = out.download();
  for (int i = 0; i < 64; ++i) REQUIRE(h[i] == float(i) / 4 + 1 + float(i));
}

TEST_CASE("a reduction through a __shared__ array") {
  const auto        data = gpu::random_values<float>(5000, 1);
  gpu::Array<float> in(data), out(1);
  clean([&] { tma::launch(reduce, {.grid = 1, .block = 256}, static_cast<const float*>(in.get()), out.get(), 5000); });
  double sum = 0;
  for (float x : data) sum += x;
  CHECK(std::abs(out.download()[0] - sum) < 1e-3);
}

namespace {

using Tile = tma::Tile<float, tma::Shape<32, 32>>;

__global__ void scale(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> in, float* out, int tiles) {
  using Pipe = tma::Pipeline<2, Tile>;
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(
      tiles, [&](auto load, int i) { load(in, {i * 32, 0}); },
      [&](const Tile& tile, int i) {
        for (int k = int(threadIdx.x); k < Tile::size; k += int(blockDim.x)) out[i * Tile::size + k] = tile[k] * 2;
      });
}

}  // namespace

TEST_CASE("a timeline shows copies, waits and compute, in order and in the format of a trace viewer") {
  constexpr int     tiles = 6;
  gpu::Array<float> in(gpu::random_values<float>(tiles * Tile::size, 1)), out(tiles * Tile::size);
  const auto from   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(in.get()), {tiles * 32, 32}});
  const auto path   = std::filesystem::temp_directory_path() / "tma_machine_timeline.json";
  const auto result = tma::machine::explore({.strategy = Strategy::timed, .timeline = path.string()},
                                            [&] { tma::launch(scale, {.grid = 1, .block = 64}, from, out.get(), tiles); });
  REQUIRE(result.clean());
  int copies = 0, waits = 0, computes = 0;
  for (const auto& s : tma::machine::timeline()) {
    CHECK(s.start >= 0);
    CHECK(s.end > s.start);
    copies += s.track == "block 0 copies";
    waits += s.track == "block 0 warp 0" && s.name == "wait";
    computes += s.track == "block 0 warp 1" && s.name == "compute";
  }
  CHECK(copies == tiles);
  CHECK(waits >= tiles);
  CHECK(computes >= tiles);
  std::ifstream     file(path);
  std::stringstream text;
  text << file.rdbuf();
  const std::string t = text.str();
  CHECK(t.find("\"traceEvents\"") != std::string::npos);
  CHECK(std::count(t.begin(), t.end(), '{') == std::count(t.begin(), t.end(), '}'));
  CHECK(t.find("block 0 copies") != std::string::npos);
}

TEST_CASE("every strategy leaves the same bytes") {
  constexpr int     tiles = 6;
  gpu::Array<float> in(gpu::random_values<float>(tiles * Tile::size, 1)), out(tiles * Tile::size);
  const auto from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(in.get()), {tiles * 32, 32}});
  std::vector<float> first;
  for (Strategy s : {Strategy::mixed, Strategy::late, Strategy::early, Strategy::random, Strategy::victims,
                     Strategy::reverse, Strategy::timed}) {
    out.fill(0);
    const auto result = tma::machine::explore({.strategy = s},
                                              [&] { tma::launch(scale, {.grid = 1, .block = 64}, from, out.get(), tiles); });
    INFO(result.text());
    REQUIRE(result.clean());
    const auto h = out.download();
    if (first.empty()) first = h;
    REQUIRE(h == first);
  }
}

namespace {

__global__ void where(unsigned* out) {
  __shared__ int x;
  if (threadIdx.x == 0) out[blockIdx.x] = unsigned(__cvta_generic_to_shared(&x) >> 24);
}

}  // namespace

TEST_CASE("a shared address carries the block's rank in its cluster") {
  gpu::Array<unsigned> out(8);
  clean([&] { tma::launch(where, {.grid = 8, .block = 32, .cluster = 4}, out.get()); }, 2);
  CHECK(out.download() == std::vector<unsigned>{0, 1, 2, 3, 0, 1, 2, 3});
}
