// Every order of small pipelines' steps, in the shapes that they have: all are right, and no order hangs.
#include <tma/device/barrier_forms.hpp>
#include <tma/machine/machine.hpp>
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/turns.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<2, 4>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

// What a thread adds up over its steps.
__device__ int weighed(const Tile& tile, int thread, int i) { return tile[thread % Tile::size] * (i + 1); }

template <int Stages> __global__ void two_producers(const __grid_constant__ Map from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile, Tile>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producers<2>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i)
          producer.next([&](auto& stage) {
            if (producer.index() == 0) stage.load(from, {i * 2, 0}, tma::slot<0>);
            else stage.load(from, {i * 2, 0}, tma::slot<1>);
          });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        int sum = 0, i = 0;
        for (; i < steps; ++i)
          consumer.next([&](const Tile& a, const Tile& b) { sum += weighed(i % 2 ? a : b, consumer.rank(), i); });
        sums[consumer.rank()] = sum;
      });
}

// The engine brings a tile, the warp that asks for it writes another.
template <int Stages> __global__ void written(const __grid_constant__ Map from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile, tma::ByThreads<tma::Buffer<int, 8>>>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warps<1>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i)
          producer.next([&](auto& stage) {
            stage.load(from, {i * 2, 0});
            if (producer.rank() < 8) stage[tma::slot<1>][producer.rank()] = i;
          });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        int sum = 0, i = 0;
        for (; i < steps; ++i)
          consumer.next([&](const Tile& a, const tma::Buffer<int, 8>& b) {
            sum += weighed(a, consumer.rank(), i) + b[consumer.rank() % 8] - i;
          });
        sums[consumer.rank()] = sum;
      });
}

// Consumers that know no number of steps.
template <int Stages> __global__ void values(const __grid_constant__ Map from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile, tma::Meta<int>>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i <= steps; ++i)
          producer.next([&](auto& stage) {
            stage.meta() = steps - i;
            if (i < steps) stage.load(from, {i * 2, 0});
          });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        int  sum = 0, i = 0;
        bool more = true;
        while (more)
          consumer.next([&](const Tile& tile, const int& left) {
            more = left > 0;
            if (more) sum += weighed(tile, consumer.rank(), i++);
          });
        sums[consumer.rank()] = sum;
      });
}

// Two groups; the second leaves after the first step, or stays.
template <int Stages, bool Leaves> __global__ void groups(const __grid_constant__ Map from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto& stage) { stage.load(from, {i * 2, 0}); });
      },
      tma::consumer_groups<2, 1>,
      [&](auto& consumer) {
        int        sum  = 0;
        const bool goes = Leaves && consumer.group() == 1;
        for (int i = 0; i < (goes && steps > 1 ? 1 : steps); ++i)
          consumer.next([&](const Tile& tile) { sum += weighed(tile, consumer.rank(), i); });
        if constexpr (Leaves)
          if (goes) consumer.leave();
        if (consumer.group() == 0) sums[consumer.rank()] = sum;
      });
}

template <int Stages> __global__ void turns(const __grid_constant__ Map from, int* sums, int steps) {
  struct Shared {
    typename tma::Pipeline<Stages, Tile>::Shared ring;
    tma::Turns<2, 1>::Shared                     order;
  };
  auto&            s = tma::shared<Shared>();
  tma::Turns<2, 1> order(s.order);
  tma::specialize(
      s.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto& stage) { stage.load(from, {i * 2, 0}); });
      },
      tma::taking_turns<2, 1>,
      [&](auto& consumer) {
        for (int i = 0; i < steps; ++i) {
          if (i % 2 != consumer.group()) consumer.skip();
          else
            order.take(consumer, [&] {
              consumer.next([&](const Tile& tile) {
                // In this order alone the sums of both are right.
                if (i == 0) sums[consumer.rank()] = 0;
                sums[consumer.rank()] += weighed(tile, consumer.rank(), i);
              });
            });
        }
      });
  if (steps == 0 && threadIdx.x < 32) sums[threadIdx.x] = 0;
}

// Each stage is kept over the next step.
template <int Stages> __global__ void held(const __grid_constant__ Map from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) {
          auto stage = producer.acquire();
          stage.load(from, {i * 2, 0});
        }
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        int  sum      = 0;
        auto previous = consumer.none();
        for (int i = 0; i < steps; ++i) {
          auto stage = consumer.wait();
          if (previous) sum += weighed(previous.template get<0>(), consumer.rank(), i - 1);
          previous = static_cast<decltype(previous)&&>(stage);
        }
        if (previous) sum += weighed(previous.template get<0>(), consumer.rank(), steps - 1);
        sums[consumer.rank()] = sum;
      });
}

using Pair     = tma::Tile<int, tma::Shape<2, 32>>;
using Half     = tma::slice_t<Pair, 2>;
using HalfMap  = tma::TmaDescriptor<const int, 2, Half>;
using PairPart = tma::SharedInCluster<Pair, tma::ClusterShape<1, 2>>;

