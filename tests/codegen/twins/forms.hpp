// Twins of one copy: a line for each, with the call of the library and the instruction.
#pragma once

#include "raw.hpp"

template <class T, int... Extents> using Tile = tma::Tile<T, tma::Shape<Extents...>>;

using Tile1 = Tile<float, 256>;
using Tile2 = Tile<float, 16, 16>;
using Tile3 = Tile<float, 4, 8, 8>;
using Tile4 = Tile<float, 4, 4, 2, 8>;
using Tile5 = Tile<float, 2, 4, 2, 2, 8>;

// Where a copy begins, fastest last, and what else it is given.
struct At {
  int            v, w, z, y, x;
  int            d, h, o;  // a filter's offset
  unsigned short mask;
  float          fraction;
};

#define AT_1 {at.x}
#define AT_2 {at.y, at.x}
#define AT_3 {at.z, at.y, at.x}
#define AT_4 {at.w, at.z, at.y, at.x}
#define AT_5 {at.v, at.w, at.z, at.y, at.x}
#define PIXEL_3    \
  {                \
    AT_3, { at.o } \
  }
#define PIXEL_4          \
  {                      \
    AT_4, { at.h, at.o } \
  }
#define PIXEL_5                \
  {                            \
    AT_5, { at.d, at.h, at.o } \
  }

// The same as operands.
#define RAW_1        "r"(at.x)
#define RAW_2        RAW_1, "r"(at.y)
#define RAW_3        RAW_2, "r"(at.z)
#define RAW_4        RAW_3, "r"(at.w)
#define RAW_5        RAW_4, "r"(at.v)
#define RAW_OFFSET_3 "h"((unsigned short)at.o)
#define RAW_OFFSET_4 RAW_OFFSET_3, "h"((unsigned short)at.h)
#define RAW_OFFSET_5 RAW_OFFSET_4, "h"((unsigned short)at.d)

__device__ __forceinline__ unsigned long long raw_policy(float fraction) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, %1;" : "=l"(policy) : "f"(fraction));
  return policy;
}

// A load. Its operands: %0 the tile, %1 the map, %2 the barrier, %3 the policy, %4 the blocks, %5 the memory, then its own.
#define LOAD(name, Map, call, text, ...) LOAD_INTO(name, Map, Map::tile_type, call, text, __VA_ARGS__)
#define LOAD_INTO(name, Map, TileT, call, text, ...)                                                                       \
  extern "C" __global__ void tma_##name(const __grid_constant__ Map in, tma::AlignedPointer<const float> from, float* out, \
                                        At at) {                                                                           \
    struct Shared {                                                                                                        \
      TileT            tile;                                                                                               \
      tma::LoadBarrier barrier;                                                                                            \
    };                                                                                                                     \
    auto& [tile, barrier]              = tma::shared<Shared>();                                                            \
    auto [block, arrived]              = tma::this_block(barrier);                                                         \
    const auto                  policy = tma::evict_first(at.fraction);                                                    \
    [[maybe_unused]] const auto blocks = tma::detail::ModifierAccess::multicast(at.mask, true);                            \
    if (auto issuer = block.elect()) issuer.load call;                                                                     \
    arrived.wait();                                                                                                        \
    out[block.rank()] = tile[block.rank()];                                                                                \
  }                                                                                                                        \
  extern "C" __global__ void raw_##name(const __grid_constant__ CUtensorMap in, const float* from, float* out, At at) {    \
    struct alignas(128) Shared {                                                                                           \
      float              tile[TileT::payload_bytes / 4];                                                                   \
      unsigned long long barrier;                                                                                          \
    };                                                                                                                     \
    __shared__ Shared        s;                                                                                            \
    const unsigned           rank   = raw::start(&s.barrier);                                                              \
    const unsigned long long policy = raw_policy(at.fraction);                                                             \
    if (raw::elect_sync() & (rank < 32)) {                                                                                 \
      asm volatile(text ";" ::"r"(raw::smem(s.tile)), "l"(&in), "r"(raw::smem(&s.barrier)), "l"(policy), "h"(at.mask),     \
                   "l"(__cvta_generic_to_global(from)), __VA_ARGS__                                                        \
                   : "memory");                                                                                            \
      raw::arrive_expect_tx(&s.barrier, TileT::payload_bytes);                                                             \
    }                                                                                                                      \
    raw::wait(&s.barrier, 0);                                                                                              \
    out[int(rank)] = s.tile[int(rank)];                                                                                    \
  }

// A copy out of shared memory, of elements of T. Its operands: %0 the map, %1 the tile, %2 the policy, %3 the memory.
#define STORE(name, T, Map, call, text, ...)                                                                               \
  extern "C" __global__ void tma_##name(const __grid_constant__ Map out, tma::AlignedPointer<T> to, const T* in, At at) {  \
    auto&      tile    = tma::shared<typename Map::tile_type>();                                                           \
    auto       block   = tma::this_block();                                                                                \
    const auto policy  = tma::evict_first(at.fraction);                                                                    \
    tile[block.rank()] = in[block.rank()];                                                                                 \
    auto ready         = block.publish(tile);                                                                              \
    if (auto issuer = block.elect()) issuer.call.wait_visible();                                                           \
  }                                                                                                                        \
  extern "C" __global__ void raw_##name(const __grid_constant__ CUtensorMap out, T* to, const T* in, At at) {              \
    __shared__ alignas(128) T tile[256];                                                                                   \
    const unsigned            rank   = raw::thread_rank();                                                                 \
    const unsigned long long  policy = raw_policy(at.fraction);                                                            \
    tile[int(rank)]                  = in[int(rank)];                                                                      \
    raw::fence_async_shared();                                                                                             \
    __syncthreads();                                                                                                       \
    if (raw::elect_sync() & (rank < 32)) {                                                                                 \
      asm volatile(text ";" ::"l"(&out), "r"(raw::smem(tile)), "l"(policy), "l"(__cvta_generic_to_global(to)), __VA_ARGS__ \
                   : "memory");                                                                                            \
      raw::commit_group();                                                                                                 \
      raw::wait_group<0>();                                                                                                \
    }                                                                                                                      \
  }

// A prefetch. Its operands: %0 the map, %1 the policy, %2 the memory.
#define PREFETCH(name, Map, call, text, ...)                                                                            \
  extern "C" __global__ void tma_##name(const __grid_constant__ Map in, tma::AlignedPointer<const float> from, At at) { \
    auto       block  = tma::this_block();                                                                              \
    const auto policy = tma::evict_first(at.fraction);                                                                  \
    if (auto issuer = block.elect()) issuer.call;                                                                       \
  }                                                                                                                     \
  extern "C" __global__ void raw_##name(const __grid_constant__ CUtensorMap in, const float* from, At at) {             \
    const unsigned           rank   = raw::thread_rank();                                                               \
    const unsigned long long policy = raw_policy(at.fraction);                                                          \
    if (raw::elect_sync() & (rank < 32))                                                                                \
      asm volatile(text ";" ::"l"(&in), "l"(policy), "l"(__cvta_generic_to_global(from)), __VA_ARGS__);                 \
  }
