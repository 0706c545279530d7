// A policy of the second-level cache changes no byte: every copy with every policy leaves what it leaves without one.
#include <tma/device/cache_policy.hpp>
#include <tma/device/prefetch.hpp>
#include <tma/device/reduce.hpp>

#include "transfer.hpp"

using tma::CachePriority;
using tma::Shape;
using tma::Swizzle;
using tma::Tile;

namespace {

constexpr int policies = 10;

// Chosen when it runs: a policy is a value.
__device__ tma::CachePolicy policy_of(int which, const void* base) {
  switch (which) {
    case 0: return tma::evict_first();
    case 1: return tma::evict_last();
    case 2: return tma::evict_normal();
    case 3: return tma::evict_unchanged();
    case 4: return tma::evict_first(.25f);
    case 5: return tma::evict_last(.5f);
    case 6: return tma::evict_last<CachePriority::evict_first>(.75f);
    case 7: return tma::evict_unchanged<CachePriority::evict_first>(.5f);
    case 8: return tma::cache_policy_in<CachePriority::evict_last>(base, 4096, 8192);
    default: return tma::cache_policy_in<CachePriority::evict_last, CachePriority::evict_first>(base, 1024, 65536);
  }
}

// A tile from one tensor to a second, and added to a third.
template <class Tile>
__global__ void copy_tile(const __grid_constant__ transfer::ConstDescriptor<Tile> from,
                          const __grid_constant__ transfer::Descriptor<Tile> to,
                          const __grid_constant__ transfer::Descriptor<Tile> sum, tma::Coord<Tile::rank> at,
                          const void* base, int which) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const auto policy     = policy_of(which, base);
  if (auto issuer = block.elect()) {
    issuer.prefetch(from, at, policy);
    issuer.load(from, at, tile, arrived, policy);
  }
  arrived.wait();
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    stores.store(to, at, tma::as_loaded(tile), policy);
    stores.template reduce<tma::Reduction::add>(sum, at, tma::as_loaded(tile), policy).wait_visible();
  }
}

template <class Tile> void check_tile(std::uint64_t seed) {
  gpu::Random     random(seed);
  const auto      t    = transfer::tensor_for<Tile>(random);
  const auto      data = gpu::random_values<int>(t.span() + 64, seed), before = gpu::random_values<int>(t.span() + 64, 99);
  gpu::Array<int> from(data), to(before), sum(before);
  const auto      in  = tma::make_descriptor<Tile>(transfer::view_of(static_cast<const int*>(from.get()), t));
  const auto      out = tma::make_descriptor<Tile>(transfer::view_of(to.get(), t));
  const auto      add = tma::make_descriptor<Tile>(transfer::view_of(sum.get(), t));
  for (int which = 0; which < policies; ++which) {
    INFO("policy " << which);
    const auto at = transfer::position<Tile>(random, t, true);
    to.upload(before);
    sum.upload(before);
    tma::launch(copy_tile<Tile>, {.grid = 1, .block = 64}, in, out, add, at, static_cast<const void*>(from.get()), which);
    gpu::finish();
    auto expected = before, expected_sum = before;
    reference::for_each_element<Tile>(at, nullptr, [&](int, const std::int64_t* index) {
      std::size_t offset;
      if (!reference::inside(t, index, offset)) return;
      expected[offset]     = data[offset];
      expected_sum[offset] = int(unsigned(before[offset]) + unsigned(data[offset]));
    });
    REQUIRE(transfer::same_bits(to.download(), expected));
    REQUIRE(transfer::same_bits(sum.download(), expected_sum));
  }
}

// Elements in a row: of static size, and of any.
__global__ void copy_rows(tma::AlignedPointer<const int> from, tma::AlignedPointer<int> to, tma::AlignedPointer<int> sum,
                          const int* any, int* any_to, int count, int which) {
  struct Shared {
    tma::Buffer<int, 300>       buffer;
    tma::RaggedBuffer<int, 300> ragged;
    tma::LoadBarrier            barrier, ragged_barrier;
  };
  auto& s                               = tma::shared<Shared>();
  auto [block, arrived, ragged_arrived] = tma::this_block(s.barrier, s.ragged_barrier);
  const auto                 policy     = policy_of(which, from.get());
  const tma::BulkCopy1D<300> copy;
  const tma::BulkCopy1D<>    copy_any;
  if (auto issuer = block.elect()) {
    issuer.prefetch(from.chunk<300>(0), policy);
    copy.load(issuer, s.buffer, from, arrived, policy);
  }
  auto data = copy_any.load(block, s.ragged, any, count, ragged_arrived, policy);
  arrived.wait();
  ragged_arrived.wait();
  if (auto issuer = block.elect()) {
    auto stores = copy.store(issuer, to, tma::as_loaded(s.buffer), policy);
    stores.reduce<tma::Reduction::add>(sum.chunk<300>(0), tma::as_loaded(s.buffer), policy).wait_visible();
  }
  auto ready = block.publish(data);
  copy_any.store(block, any_to, ready, policy).wait_visible();
}

