// A tile in, a tile out: a whole kernel, for a block of any size, of a known size, and of a size fixed by the kernel.
#include <tma/tma.hpp>

#include "raw.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using From = tma::TmaDescriptor<const float, 2, Tile>;
using To   = tma::TmaDescriptor<float, 2, Tile>;

struct alignas(128) RawShared {
  float              tile[1024];
  unsigned long long barrier;
};

extern "C" __global__ void tma_scale_2d(const __grid_constant__ From in, const __grid_constant__ To out, float factor) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const tma::Coord<2> at{blockIdx.y * 32, blockIdx.x * 32};

  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  for (float& x : block.elements(tile)) x *= factor;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out, at, ready).wait_source_free();
}

extern "C" __global__ void raw_scale_2d(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out,
                                        float factor) {
  __shared__ RawShared s;
  const unsigned       rank    = raw::start(&s.barrier);
  const int            threads = int(raw::block_threads());
  const int            row = blockIdx.y * 32, column = blockIdx.x * 32;

  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, in, &s.barrier, column, row);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  raw::wait(&s.barrier, 0);
  for (int i = int(rank); i < 1024; i += threads) s.tile[i] *= factor;
  raw::fence_async_shared();
  __syncthreads();
  if (raw::elect_sync() & (rank < 32)) {
    raw::store(out, s.tile, column, row);
    raw::commit_group();
    raw::wait_group_read<0>();
  }
}

// The kernel is written for 256 threads: the loop over the tile has a constant number of turns.
extern "C" __global__ void tma_scale_2d_256(const __grid_constant__ From in, const __grid_constant__ To out, float factor) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block<256>(barrier);
  const tma::Coord<2> at{blockIdx.y * 32, blockIdx.x * 32};

  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  for (auto& v : block.vectors<4>(tile))
    for (float& x : v) x *= factor;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out, at, ready).wait_source_free();
}

extern "C" __global__ void raw_scale_2d_256(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out,
                                            float factor) {
  __shared__ RawShared s;
  const unsigned       rank    = raw::start(&s.barrier);
  const int            threads = int(raw::block_threads());
  const int            row = blockIdx.y * 32, column = blockIdx.x * 32;

  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, in, &s.barrier, column, row);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  raw::wait(&s.barrier, 0);
  float4& v = reinterpret_cast<float4*>(s.tile)[int(rank)];
  v.x *= factor;
  v.y *= factor;
  v.z *= factor;
  v.w *= factor;
  raw::fence_async_shared();
  __syncthreads();
  if (raw::elect_sync() & (rank < 32)) {
    raw::store(out, s.tile, column, row);
    raw::commit_group();
    raw::wait_group_read<0>();
  }
}

#if __CUDACC_VER_MAJOR__ > 12 || __CUDACC_VER_MINOR__ >= 9  // 12.8 has no __block_size__
// The block's shape is part of the kernel: y and z of a thread are zero, and the compiler knows. The twin is the kernel that
// an author writes for exactly this shape, whose rank is threadIdx.x.
extern "C" __global__ void __block_size__((256, 1, 1))
    tma_scale_2d_block_size(const __grid_constant__ From in, const __grid_constant__ To out, float factor) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block<256>(barrier);
  const tma::Coord<2> at{blockIdx.y * 32, blockIdx.x * 32};

  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  for (auto& v : block.vectors<4>(tile))
    for (float& x : v) x *= factor;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out, at, ready).wait_source_free();
}

extern "C" __global__ void __block_size__((256, 1, 1))
    raw_scale_2d_block_size(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, float factor) {
  __shared__ RawShared s;
  const unsigned       rank = threadIdx.x;
  raw::start(rank, [&] { raw::mbar_init(&s.barrier, 1); });
  const int row = blockIdx.y * 32, column = blockIdx.x * 32;

  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, in, &s.barrier, column, row);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  raw::wait(&s.barrier, 0);
  float4& v = reinterpret_cast<float4*>(s.tile)[int(rank)];
  v.x *= factor;
  v.y *= factor;
  v.z *= factor;
  v.w *= factor;
  raw::fence_async_shared();
  __syncthreads();
  if (raw::elect_sync() & (rank < 32)) {
    raw::store(out, s.tile, column, row);
    raw::commit_group();
    raw::wait_group_read<0>();
  }
}
#endif
