// Stencils by this library: pipelines that the engine fills, or threads.
#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/thread_loads.hpp>
#include <tma/tma.hpp>

#include "../harness/require.hpp"
#include "tiles.cuh"

namespace stencil {
namespace {

template <class S> using Rows                = tma::Tile<float, tma::Shape<S::tile_rows, columns>>;
template <class S> using Planes              = tma::Tile<float, tma::Shape<1, S::tile_rows, columns>>;
template <class Loads, class Tile> using Map = tma::descriptor_for<Loads, const float, Tile::rank, Tile>;

template <class S, class Loads> using OneTile = tma::Pipeline<1, Loads, Rows<S>>;
template <class S, class Loads> using Ring    = tma::Pipeline<S::stages, Loads, Planes<S>>;

template <Points P, class S, class Loads>
__global__ void __launch_bounds__(S::threads) tile_kernel(const __grid_constant__ Map<Loads, Rows<S>> in, const Work w) {
  OneTile<S, Loads>    pipe(tma::shared<typename OneTile<S, Loads>::Shared>());
  const TileWork<P, S> work(w);
  pipe.for_each(
      1, [&](auto load, int) { load(in, {work.row - 1, work.column}); },
      [&](const Rows<S>& tile, int) { work.compute(tile.data()); });
}

template <class S, class Loads>
__global__ void __launch_bounds__(S::threads) column_kernel(const __grid_constant__ Map<Loads, Planes<S>> in, const Work w) {
  Ring<S, Loads> pipe(tma::shared<typename Ring<S, Loads>::Shared>());
  ColumnWork<S>  work(w);
  pipe.for_each(
      work.steps(), [&](auto load, int i) { load(in, {work.plane - 1 + i, work.row - 1, work.column}); },
      [&](const Planes<S>& tile, int i) { work.take(tile.data(), i); });
}

// With columns more on either side, all by the engine. The innermost coordinate is a multiple of 16 bytes: four columns.
template <class S> using Wide = tma::Tile<float, tma::Shape<S::tile_rows, columns + 2 * piece>>;

template <class S> struct WideTile {
  Wide<S>          tile;
  tma::LoadBarrier barrier;
};

template <Points P, class S>
__global__ void __launch_bounds__(S::threads)
    wide_kernel(const __grid_constant__ Map<tma::EngineLoads, Wide<S>> in, const Work w) {
  auto& [tile, barrier] = tma::shared<WideTile<S>>();
  auto [block, arrived] = tma::this_block<S::threads>(barrier);
  const int row = int(blockIdx.y) * S::rows, column = int(blockIdx.x) * columns;
  const int lane = block.rank() % 32, first = block.rank() / 32 * S::each;
  if (auto issuer = block.elect()) issuer.load(in, {row - 1, column - piece}, tile, arrived);
  arrived.wait();
  March<P> march;
#pragma unroll
  for (int j = 0; j < S::each + 2; ++j) {
    const auto&  v    = tile.template vector<piece>((first + j) * (columns / piece + 2) + 1 + lane);
    const float  side = tile(first + j, lane == 0 ? piece - 1 : columns + piece);
    const float4 y    = march.take(layer_of({v[0], v[1], v[2], v[3]}, side));
    const int    r    = row + first + j - 2;
    if (j >= 2 && r < w.height) put(w, 0, r, column + lane * piece, y);
  }
}

template <class Loads, class Tile> auto map_of(const Work& w) {
  constexpr tma::Options whole_lines{.promotion = tma::Promotion::bytes_128};
  const auto             view = [&] {
    if constexpr (Tile::rank == 2) return tma::TensorView<const float, 2>{w.in, {w.height, w.width}, {w.pitch, 1}};
    else
      return tma::TensorView<const float, 3>{
          w.in, {w.depth, w.height, w.width}, {(long long)w.pitch * w.height, w.pitch, 1}};
  }();
  if constexpr (std::is_same_v<Loads, tma::EngineLoads>) return tma::make_descriptor<Tile>(view, whole_lines);
  else return tma::make_descriptor_for<Loads, Tile>(view);
}

template <class Room> double blocks_of(const char* name, const void* kernel, int threads) {
  constexpr int shared = int(tma::shared_bytes<Room>);
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), name);
  if (shared > 0) harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), name);
  int blocks = 0;
  harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, std::size_t(shared)), name);
  return blocks;
}

template <class Room, class S> tma::LaunchConfig config_of(const Work& w) {
  if constexpr (requires { S::length; })
    return {.grid   = {over(w.width, columns), over(w.height, S::rows), over(w.depth, S::length)},
            .block  = S::threads,
            .shared = tma::shared_bytes<Room>};
  else
    return {
        .grid = {over(w.width, columns), over(w.height, S::rows)}, .block = S::threads, .shared = tma::shared_bytes<Room>};
}

template <Points P, class S, class Loads> Way tile(const char* name) {
  using Room         = typename OneTile<S, Loads>::Shared;
  const auto* kernel = reinterpret_cast<const void*>(tile_kernel<P, S, Loads>);
  return {name, blocks_of<Room>(name, kernel, S::threads) * Rows<S>::payload_bytes,
          [](const Work& w) { tma::launch(tile_kernel<P, S, Loads>, config_of<Room, S>(w), map_of<Loads, Rows<S>>(w), w); }};
}
template <Points P, class S> Way wide(const char* name) {
  const auto* kernel = reinterpret_cast<const void*>(wide_kernel<P, S>);
  return {name, blocks_of<WideTile<S>>(name, kernel, S::threads) * Wide<S>::payload_bytes, [](const Work& w) {
            tma::launch(wide_kernel<P, S>, config_of<WideTile<S>, S>(w), map_of<tma::EngineLoads, Wide<S>>(w), w);
          }};
}
template <class S, class Loads> Way column(const char* name) {
  using Room         = typename Ring<S, Loads>::Shared;
  const auto* kernel = reinterpret_cast<const void*>(column_kernel<S, Loads>);
  return {name, blocks_of<Room>(name, kernel, S::threads) * Planes<S>::payload_bytes * S::stages, [](const Work& w) {
            tma::launch(column_kernel<S, Loads>, config_of<Room, S>(w), map_of<Loads, Planes<S>>(w), w);
          }};
}

template <Points P> std::vector<Way> matrix() {
  return {tile<P, Box<16, 8>, tma::EngineLoads>("ours"), wide<P, Box<32, 8>>("ours; sides by the engine")};
}

}  // namespace

std::vector<Way> ours(Points p) {
  if (p == Points::five) return matrix<Points::five>();
  if (p == Points::nine) return matrix<Points::nine>();
  return {column<Column<16, 2, 8, 4>, tma::EngineLoads>("ours")};
}

std::vector<Way> cp_async(Points p) {
  using L = tma::ThreadLoads;
  if (p == Points::five) return {tile<Points::five, Box<16, 8>, L>("cp.async")};
  if (p == Points::nine) return {tile<Points::nine, Box<16, 8>, L>("cp.async")};
  return {column<Column<16, 2, 8, 4>, L>("cp.async")};
}

}  // namespace stencil
