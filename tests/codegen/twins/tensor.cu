// Tensor copies of every rank, in both directions, and both completions of a store. Ranks differ in the instruction and
// its coordinates only, so both sides have one body for all.
#include <tma/tma.hpp>

#include "raw.hpp"

template <int... Extents> using Tile = tma::Tile<float, tma::Shape<Extents...>>;
template <class Tile> using From     = tma::TmaDescriptor<const float, Tile::rank, Tile>;
template <class Tile> using To       = tma::TmaDescriptor<float, Tile::rank, Tile>;

using Tile1 = Tile<256>;
using Tile2 = Tile<16, 16>;
using Tile3 = Tile<4, 8, 8>;
using Tile4 = Tile<4, 4, 2, 8>;
using Tile5 = Tile<2, 4, 2, 2, 8>;

// Where the tile lies, fastest last.
struct At {
  int v, w, z, y, x;
};

// --- loads ---

template <class Tile> __device__ __forceinline__ void load(const From<Tile>& in, float* out, tma::Coord<Tile::rank> at) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  out[block.rank()] = tile[block.rank()];
}

template <class... X> __device__ __forceinline__ void raw_load(const CUtensorMap& in, float* out, X... x) {
  struct alignas(128) Shared {
    float              tile[256];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, in, &s.barrier, x...);
    raw::arrive_expect_tx(&s.barrier, 1024);
  }
  raw::wait(&s.barrier, 0);
  out[int(rank)] = s.tile[int(rank)];
}

extern "C" __global__ void tma_load_1d(const __grid_constant__ From<Tile1> in, float* out, At at) {
  load<Tile1>(in, out, {at.x});
}
extern "C" __global__ void raw_load_1d(const __grid_constant__ CUtensorMap in, float* out, At at) {
  raw_load(in, out, at.x);
}

extern "C" __global__ void tma_load_2d(const __grid_constant__ From<Tile2> in, float* out, At at) {
  load<Tile2>(in, out, {at.y, at.x});
}
extern "C" __global__ void raw_load_2d(const __grid_constant__ CUtensorMap in, float* out, At at) {
  raw_load(in, out, at.x, at.y);
}

extern "C" __global__ void tma_load_3d(const __grid_constant__ From<Tile3> in, float* out, At at) {
  load<Tile3>(in, out, {at.z, at.y, at.x});
}
extern "C" __global__ void raw_load_3d(const __grid_constant__ CUtensorMap in, float* out, At at) {
  raw_load(in, out, at.x, at.y, at.z);
}

extern "C" __global__ void tma_load_4d(const __grid_constant__ From<Tile4> in, float* out, At at) {
  load<Tile4>(in, out, {at.w, at.z, at.y, at.x});
}
extern "C" __global__ void raw_load_4d(const __grid_constant__ CUtensorMap in, float* out, At at) {
  raw_load(in, out, at.x, at.y, at.z, at.w);
}

extern "C" __global__ void tma_load_5d(const __grid_constant__ From<Tile5> in, float* out, At at) {
  load<Tile5>(in, out, {at.v, at.w, at.z, at.y, at.x});
}
extern "C" __global__ void raw_load_5d(const __grid_constant__ CUtensorMap in, float* out, At at) {
  raw_load(in, out, at.x, at.y, at.z, at.w, at.v);
}

// --- a load whose box is known at run time: its bytes come with the map ---

extern "C" __global__ void tma_load_any_box(const __grid_constant__ tma::TmaDescriptor<const float, 2> in, float* out) {
  struct Shared {
    Tile2            tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {blockIdx.y * 16, blockIdx.x * 16}, tile, arrived);
  arrived.wait();
  out[block.rank()] = tile[block.rank()];
}

struct RawMap {
  CUtensorMap map;
  int         payload_bytes;
};

extern "C" __global__ void raw_load_any_box(const __grid_constant__ RawMap in, float* out) {
  struct alignas(128) Shared {
    float              tile[256];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, in.map, &s.barrier, blockIdx.x * 16, blockIdx.y * 16);
    raw::arrive_expect_tx(&s.barrier, in.payload_bytes);
  }
  raw::wait(&s.barrier, 0);
  out[int(rank)] = s.tile[int(rank)];
}

// --- stores ---

enum class Until { source_free, visible };

