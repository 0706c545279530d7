// How the kernels of this library are launched, and with how much in flight.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>

#include "../harness/device_array.hpp"
#include "rings.cuh"
#include "stream.hpp"

namespace stream {

// Dynamic shared memory with which a multiprocessor holds `blocks` of the kernel's blocks and no more; all of its memory is
// shared memory. 0: as many as fit.
template <class... P> int shared_for(void (*kernel)(P...), int blocks) {
  cudaFuncAttributes a{};
  int                of_multiprocessor = 0, of_system = 0;
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), "carveout");
  harness::require(cudaFuncGetAttributes(&a, kernel), "cudaFuncGetAttributes");
  harness::require(cudaDeviceGetAttribute(&of_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0),
                   "shared memory");
  harness::require(cudaDeviceGetAttribute(&of_system, cudaDevAttrReservedSharedMemoryPerBlock, 0), "shared memory");
  if (blocks == 0) return 0;
  return std::max(0, (of_multiprocessor / blocks - of_system - int(a.sharedSizeBytes)) / 128 * 128);
}

template <class... P> int blocks_of(void (*kernel)(P...), int threads, int shared) {
  int blocks = 0;
  harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, std::size_t(shared)),
                   "occupancy");
  return blocks;
}

template <class T> tma::AlignedPointer<const T> input(const T* p) { return tma::aligned(p); }
template <class T> tma::AlignedPointer<T>       output(T* p) { return tma::aligned(p); }

// A block for each tile of `Bytes`, `blocks` of them on a multiprocessor.
template <int Bytes, Loads How, Writes By, int Threads, class T, class Op>
void add_once(Variants& to, const Arrays<T>& s, const Op& op, int blocks) {
  using Tile        = tma::Buffer<T, Bytes / int(sizeof(T))>;
  const auto kernel = once<Tile, Op, How, By, Threads, tma::AlignedPointer<const T>, tma::AlignedPointer<T>>;
  const int  shared = shared_for(kernel, blocks), each = blocks_of(kernel, Threads, shared);
  char       name[96];
  std::snprintf(name, sizeof name, "a block a tile of %g KiB x %d: engine loads%s%s", Bytes / 1024., each,
                How == Loads::kept ? " evict_last" : "", By == Writes::engine ? "; engine stores" : "; threads store");
  to.push_back({name,
                harness::Kind::ours,
                [=](int round) {
                  const long long at = s.at(round);
                  tma::launch(kernel, {.grid = s.n / Tile::size, .block = Threads, .shared = tma::detail::u64(shared)},
                              input(s.a + at), input(s.b + at), output(s.y + at), op);
                },
                {},
                double(Bytes) * Op::inputs * each});
}

// Blocks that stay, `blocks` on a multiprocessor.
template <int Bytes, int Stages, class T, class Op, class Kernel>
void add_staying(Variants& to, const char* what, const Arrays<T>& s, const Op& op, Kernel* kernel, int threads, int shared,
                 int blocks) {
  const auto counter = std::make_shared<harness::DeviceArray<unsigned>>(1);
  harness::require(cudaMemset(counter->data, 0, sizeof(unsigned)), "cudaMemset");
  shared_for(kernel, 0);
  int multiprocessors = 0;
  harness::require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  const int tiles = int(s.n * (long long)(sizeof(T)) / Bytes), grid = std::min(tiles, blocks * multiprocessors);
  char      name[96];
  std::snprintf(name, sizeof name, "%s %g KiB x %d x %d", what, Bytes / 1024., Stages, blocks);
  to.push_back({name,
                harness::Kind::ours,
                [=](int round) {
                  const long long at = s.at(round);
                  tma::launch(kernel, {.grid = grid, .block = threads, .shared = tma::detail::u64(shared)}, input(s.a + at),
                              input(s.b + at), output(s.y + at), op, tiles, counter->data);
                },
                {},
                double(Bytes) * Op::inputs * Stages * blocks});
}

template <int Bytes, int Stages, int Threads, class T, class Op>
void add_by_demand(Variants& to, const Arrays<T>& s, const Op& op, int blocks) {
  using Tile = tma::Buffer<T, Bytes / int(sizeof(T))>;
  using Pipe = typename RingsOf<Stages, Tile, Op::inputs>::by_demand;
  add_staying<Bytes, Stages>(to, "blocks stay; tma::AtomicTiles", s, op,
                             by_demand<Tile, Op, Stages, Threads, tma::AlignedPointer<const T>, tma::AlignedPointer<T>>,
                             Threads + 32, int(tma::shared_bytes<typename Pipe::Shared>), blocks);
}
template <int Bytes, int Stages, int Threads, class T, class Op>
void add_by_stride(Variants& to, const Arrays<T>& s, const Op& op, int blocks) {
  using Tile  = tma::Buffer<T, Bytes / int(sizeof(T))>;
  using Rings = RingsOf<Stages, Tile, Op::inputs>;
  using In    = tma::AlignedPointer<const T>;
  using Out   = tma::AlignedPointer<T>;
  add_staying<Bytes, Stages>(to, "blocks stay; tma::Pipeline", s, op, ring<Tile, Op, Stages, Threads, In, Out>, Threads,
                             int(tma::shared_bytes<typename Rings::loads::Shared>), blocks);
  add_staying<Bytes, Stages>(to, "blocks stay; tma::transform", s, op, in_place<Tile, Op, Stages, Threads, In, Out>,
                             Threads + 32, int(tma::shared_bytes<typename Rings::in_place::Shared>), blocks);
}

template <class T, class Op> void add_ours(Variants& to, const Arrays<T>& s, const Op& op) {
  if constexpr (Op::inputs == 2) {
    add_once<2048, Loads::kept, Writes::threads, 64>(to, s, op, 12);
    add_once<4096, Loads::kept, Writes::threads, 128>(to, s, op, 7);
    add_once<4096, Loads::kept, Writes::engine, 128>(to, s, op, 8);
    add_once<4096, Loads::usual, Writes::threads, 128>(to, s, op, 7);
    add_once<4096, Loads::usual, Writes::threads, 128>(to, s, op, 0);
    add_by_demand<8192, 2, 128>(to, s, op, 2);
    add_by_stride<4096, 4, 128>(to, s, op, 2);
  } else {
    add_once<2048, Loads::kept, Writes::engine, Op::moves ? 32 : 64>(to, s, op, 20);
    add_once<4096, Loads::kept, Writes::engine, Op::moves ? 32 : 128>(to, s, op, 12);
    add_once<4096, Loads::kept, Writes::threads, 128>(to, s, op, 11);
    add_once<4096, Loads::usual, Writes::engine, Op::moves ? 32 : 128>(to, s, op, 12);
    add_once<4096, Loads::usual, Writes::engine, Op::moves ? 32 : 128>(to, s, op, 0);
    add_by_demand<16384, 3, 128>(to, s, op, 1);
    add_by_stride<8192, 4, 128>(to, s, op, 2);
  }
}

}  // namespace stream
