// Stencils by hand: the same kernels in PTX, without the library's device code. The maps are its, bit for bit.
#include <cuda.h>

#include <tma/tma.hpp>

#include <cstring>

#include "../harness/ptx.cuh"
#include "../harness/require.hpp"
#include "tiles.cuh"

namespace stencil {
namespace {

using namespace by_hand;

template <class S> constexpr int tile_bytes = S::tile_rows * columns * 4;

template <class S> struct OneTile {
  alignas(128) float tile[S::tile_rows * columns];
  unsigned long long full;
};

template <Points P, class S>
__global__ void __launch_bounds__(S::threads) tile_kernel(const __grid_constant__ CUtensorMap in, const Work w) {
  extern __shared__ __align__(128) unsigned char raw[];
  auto&                                          s      = *reinterpret_cast<OneTile<S>*>(raw);
  const bool                                     leader = elect() & (threadIdx.x < 32);
  if (threadIdx.x == 0) {
    init(s.full, 1);
    fence_init();
  }
  __syncthreads();
  const TileWork<P, S> work(w);
  if (leader) {
    load_box(address(s.tile), &in, work.row - 1, work.column, address(&s.full));
    arm(s.full, tile_bytes<S>);
  }
  wait(s.full, 0);
  work.compute(s.tile);
}

template <class S> struct Ring {
  alignas(128) float tiles[S::stages][S::tile_rows * columns];
  unsigned long long full[S::stages], empty[S::stages];
};

template <class S>
__global__ void __launch_bounds__(S::threads) column_kernel(const __grid_constant__ CUtensorMap in, const Work w) {
  extern __shared__ __align__(128) unsigned char raw[];
  auto&                                          s      = *reinterpret_cast<Ring<S>*>(raw);
  const bool                                     leader = elect() & (threadIdx.x < 32);
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::stages; ++i) {
      init(s.full[i], 1);
      init(s.empty[i], S::threads / 32);
    }
    fence_init();
  }
  __syncthreads();
  ColumnWork<S> work(w);
  const int     steps = work.steps();
  const auto    load  = [&](int i, int stage) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
                 "[%2];" ::"r"(address(s.tiles[stage])),
                 "l"(&in), "r"(address(&s.full[stage])), "r"(work.column), "r"(work.row - 1), "r"(work.plane - 1 + i)
                 : "memory");
    arm(s.full[stage], tile_bytes<S>);
  };
  if (leader)
    for (int i = 0; i < S::stages && i < steps; ++i) load(i, i);
  int      stage  = 0;
  unsigned parity = 0;
  for (int i = 0; i < steps; ++i) {
    wait(s.full[stage], parity);
    work.take(s.tiles[stage], i);
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(s.empty[stage]);
    if (leader && i + S::stages < steps) {
      wait(s.empty[stage], parity);
      fence_proxy();
      load(i + S::stages, stage);
    }
    if (++stage == S::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
}

template <class Tile> CUtensorMap map_of(const Work& w) {
  constexpr tma::Options whole_lines{.promotion = tma::Promotion::bytes_128};
  CUtensorMap            map;
  const auto             copy = [&](const auto& descriptor) {
    static_assert(sizeof descriptor == sizeof map);
    std::memcpy(&map, &descriptor, sizeof map);
  };
  if constexpr (Tile::rank == 2)
    copy(tma::make_descriptor<Tile>(tma::TensorView<const float, 2>{w.in, {w.height, w.width}, {w.pitch, 1}}, whole_lines));
  else
    copy(tma::make_descriptor<Tile>(
        tma::TensorView<const float, 3>{w.in, {w.depth, w.height, w.width}, {(long long)w.pitch * w.height, w.pitch, 1}},
        whole_lines));
  return map;
}

double blocks_of(const char* name, const void* kernel, int threads, int shared) {
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), name);
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), name);
  int blocks = 0;
  harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, std::size_t(shared)), name);
  return blocks;
}

template <Points P, class S> Way tile(const char* name) {
  constexpr int shared = int(sizeof(OneTile<S>));
  const auto*   kernel = reinterpret_cast<const void*>(tile_kernel<P, S>);
  return {name, blocks_of(name, kernel, S::threads, shared) * tile_bytes<S>, [](const Work& w) {
            const dim3 grid(unsigned(over(w.width, columns)), unsigned(over(w.height, S::rows)));
            tile_kernel<P, S>
                <<<grid, S::threads, shared>>>(map_of<tma::Tile<float, tma::Shape<S::tile_rows, columns>>>(w), w);
          }};
}
template <class S> Way column(const char* name) {
  constexpr int shared = int(sizeof(Ring<S>));
  const auto*   kernel = reinterpret_cast<const void*>(column_kernel<S>);
  return {name, blocks_of(name, kernel, S::threads, shared) * tile_bytes<S> * S::stages, [](const Work& w) {
            const dim3 grid(unsigned(over(w.width, columns)), unsigned(over(w.height, S::rows)),
                            unsigned(over(w.depth, S::length)));
            column_kernel<S>
                <<<grid, S::threads, shared>>>(map_of<tma::Tile<float, tma::Shape<1, S::tile_rows, columns>>>(w), w);
          }};
}

}  // namespace

std::vector<Way> hand(Points p) {
  if (p == Points::five) return {tile<Points::five, Box<16, 8>>("hand")};
  if (p == Points::nine) return {tile<Points::nine, Box<16, 8>>("hand")};
  return {column<Column<16, 2, 8, 4>>("hand")};
}

}  // namespace stencil
