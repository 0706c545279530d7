// The ring as the library has it.
#include <tma/tma.hpp>

#include "kernels.cuh"

namespace ring {
namespace {

template <class Shape> using Box  = tma::Tile<float, tma::Shape<Shape::tile_bytes / row_bytes, 32>>;
template <class Shape> using Map  = tma::TmaDescriptor<const float, 2, Box<Shape>>;
template <class Shape> using Ring = typename tma::Pipeline<Shape::stages, Box<Shape>>::Shared;

template <class S> __device__ tma::Coord<2> place(const Work& work, int i) {
  return {work.tile(int(blockIdx.x), i) * (S::tile_bytes / row_bytes), 0};
}

template <class S>
__global__ void __launch_bounds__(S::threads)
    stream(const __grid_constant__ Map<S> in, const __grid_constant__ Work work, const __grid_constant__ Results results) {
  auto& ring = tma::shared<Ring<S>>();
  clear_barriers(ring, S::stages * S::tile_bytes, results.arrivals);
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < work.steps; ++i) producer.next([&](auto&& stage) { stage.load(in, place<S>(work, i)); });
      },
      tma::consumer_warps<S::consumer_warps>,
      [&](auto& consumer) {
        Fold fold;
        for (int i = 0; i < work.steps; ++i)
          consumer.next([&](const auto& tile) { fold.take<S>(tile.data(), consumer.rank(), work.whole); });
        results.folded[int(blockIdx.x) * S::consumers + consumer.rank()] = fold.value;
      });
  count_arrivals(ring, S::stages * S::tile_bytes, results.arrivals);
}

template <class S>
__global__ void __launch_bounds__(S::threads)
    issue_to_wait(const __grid_constant__ Map<S> in, const __grid_constant__ Work work,
                  const __grid_constant__ Results results) {
  auto&                   ring = tma::shared<Ring<S>>();
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < work.steps; ++i) {
          while (turn < i) {}
          const long long begin = clock64();
          producer.next([&](auto&& stage) { stage.load(in, place<S>(work, i)); });
          results.begin[i] = begin;
        }
      },
      tma::consumer_warps<S::consumer_warps>,
      [&](auto& consumer) {
        Fold fold;
        for (int i = 0; i < work.steps; ++i) {
          long long end = 0;
          consumer.next([&](const auto& tile) {
            end = clock64();
            fold.take<S>(tile.data(), consumer.rank(), work.whole);
          });
          if (consumer.rank() % 32 == 0) results.end[i * S::consumer_warps + consumer.rank() / 32] = end;
          consumer.sync();
          wait_cycles(end, idle_cycles);
          if (consumer.rank() == 0) turn = i + 1;
        }
        results.folded[consumer.rank()] = fold.value;
      });
}

template <class S>
__global__ void __launch_bounds__(S::threads)
    hand_off(const __grid_constant__ Map<S> in, const __grid_constant__ Work work, const __grid_constant__ Results results) {
  auto& ring = tma::shared<Ring<S>>();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < work.steps; ++i) {
          long long acquired = 0;
          producer.next([&](auto&& stage) {
            acquired = clock64();
            stage.load(in, place<S>(work, i));
          });
          results.begin[i] = acquired;
        }
      },
      tma::consumer_warps<S::consumer_warps>,
      [&](auto& consumer) {
        Fold fold;
        for (int i = 0; i < work.steps; ++i) {
          long long released = 0;
          consumer.next([&](const auto& tile, auto& stage) {
            fold.take<S>(tile.data(), consumer.rank(), work.whole);
            wait_cycles(clock64(), idle_cycles);
            released = clock64();
            stage.release();
          });
          if (consumer.rank() % 32 == 0) results.end[i * S::consumer_warps + consumer.rank() / 32] = released;
        }
        results.folded[consumer.rank()] = fold.value;
      });
}

template <Measure M, class S> constexpr auto kernel() {
  if constexpr (M == Measure::stream) return stream<S>;
  else if constexpr (M == Measure::issue_to_wait) return issue_to_wait<S>;
  else return hand_off<S>;
}

template <Measure M> void add(Variants& to, const Source& source) {
  each_shape<M>([&]<class S>(S) {
    const long long rows = static_cast<long long>(source.bytes / row_bytes);
    const Map<S>    map  = tma::make_descriptor<Box<S>>(tma::TensorView{source.data, {rows, 32ll}});
    to.push_back({"ours", M, S::config(), 1 + S::consumer_warps, [=](const Job& job) {
                    tma::launch(kernel<M, S>(),
                                {.grid = job.blocks, .block = S::threads, .shared = tma::shared_bytes<Ring<S>>}, map,
                                job.work, job.results);
                  }});
  });
}

}  // namespace

void add_ours(Variants& to, const Source& source) {
  add<Measure::stream>(to, source);
  add<Measure::issue_to_wait>(to, source);
  add<Measure::hand_off>(to, source);
}

}  // namespace ring