template <Until until, class Tile>
__device__ __forceinline__ void store(const To<Tile>& to, const float* in, tma::Coord<Tile::rank> at) {
  auto& tile         = tma::shared<Tile>();
  auto  block        = tma::this_block();
  tile[block.rank()] = in[block.rank()];
  auto ready         = block.publish(tile);
  if (auto issuer = block.elect()) {
    if constexpr (until == Until::source_free) issuer.store(to, at, ready).wait_source_free();
    else issuer.store(to, at, ready).wait_visible();
  }
}

template <Until until, class... X>
__device__ __forceinline__ void raw_store(const CUtensorMap& to, const float* in, X... x) {
  __shared__ alignas(128) float tile[256];
  const unsigned                rank = raw::thread_rank();
  tile[int(rank)]                    = in[int(rank)];
  raw::fence_async_shared();
  __syncthreads();
  if (raw::elect_sync() & (rank < 32)) {
    raw::store(to, tile, x...);
    raw::commit_group();
    if constexpr (until == Until::source_free) raw::wait_group_read<0>();
    else raw::wait_group<0>();
  }
}

extern "C" __global__ void tma_store_1d_source_free(const __grid_constant__ To<Tile1> to, const float* in, At at) {
  store<Until::source_free>(to, in, {at.x});
}
extern "C" __global__ void raw_store_1d_source_free(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::source_free>(to, in, at.x);
}

extern "C" __global__ void tma_store_1d_visible(const __grid_constant__ To<Tile1> to, const float* in, At at) {
  store<Until::visible>(to, in, {at.x});
}
extern "C" __global__ void raw_store_1d_visible(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::visible>(to, in, at.x);
}

extern "C" __global__ void tma_store_2d_source_free(const __grid_constant__ To<Tile2> to, const float* in, At at) {
  store<Until::source_free>(to, in, {at.y, at.x});
}
extern "C" __global__ void raw_store_2d_source_free(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::source_free>(to, in, at.x, at.y);
}

extern "C" __global__ void tma_store_2d_visible(const __grid_constant__ To<Tile2> to, const float* in, At at) {
  store<Until::visible>(to, in, {at.y, at.x});
}
extern "C" __global__ void raw_store_2d_visible(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::visible>(to, in, at.x, at.y);
}

extern "C" __global__ void tma_store_3d_source_free(const __grid_constant__ To<Tile3> to, const float* in, At at) {
  store<Until::source_free>(to, in, {at.z, at.y, at.x});
}
extern "C" __global__ void raw_store_3d_source_free(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::source_free>(to, in, at.x, at.y, at.z);
}

extern "C" __global__ void tma_store_3d_visible(const __grid_constant__ To<Tile3> to, const float* in, At at) {
  store<Until::visible>(to, in, {at.z, at.y, at.x});
}
extern "C" __global__ void raw_store_3d_visible(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::visible>(to, in, at.x, at.y, at.z);
}

extern "C" __global__ void tma_store_4d_source_free(const __grid_constant__ To<Tile4> to, const float* in, At at) {
  store<Until::source_free>(to, in, {at.w, at.z, at.y, at.x});
}
extern "C" __global__ void raw_store_4d_source_free(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::source_free>(to, in, at.x, at.y, at.z, at.w);
}

extern "C" __global__ void tma_store_4d_visible(const __grid_constant__ To<Tile4> to, const float* in, At at) {
  store<Until::visible>(to, in, {at.w, at.z, at.y, at.x});
}
extern "C" __global__ void raw_store_4d_visible(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::visible>(to, in, at.x, at.y, at.z, at.w);
}

extern "C" __global__ void tma_store_5d_source_free(const __grid_constant__ To<Tile5> to, const float* in, At at) {
  store<Until::source_free>(to, in, {at.v, at.w, at.z, at.y, at.x});
}
extern "C" __global__ void raw_store_5d_source_free(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::source_free>(to, in, at.x, at.y, at.z, at.w, at.v);
}

extern "C" __global__ void tma_store_5d_visible(const __grid_constant__ To<Tile5> to, const float* in, At at) {
  store<Until::visible>(to, in, {at.v, at.w, at.z, at.y, at.x});
}
extern "C" __global__ void raw_store_5d_visible(const __grid_constant__ CUtensorMap to, const float* in, At at) {
  raw_store<Until::visible>(to, in, at.x, at.y, at.z, at.w, at.v);
}
