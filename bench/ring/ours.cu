// The ring as the library has it.
#include <tma/tma.hpp>

#include "kernels.cuh"

namespace ring {
namespace {

template <class Shape> using Box = tma::Tile<float, tma::Shape<Shape::tile_bytes / row_bytes, 32>>;
template <class Shape> using Map = tma::TmaDescriptor<const float, 2, Box<Shape>>;

template <class Shape, Reads R> struct RingOf {
  using type = tma::Pipeline<Shape::stages, Box<Shape>>;
};
template <class Shape> struct RingOf<Shape, Reads::matrix> {
  using type = tma::Pipeline<Shape::stages, Box<Shape>, tma::MatrixReads>;
};
template <class Shape, Reads R> using Ring = typename RingOf<Shape, R>::type::Shared;

template <class S> __device__ tma::Coord<2> place(const Work& work, int block, int i) {
  return {work.tile(block, i) * (S::tile_bytes / row_bytes), 0};
}

template <class S, Reads R>
__global__ void __launch_bounds__(S::threads)
    stream(const __grid_constant__ Map<S> in, const __grid_constant__ Work work, const __grid_constant__ Results results) {
  auto&     ring  = tma::shared<Ring<S, R>>();
  const int block = block_index();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < work.steps; ++i) producer.next([&](auto&& stage) { stage.load(in, place<S>(work, block, i)); });
      },
      tma::consumer_warps<S::consumer_warps>,
      [&](auto& consumer) {
        Fold fold;
        for (int i = 0; i < work.steps; ++i)
          consumer.next([&](const auto& tile, auto& stage) {
            const auto values = Fold::read<S>(tile.data(), consumer.rank(), work.whole);
            stage.release();
            fold.add<S>(values, consumer.rank(), work.whole);
          });
        results.folded[block * S::consumers + consumer.rank()] = fold.value;
      });
  count_arrivals<S>(ring, results.arrivals);
}

template <class S, Reads R>
__global__ void __launch_bounds__(S::threads)
    issue_to_wait(const __grid_constant__ Map<S> in, const __grid_constant__ Work work,
                  const __grid_constant__ Results results) {
  auto&                   ring  = tma::shared<Ring<S, R>>();
  const int               block = block_index();
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < work.steps; ++i) {
          while (turn < i) {}
          const long long begin = clock64();
          producer.next([&](auto&& stage) { stage.load(in, place<S>(work, block, i)); });
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

template <class S, Reads R>
__global__ void __launch_bounds__(S::threads)
    hand_off(const __grid_constant__ Map<S> in, const __grid_constant__ Work work, const __grid_constant__ Results results) {
  auto&     ring  = tma::shared<Ring<S, R>>();
  const int block = block_index();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < work.steps; ++i) {
          long long acquired = 0;
          producer.next([&](auto&& stage) {
            acquired = clock64();
            stage.load(in, place<S>(work, block, i));
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

template <Measure M, class S, Reads R> constexpr auto kernel() {
  if constexpr (M == Measure::stream) return stream<S, R>;
  else if constexpr (M == Measure::issue_to_wait) return issue_to_wait<S, R>;
  else return hand_off<S, R>;
}

template <Measure M, Reads R> void add(Variants& to, const Source& source) {
  each_shape<M>([&]<class S>(S) {
    const long long rows = static_cast<long long>(source.bytes / row_bytes);
    const Map<S>    map  = tma::make_descriptor<Box<S>>(tma::TensorView{source.data, {rows, 32ll}});
    to.push_back({"ours", M, R, S::config(), 1 + S::consumer_warps, [=](const Job& job) {
                    tma::launch(kernel<M, S, R>(),
                                {.grid = job.blocks, .block = S::threads, .shared = tma::shared_bytes<Ring<S, R>>}, map,
                                job.work, job.results);
                  }});
  });
}

template <Reads R> void add_all(Variants& to, const Source& source) {
  add<Measure::stream, R>(to, source);
  add<Measure::issue_to_wait, R>(to, source);
  add<Measure::hand_off, R>(to, source);
}

}  // namespace

void add_ours(Variants& to, const Source& source) {
  add_all<Reads::threads>(to, source);
  add_all<Reads::matrix>(to, source);
}

}  // namespace ring
