// Shared memory that serves again: read and loaded anew, stored and left to the next block, stored whole and once.
#include <tma/device/reduce.hpp>
#include <tma/tma.hpp>

#include <cuda_bf16.h>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<8, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

std::vector<int> numbered(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

// Not as a comparison that a test prints: there are millions.
bool is_numbered(const gpu::Array<int>& array, int n) { return array.download() == numbered(n); }

// One tile, read by all and loaded again, with other bytes each time.
__global__ void read_and_load(const __grid_constant__ Map from, int* wrong, int steps) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  for (int i = 0; i < steps; ++i) {
    if (auto issuer = block.elect()) issuer.load(from, {i % 64 * 8, 0}, tile, arrived);
    arrived.wait();
    const int k = (block.rank() * 37 + i) % Tile::size;
    if (tile[k] != i % 64 * Tile::size + k) atomicAdd(wrong, 1);
    block.release(tile);
  }
}

// The same with a tile that is read, written, stored, and loaded again.
__global__ void in_place(const __grid_constant__ Map from, const __grid_constant__ tma::TmaDescriptor<int, 2, Tile> to,
                         int steps) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  for (int i = 0; i < steps; ++i) {
    if (auto issuer = block.elect()) issuer.load(from, {i % 64 * 8, 0}, tile, arrived);
    arrived.wait();
    for (int& x : block.elements(tile)) x = 3 * x + i / 64;
    auto ready = block.publish(tile);
    if (auto issuer = block.elect()) issuer.store(to, {i % 64 * 8, 0}, ready).wait_source_free();
  }
}

// The store is the last that a block does. The next block on the same multiprocessor writes the same shared memory at once.
struct Whole {
  Tile tile;
  int  rest[15 * 1024];
};
__global__ void store_and_leave(const __grid_constant__ tma::TmaDescriptor<int, 2, Tile> to) {
  auto& s     = tma::shared<Whole>();
  auto  block = tma::this_block();
  for (int k = block.rank(); k < Tile::size; k += block.size()) s.tile[k] = -1;
  for (int k = block.rank(); k < 15 * 1024; k += block.size()) s.rest[k] = -2;
  block.sync();
  for (int k = block.rank(); k < Tile::size; k += block.size()) s.tile[k] = int(blockIdx.x) * Tile::size + k;
  auto ready = block.publish(s.tile);
  if (auto issuer = block.elect()) issuer.store(to, {int(blockIdx.x) * 8, 0}, ready);
}

// The same out of a group of stores, the last of which nobody waited for.
__global__ void store_many_and_leave(const __grid_constant__ tma::TmaDescriptor<int, 2, Tile> to) {
  struct Shared {
    Tile tile[4];
  };
  auto& s     = tma::shared<Shared>();
  auto  block = tma::this_block();
  for (auto& tile : s.tile)
    for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = -3;
  block.sync();
  for (int t = 0; t < 4; ++t)
    for (int k = block.rank(); k < Tile::size; k += block.size()) s.tile[t][k] = (int(blockIdx.x) * 4 + t) * Tile::size + k;
  auto [a, b, c, d] = block.publish(s.tile[0], s.tile[1], s.tile[2], s.tile[3]);
  if (auto issuer = block.elect()) {
    const int       row = int(blockIdx.x) * 32;
    tma::StoreGroup stores(issuer);
    stores.store(to, {row, 0}, a).store(to, {row + 8, 0}, b);
    stores.wait_source_free<1>();
    stores.store(to, {row + 16, 0}, c).store(to, {row + 24, 0}, d);
  }
}

// 32 KiB stored, waited for until visible, and told of: what another block then reads is all there.
using Large = tma::Tile<int, tma::Shape<256, 32>>;
__global__ void told_of(const __grid_constant__ tma::TmaDescriptor<int, 2, Large> to, const int* data, int* flag, int* wrong,
                        int round) {
  auto& tile  = tma::shared<Large>();
  auto  block = tma::this_block();
  if (blockIdx.x == 0) {
    for (int k = block.rank(); k < Large::size; k += block.size()) tile[k] = round + k;
    auto ready = block.publish(tile);
    if (auto issuer = block.elect()) {
      issuer.store(to, {0, 0}, ready).wait_visible();
      __threadfence();
      atomicExch(flag, round);
    }
  } else {
    if (block.rank() == 0)
      while (atomicAdd(flag, 0) != round) {}
    block.sync();
    __threadfence();
    for (int k = block.rank(); k < Large::size; k += block.size())
      if (__ldcg(&data[k]) != round + k) atomicAdd(wrong, 1);
  }
}