using Row = Tile<int, Shape<4, 32>>;

// A pipeline's loads.
__global__ void sum_tiles(const __grid_constant__ transfer::ConstDescriptor<Row> from, tma::AlignedPointer<const int> row,
                          const void* base, int tiles, int* out, int which) {
  using Pipe        = tma::Pipeline<3, Row, tma::Buffer<int, 64>>;
  auto&      shared = tma::shared<Pipe::Shared>();
  const auto policy = policy_of(which, base);
  Pipe       pipe(shared);
  int        sum = 0;
  pipe.for_each(
      tiles,
      [&](auto load, int i) {
        load(from, {4 * i, 0}, policy);
        load(row.chunk<64>(i), tma::slot<1>, policy);
      },
      [&](const Row& tile, const tma::Buffer<int, 64>& buffer, int) {
        sum += tile[int(threadIdx.x)] + buffer[int(threadIdx.x) % 64];
      });
  out[threadIdx.x] = sum;
}

}  // namespace

TEST_CASE("tiles of every rank") {
  check_tile<Tile<int, Shape<256>>>(1);
  check_tile<Tile<int, Shape<33, 20>>>(2);
  check_tile<Tile<int, Shape<17, 32>, Swizzle::bytes_128>>(3);
  check_tile<Tile<int, Shape<3, 5, 12>>>(4);
  check_tile<Tile<int, Shape<2, 3, 4, 8>, Swizzle::bytes_32>>(5);
  check_tile<Tile<int, Shape<2, 1, 3, 2, 16>, Swizzle::bytes_64>>(6);
}

TEST_CASE("elements in a row") {
  const auto      data = gpu::random_values<int>(400, 1), before = gpu::random_values<int>(400, 2);
  gpu::Array<int> from(data), to(before), sum(before), any(before);
  for (int which = 0; which < policies; ++which) {
    INFO("policy " << which);
    const int count = 300 - 7 * which, shift = 1 + which % 3;
    to.upload(before);
    sum.upload(before);
    any.upload(before);
    tma::launch(copy_rows, {.grid = 1, .block = 64}, tma::aligned(static_cast<const int*>(from.get())),
                tma::aligned(to.get()), tma::aligned(sum.get()), static_cast<const int*>(from.get() + shift),
                any.get() + shift, count, which);
    gpu::finish();
    auto expected = before, expected_sum = before, expected_any = before;
    for (int i = 0; i < 300; ++i) expected[i] = data[i], expected_sum[i] = int(unsigned(before[i]) + unsigned(data[i]));
    for (int i = 0; i < count; ++i) expected_any[i + shift] = data[i + shift];
    REQUIRE(transfer::same_bits(to.download(), expected));
    REQUIRE(transfer::same_bits(sum.download(), expected_sum));
    REQUIRE(transfer::same_bits(any.download(), expected_any));
  }
}

TEST_CASE("the loads of a pipeline") {
  const int        tiles = 7;
  std::vector<int> data(tiles * 128), rows(tiles * 64);
  for (int i = 0; i < tiles * 128; ++i) data[i] = 3 * i;
  for (int i = 0; i < tiles * 64; ++i) rows[i] = 5 * i;
  gpu::Array<int> from(data), row(rows), out(128);
  const auto      in = tma::make_descriptor<Row>(tma::TensorView{static_cast<const int*>(from.get()), {4 * tiles, 32}});
  for (int which = 0; which < policies; ++which) {
    tma::launch(sum_tiles, {.grid = 1, .block = 128}, in, tma::aligned(static_cast<const int*>(row.get())),
                static_cast<const void*>(from.get()), tiles, out.get(), which);
    gpu::finish();
    const auto seen = out.download();
    for (int i = 0; i < 128; ++i) {
      int expected = 0;
      for (int n = 0; n < tiles; ++n) expected += data[128 * n + i] + rows[64 * n + i % 64];
      REQUIRE(seen[i] == expected);
    }
  }
}
