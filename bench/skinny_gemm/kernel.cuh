// The kernel with the library's ring: weights and x through one pipeline, whoever loads.
#pragma once

#include <tma/device/cache_policy.hpp>
#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>
#include <tma/tma.hpp>

#include <type_traits>
#include <utility>

#include "ways.hpp"
#include "work.cuh"

namespace skinny {

// The tiles of a stage, and what one load brings of them: of x a slice, where a cluster shares it.
template <class S> using Weights = gemm::OperandTile<Element, S::rows>;
template <class S> using Inputs  = gemm::OperandTile<Element, S::columns>;
template <class S> using Slice   = tma::slice_t<Inputs<S>, S::blocks>;
template <class S>
using InputsPart =
    std::conditional_t<S::blocks == 1, Inputs<S>, tma::SharedInCluster<Inputs<S>, tma::ClusterShape<1, S::blocks>>>;

// As many tiles of the weights as a stage is deep, then as many of x.
template <class Part, int> using Repeated = Part;
template <class S, class Loads, class> struct RingOf;
template <class S, class Loads, int... D> struct RingOf<S, Loads, std::integer_sequence<int, D...>> {
  using type = tma::Pipeline<S::stages, Loads, Repeated<Weights<S>, D>..., Repeated<InputsPart<S>, D>..., tma::MatrixReads>;
};
template <class S, class Loads> using Ring = typename RingOf<S, Loads, std::make_integer_sequence<int, S::depth>>::type;

// Calls f(slot of w, slot of x, d) for each tile of a stage.
template <class S, class F> __device__ __forceinline__ void for_each_tile(F f) {
  [&]<int... D>(std::integer_sequence<int, D...>) {
    (f(tma::slot<D>, tma::slot<S::depth + D>, D), ...);
  }(std::make_integer_sequence<int, S::depth>());
}

template <class Loads> inline constexpr bool         by_engine = std::is_same_v<Loads, tma::EngineLoads>;
template <class S, class Loads> inline constexpr int threads   = S::consumers + 32 * (by_engine<Loads> ? 1 : 4);

// Warpgroups are counted from the first warp: a single producer comes behind them.
template <class S, class Loads> __device__ constexpr auto producer_of() {
  if constexpr (by_engine<Loads>) return tma::producer_warp<S::consumers / 32>;
  else return tma::producer_warps<4>;
}

template <class S, class Loads>
__global__ void __launch_bounds__(threads<S, Loads>, 1)
    multiply(const __grid_constant__ tma::descriptor_for<Loads, const Element, 2, Weights<S>> w,
             const __grid_constant__ tma::descriptor_for<Loads, const Element, 2, Slice<S>> x,
             const __grid_constant__ Job                                                    job) {
  const auto run = Run<S>::of(job, Run<S>::index());
  tma::specialize(
      tma::shared<typename Ring<S, Loads>::Shared>(), producer_of<S, Loads>(),
      [&](auto& producer) {
        const auto once = tma::evict_first(), often = tma::evict_last();
        for_each_strip(job, run, [&](int strip, int first, int count) {
          for (int k = first; k < first + count; ++k)
            producer.next([&](auto& stage) {
              for_each_tile<S>([&](auto slot_w, auto slot_x, int d) {
                const int column = (k * S::depth + d) * 64;
                stage.load(w, {first_row<S>(strip), column}, slot_w, once);
                stage.load(x, {0, column}, slot_x, often);
              });
            });
        });
      },
      tma::consumer_groups<S::groups, 4>,
      [&](auto& consumer) {
        // With few columns the matrix units are done at once; with many a stage is kept until the next is under way.
        constexpr bool overlaps = S::columns >= 64;
        const int      group    = consumer.group();
        for_each_strip(job, run, [&](int strip, int first, int count) {
          Sums<S> sums;
          auto    previous = consumer.none();
          for (int k = 0; k < count; ++k) {
            auto          stage = consumer.wait();
            gemm::Operand of_w[S::depth], of_x[S::depth];
            for_each_tile<S>([&](auto slot_w, auto slot_x, int d) {
              of_w[d] = gemm::rows_of(stage[slot_w]);
              of_x[d] = gemm::rows_of(stage[slot_x]);
            });
            take<S>(sums, of_w, of_x, group, k > 0);
            wait<overlaps ? 1 : 0>(sums);
            if constexpr (overlaps) previous = std::move(stage);  // frees the one before, which has been read
          }
          if constexpr (overlaps) {
            wait<0>(sums);
            previous.release();
          }
          finish<S>(job, sums, strip, first, count, group, consumer.rank(), [&] { consumer.sync(); });
        });
      });
}

template <class S, class Loads> Prepared by_ring(const Problems& problems) {
  const auto prepare = [](const Problem& p) {
    const auto w = tma::make_descriptor_for<Loads, Weights<S>>(tma::TensorView<const Element, 2>{p.w, {p.n, p.k}});
    const auto x = tma::make_descriptor_for<Loads, Slice<S>>(tma::TensorView<const Element, 2>{p.x, {p.m, p.k}});
    return [w, x, plan = plan_of<S>(p)] {
      tma::launch(multiply<S, Loads>,
                  {.grid    = plan.blocks,
                   .block   = threads<S, Loads>,
                   .shared  = tma::shared_bytes<typename Ring<S, Loads>::Shared>,
                   .cluster = S::blocks},
                  w, x, plan.job);
    };
  };
  return {each_in_turn(problems, prepare), double(S::in_flight)};
}

}  // namespace skinny