// Each element is counted up once by the thread it belongs to, and what is stored is added: every element of the tensor goes
// up by one, which one that is left out, or stored twice, does not.
template <class TileT, int N>
__global__ void count_up(const __grid_constant__ tma::TmaDescriptor<typename TileT::value_type, 2, TileT> to) {
  using T     = typename TileT::value_type;
  auto& tile  = tma::shared<TileT>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(tile)) x = T(0.f);
  block.sync();
  if constexpr (N == 1)
    for (auto& x : block.elements(tile)) x = T(float(x) + 1.f);
  else
    for (auto& v : block.template vectors<N>(tile))
      for (int j = 0; j < N; ++j) v[j] = T(float(v[j]) + 1.f);
  auto                ready = block.publish(tile);
  const tma::Coord<2> at{int(blockIdx.y) * TileT::shape::extents[0], int(blockIdx.x) * TileT::shape::extents[1]};
  if (auto issuer = block.elect()) issuer.template reduce<tma::Reduction::add>(to, at, ready);
}

template <class TileT, int N> void check_count_up() {
  using T             = typename TileT::value_type;
  constexpr int  rows = 128, columns = 128, pitch = 136;
  std::vector<T> before(rows * pitch + 64);
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = T(float(i % 61));
  for (int threads : {32, 33, 128, 1000}) {
    gpu::Array<T> out(before);
    const auto    to = tma::make_descriptor<TileT>(tma::TensorView{out.get(), {rows, columns}, {pitch, 1}});
    tma::launch(count_up<TileT, N>,
                {.grid = {columns / TileT::shape::extents[1], rows / TileT::shape::extents[0]}, .block = threads}, to);
    gpu::finish();
    const auto h     = out.download();
    int        wrong = 0;
    for (int i = 0; i < int(h.size()); ++i) {
      const bool inside = i / pitch < rows && i % pitch < columns;
      wrong += float(h[i]) != float(before[i]) + (inside ? 1.f : 0.f);
    }
    INFO(N << " at once, " << threads << " threads");
    REQUIRE(wrong == 0);
  }
}

}  // namespace

TEST_CASE("a tile is read and loaded again, ten thousand times") {
  gpu::Array<int> in(numbered(64 * Tile::size)), wrong(std::vector<int>{0});
  const Map       from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {64 * 8, 32}});
  tma::launch(read_and_load, {.grid = gpu::scaled(200, 2), .block = 128}, from, wrong.get(), gpu::scaled(10000, 200));
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

TEST_CASE("a tile is loaded, written, stored and loaded again, ten thousand times") {
  gpu::Array<int> in(numbered(64 * Tile::size)), out(64 * Tile::size);
  const Map       from  = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {64 * 8, 32}});
  const int       steps = gpu::scaled(10000, 192) / 64 * 64;
  tma::launch(in_place, {.grid = 1, .block = 128}, from,
              tma::make_descriptor<Tile>(tma::TensorView{out.get(), {64 * 8, 32}}), steps);
  gpu::finish();
  const auto h = out.download();
  for (int i = 0; i < 64 * Tile::size; ++i) REQUIRE(h[i] == 3 * i + steps / 64 - 1);
}

TEST_CASE("a block may leave with its last store under way") {
  const int       blocks = gpu::scaled(10000, 40);
  gpu::Array<int> out(std::size_t(blocks) * Tile::size);
  const auto      to = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {blocks * 8, 32}});
  for (int round = 0; round < gpu::scaled(3, 1); ++round) {
    out.fill(0xee);
    tma::launch(store_and_leave, {.grid = blocks, .block = 128, .shared = tma::shared_bytes<Whole>}, to);
    gpu::finish();
    REQUIRE(is_numbered(out, blocks * Tile::size));
    out.fill(0xee);
    tma::launch(store_many_and_leave, {.grid = blocks / 4, .block = 64}, to);
    gpu::finish();
    REQUIRE(is_numbered(out, blocks / 4 * 4 * Tile::size));
  }
}

TEST_CASE("32 KiB that are visible are all there") {
  gpu::Array<int> out(Large::size), state(std::vector<int>{0, 0});
  const auto      to = tma::make_descriptor<Large>(tma::TensorView{out.get(), {256, 32}});
  for (int round = 1; round <= gpu::scaled(10000, 5); ++round)
    tma::launch(told_of, {.grid = 2, .block = 256}, to, static_cast<const int*>(out.get()), state.get(), state.get() + 1,
                round);
  gpu::finish();
  CHECK(state.download()[1] == 0);
}

TEST_CASE("every element of a tile is stored, and none twice") {
  using tma::Shape;
  using tma::Swizzle;
  check_count_up<tma::Tile<__nv_bfloat16, Shape<128, 64>, Swizzle::bytes_128>, 1>();
  check_count_up<tma::Tile<__nv_bfloat16, Shape<128, 64>, Swizzle::bytes_128>, 2>();
  check_count_up<tma::Tile<__nv_bfloat16, Shape<128, 64>, Swizzle::bytes_128>, 8>();
  check_count_up<tma::Tile<__nv_bfloat16, Shape<32, 32>, Swizzle::bytes_64>, 4>();
  check_count_up<tma::Tile<__nv_bfloat16, Shape<64, 16>, Swizzle::bytes_128>, 8>();  // with padding
  check_count_up<tma::Tile<float, Shape<64, 32>, Swizzle::bytes_128>, 4>();
  check_count_up<tma::Tile<float, Shape<16, 128>>, 4>();
}
