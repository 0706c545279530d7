// Stores in flight while threads write on, and bytes that no thread touches.
#include <tma/tma.hpp>

#include "raw.hpp"

using Tile = tma::Tile<float, tma::Shape<8, 32>>;
using Map  = tma::TmaDescriptor<float, 2, Tile>;

// --- one tile, rewritten as soon as its store has read it ---

extern "C" __global__ void tma_rewrite(const __grid_constant__ Map to, int steps) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (int i = 0; i < steps; ++i) {
    tile[block.rank()] = float(i);
    auto ready         = block.publish(tile);
    if (auto issuer = block.elect()) issuer.store(to, {i * 8, 0}, ready).wait_source_free();
    block.sync();
  }
}

extern "C" __global__ void raw_rewrite(const __grid_constant__ CUtensorMap to, int steps) {
  __shared__ alignas(128) float tile[256];
  const unsigned                rank = raw::thread_rank();
  for (int i = 0; i < steps; ++i) {
    tile[int(rank)] = float(i);
    raw::fence_async_shared();
    __syncthreads();
    if (raw::elect_sync() & (rank < 32)) {
      raw::store(to, tile, 0, i * 8);
      raw::commit_group();
      raw::wait_group_read<0>();
    }
    __syncthreads();
  }
}

// --- a ring of two tiles: one store in flight while the other tile is written ---

extern "C" __global__ void tma_store_ring(const __grid_constant__ Map to, int steps) {
  struct Shared {
    Tile tile[2];
  };
  auto&           s      = tma::shared<Shared>();
  auto            block  = tma::this_block();
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
  for (int i = 0; i < steps; ++i) {
    auto& tile = s.tile[i % 2];
    stores.wait_source_free<1>();
    block.sync();
    tile[block.rank()] = float(i);
    auto ready         = block.publish(tile);
    stores.store(to, {i * 8, 0}, ready);
  }
}

extern "C" __global__ void raw_store_ring(const __grid_constant__ CUtensorMap to, int steps) {
  __shared__ alignas(128) float tiles[2][256];
  const unsigned                rank   = raw::thread_rank();
  const bool                    issuer = raw::elect_sync() & (rank < 32);
  bool                          unread = false;
  for (int i = 0; i < steps; ++i) {
    float* tile = tiles[i % 2];
    if (issuer) raw::wait_group_read<1>();
    __syncthreads();
    tile[int(rank)] = float(i);
    raw::fence_async_shared();
    __syncthreads();
    if (issuer) {
      raw::store(to, tile, 0, i * 8);
      raw::commit_group();
    }
    unread = issuer;
  }
  if (unread) raw::wait_group_read<0>();
}

// --- one tile: its last store is waited for just before it is written again ---

extern "C" __global__ void tma_store_late(const __grid_constant__ Map to, int steps) {
  auto&           tile   = tma::shared<Tile>();
  auto            block  = tma::this_block();
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
  for (int i = 0; i < steps; ++i) {
    stores.wait_source_free();
    block.sync();
    tile[block.rank()] = float(i);
    auto ready         = block.publish(tile);
    stores.store(to, {i * 8, 0}, ready);
  }
}

extern "C" __global__ void raw_store_late(const __grid_constant__ CUtensorMap to, int steps) {
  __shared__ alignas(128) float tile[256];
  const unsigned                rank   = raw::thread_rank();
  const bool                    issuer = raw::elect_sync() & (rank < 32);
  bool                          unread = false;
  for (int i = 0; i < steps; ++i) {
    if (issuer) raw::wait_group_read<0>();
    __syncthreads();
    tile[int(rank)] = float(i);
    raw::fence_async_shared();
    __syncthreads();
    if (issuer) {
      raw::store(to, tile, 0, i * 8);
      raw::commit_group();
    }
    unread = issuer;
  }
  if (unread) raw::wait_group_read<0>();
}

// --- loaded and stored again: no fence, no meeting ---

extern "C" __global__ void tma_copy_through(const __grid_constant__ Map from, const __grid_constant__ Map to) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const tma::Coord<2> at{blockIdx.x * 8, 0};
  if (auto issuer = block.elect()) {
    issuer.load(from, at, tile, arrived);
    arrived.wait();
    issuer.store(to, at, tma::as_loaded(tile));
  }
}

extern "C" __global__ void raw_copy_through(const __grid_constant__ CUtensorMap from,
                                            const __grid_constant__ CUtensorMap to) {
  struct alignas(128) Shared {
    float              tile[256];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, from, &s.barrier, 0, blockIdx.x * 8);
    raw::arrive_expect_tx(&s.barrier, 1024);
    raw::wait(&s.barrier, 0);
    raw::store(to, s.tile, 0, blockIdx.x * 8);
    raw::commit_group();
    raw::wait_group_read<0>();
  }
}

// --- two tiles published and stored together, a reader told when they are written ---

extern "C" __global__ void tma_two_and_flag(const __grid_constant__ Map a, const __grid_constant__ Map b, int* flag) {
  struct Shared {
    Tile a, b;
  };
  auto& s                 = tma::shared<Shared>();
  auto  block             = tma::this_block();
  s.a[block.rank()]       = 1.f;
  s.b[block.rank()]       = 2.f;
  auto [ready_a, ready_b] = block.publish(s.a, s.b);
  if (auto issuer = block.elect()) {
    tma::StoreGroup(issuer).store(a, {0, 0}, ready_a).store(b, {0, 0}, ready_b).wait_visible();
    __threadfence();
    *flag = 1;
  }
}

extern "C" __global__ void raw_two_and_flag(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                            int* flag) {
  struct alignas(128) Shared {
    float a[256], b[256];
  };
  __shared__ Shared s;
  const unsigned    rank = raw::thread_rank();
  s.a[int(rank)]         = 1.f;
  s.b[int(rank)]         = 2.f;
  raw::fence_async_shared();
  __syncthreads();
  if (raw::elect_sync() & (rank < 32)) {
    raw::store(a, s.a, 0, 0);
    raw::commit_group();
    raw::store(b, s.b, 0, 0);
    raw::commit_group();
    raw::wait_group<0>();
    __threadfence();
    *flag = 1;
  }
}