// Two blocks load a tile for one another.
template <int Stages> __global__ void in_pairs(const __grid_constant__ HalfMap from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, PairPart>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto& stage) { stage.load(from, {i * 2, 0}); });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        int sum = 0;
        for (int i = 0; i < steps; ++i)
          consumer.next(
              [&](const Pair& tile) { sum += tile[consumer.rank()] * (i + 1) + tile[consumer.rank() + 32] * (i + 1); });
        sums[int(blockIdx.x) * 32 + consumer.rank()] = sum;
      });
}

std::vector<int> numbered(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

int expected(int thread, int steps) {
  int sum = 0;
  for (int i = 0; i < steps; ++i) sum += (i * Tile::size + thread % Tile::size) * (i + 1);
  return sum;
}

// Whether all orders were tried.
template <class Kernel> bool check(Kernel kernel, int threads, int steps) {
  gpu::Array<int> in(numbered(16 * Tile::size)), sums(64);
  const Map       from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {32, 4}});
  const auto result    = tma::machine::explore({.strategy = tma::machine::Strategy::exhaustive, .most_states = 200000}, [&] {
    tma::launch(kernel, {.grid = 1, .block = threads}, from, sums.get(), steps);
  });
  INFO(threads << " threads, " << steps << " steps: " << result.schedules << " schedules, " << result.states << " states\n"
               << result.text());
  CHECK(result.clean());
  const auto h = sums.download();
  for (int t = 0; t < 32; ++t) REQUIRE(h[t] == expected(t, steps));
  std::printf("%d threads, %d steps: %lld states%s\n", threads, steps, result.states, result.exhausted ? "" : ", not all");
  return result.exhausted;
}

}  // namespace

TEST_CASE("two producers and a consumer are right in every order") {
  for (int steps : {0, 1, 2, 3}) {
    CHECK(check(two_producers<1>, 96, steps));
    CHECK(check(two_producers<2>, 96, steps));
  }
}

TEST_CASE("a stage that the engine and a warp fill is right in every order") {
  for (int steps : {0, 1, 2, 3}) {
    CHECK(check(written<1>, 64, steps));
    CHECK(check(written<2>, 64, steps));
  }
}

TEST_CASE("consumers that are told the last step are right in every order") {
  for (int steps : {0, 1, 2, 3}) {
    CHECK(check(values<1>, 64, steps));
    CHECK(check(values<2>, 64, steps));
  }
}

TEST_CASE("two groups of consumers are right in every order") {
  for (int steps : {0, 1, 2, 3}) {
    CHECK(check(groups<1, false>, 96, steps));
    CHECK(check(groups<2, false>, 96, steps));
  }
}

TEST_CASE("a group that leaves is missed in no order") {
  for (int steps : {0, 1, 2, 3}) {
    CHECK(check(groups<1, true>, 96, steps));
    CHECK(check(groups<2, true>, 96, steps));
  }
}

TEST_CASE("groups in turn are right in every order") {
  for (int steps : {0, 1, 2, 3, 4}) {
    CHECK(check(turns<1>, 96, steps));
    CHECK(check(turns<2>, 96, steps));
  }
}

TEST_CASE("stages that are held over a step are right in every order") {
  for (int steps : {0, 1, 2, 3, 4}) {
    CHECK(check(held<2>, 64, steps));
    CHECK(check(held<3>, 64, steps));
  }
}

TEST_CASE("two blocks that load a tile for one another are right in every order of a step") {
  gpu::Array<int> in(numbered(16 * Pair::size)), sums(64);
  const HalfMap   from = tma::make_descriptor<Half>(tma::TensorView{static_cast<const int*>(in.get()), {32, 32}});
  const auto      all  = [&](auto kernel, int steps, long long states) {
    const auto result = tma::machine::explore({.strategy = tma::machine::Strategy::exhaustive, .most_states = states}, [&] {
      tma::launch(kernel, {.grid = 2, .block = 64, .cluster = 2}, from, sums.get(), steps);
    });
    INFO(steps << " steps: " << result.schedules << " schedules, " << result.states << " states\n" << result.text());
    CHECK(result.clean());
    std::printf("pairs, %d steps: %lld states%s\n", steps, result.states, result.exhausted ? "" : ", not all");
    const auto h = sums.download();
    for (int t = 0; t < 64; ++t) {
      int sum = 0;
      for (int i = 0; i < steps; ++i) sum += (2 * (i * Pair::size + t % 32) + 32) * (i + 1);
      REQUIRE(h[t] == sum);
    }
    return result.exhausted;
  };
  // Two blocks have many orders: of more steps, the first of them.
  CHECK(all(in_pairs<1>, 0, 20000));
  CHECK(all(in_pairs<1>, 1, 50000));
  all(in_pairs<1>, 3, 3000);
  all(in_pairs<2>, 5, 3000);
}
