// Both by the library.
#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>

#include "loads.hpp"

namespace loads {
namespace {

using A = gemm::TileA<Element>;
using B = gemm::TileB<Element>;

template <class Loads> using Pipe = tma::Pipeline<stages, Loads, A, B, tma::MatrixReads>;

TMA_HOST_DEVICE constexpr auto producers_of(tma::EngineLoads) { return tma::producer_warp<0, registers(true, true)>; }
TMA_HOST_DEVICE constexpr auto producers_of(tma::ThreadLoads) { return tma::producer_warps<4, registers(true, false)>; }

template <class Loads>
__global__ void __launch_bounds__(threads, 1)
    kernel(const __grid_constant__ tma::descriptor_for<Loads, const Element, 2, A> a,
           const __grid_constant__ tma::descriptor_for<Loads, const Element, 2, B> b, gemm::Output<Element> c,
           gemm::Raster raster, int steps) {
  constexpr bool engine = tma::detail::is_same_v<Loads, tma::EngineLoads>;
  tma::specialize(
      tma::shared<typename Pipe<Loads>::Shared>(), producers_of(Loads()),
      [&](auto& producer) {
        for (int index : tma::StaticTiles(raster.size())) {
          const auto tile = raster(index);
          for (int step = 0; step < steps; ++step)
            producer.next([&](auto& stage) {
              stage.load(a, {tile.row * gemm::block_rows, step * gemm::depth});
              stage.load(b, {tile.column * gemm::block_columns, step * gemm::depth});
            });
        }
      },
      tma::consumer_groups<2, 4, registers(false, engine)>,
      [&](auto& consumer) {
        gemm::Accumulators<gemm::block_columns> sum;
        for (int index : tma::StaticTiles(raster.size())) {
          const auto tile = raster(index);
          gemm::accumulate<Element>(consumer, sum, steps);
          gemm::write(c, sum, tile.row * gemm::block_rows + consumer.group() * 64, tile.column * gemm::block_columns,
                      consumer.rank());
        }
      });
}

template <class Loads> gemm::Run plan(const Problem& p) {
  const auto a = tma::make_descriptor_for<Loads, A>(gemm::view_a(p));
  const auto b = tma::make_descriptor_for<Loads, B>(gemm::view_b(p));
  return [=, c = gemm::output_of(p), raster = gemm::raster_of(p), steps = gemm::steps_of(p),
          blocks = gemm::blocks_of(gemm::raster_of(p).size())](cudaStream_t stream) {
    tma::launch(
        kernel<Loads>,
        {.grid = blocks, .block = threads, .shared = tma::shared_bytes<typename Pipe<Loads>::Shared>, .stream = stream}, a,
        b, c, raster, steps);
  };
}

}  // namespace

gemm::Run by_engine(const Problem& problem) { return plan<tma::EngineLoads>(problem); }
gemm::Run by_threads(const Problem& problem) { return plan<tma::ThreadLoads>(problem); }

}  // namespace loads
