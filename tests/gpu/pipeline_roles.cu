// The roles of a pipeline: several producers, whole warps that write beside the engine, groups of consumers that share stages
// or take turns, stages held by name, values from stage to stage, registers that move, groups that leave early.
#include <cuda_pipeline.h>

#include <tma/device/barrier_forms.hpp>
#include <tma/device/register_budget.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/turns.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using TileA = tma::Tile<int, tma::Shape<8, 32>>;
using TileB = tma::Tile<short, tma::Shape<4, 64>, tma::Swizzle::bytes_128>;
using Line  = tma::Buffer<int, 60>;
using MapA  = tma::TmaDescriptor<const int, 2, TileA>;
using MapB  = tma::TmaDescriptor<const short, 2, TileB>;
struct Row {
  int x[45];
};

constexpr int tiles = 16;  // of each tensor, below one another

template <class T> std::vector<T> numbered(int n) {
  std::vector<T> v(n);
  for (int i = 0; i < n; ++i) v[i] = T(i);
  return v;
}

struct Input {
  gpu::Array<int>   a{numbered<int>(tiles * TileA::size)};
  gpu::Array<short> b{numbered<short>(tiles * TileB::size)};
  gpu::Array<int>   line{numbered<int>(tiles * 60)};
  gpu::Array<int>   wrong{std::vector<int>{0}};
  MapA              map_a = tma::make_descriptor<TileA>(tma::TensorView{static_cast<const int*>(a.get()), {tiles * 8, 32}});
  MapB map_b = tma::make_descriptor<TileB>(tma::TensorView{static_cast<const short*>(b.get()), {tiles * 4, 64}});
  tma::AlignedPointer<const int> chunks = tma::aligned(static_cast<const int*>(line.get()));
};

template <class Tile> __device__ bool is(const Tile& tile, int i, int rank, int size) {
  bool right = true;
  for (int k = rank; k < Tile::size; k += size) right &= tile[k] == typename Tile::value_type(i % tiles * Tile::size + k);
  return right;
}

__device__ void sleep_some(unsigned seed) {
  seed *= 2654435761u;
  if (seed >> 29 == 0) __nanosleep(seed >> 18 & 1023);
}

// Three producers, each of which brings one of the stage's parts, and one of them a value.
template <int Stages, int Warps>
__global__ void several(const __grid_constant__ MapA a, const __grid_constant__ MapB b,
                        const __grid_constant__ tma::AlignedPointer<const int> line, int n, int* wrong) {
  using Pipe = tma::Pipeline<Stages, TileA, TileB, Line, tma::Meta<int>>;
  tma::specialize(
      tma::named("three", tma::shared<typename Pipe::Shared>()), tma::producers<3>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) {
          sleep_some(unsigned(i * 3 + producer.index()));
          auto stage = producer.acquire();
          if (producer.index() == 0) stage.load(a, {i % tiles * 8, 0});
          if (producer.index() == 1) stage.load(b, {i % tiles * 4, 0});
          if (producer.index() == 2) {
            stage.load(line.chunk<60>(i % tiles));
            stage.meta() = i * 5;
          }
          if (i % 2 == 0) stage.commit();
        }
      },
      tma::consumer_warps<Warps>,
      [&](auto& consumer) {
        for (int i = 0; i < n; ++i) {
          sleep_some(unsigned(i * 7 + consumer.rank() / 32));
          auto       stage = consumer.wait();
          const bool right = is(stage[tma::slot<0>], i, consumer.rank(), consumer.size()) &&
                             is(stage[tma::slot<1>], i, consumer.rank(), consumer.size()) &&
                             is(stage[tma::slot<2>], i, consumer.rank(), consumer.size()) && stage[tma::slot<3>] == i * 5;
          if (!right) atomicAdd(wrong, 1);
          if (i % 3 != 0) stage.release();
        }
      });
}

// Two warps fill a stage: the engine's tile, a row by plain stores, one by cp.async. Steps without a load, steps with half.
template <int Stages> __global__ void mixed(const __grid_constant__ MapA a, const int* line, int n, int* wrong) {
  using Pipe = tma::Pipeline<Stages, TileA, tma::ByThreads<Row>, tma::ByThreads<tma::Buffer<int, 60>>, tma::Meta<short>>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warps<2>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i)
          producer.next([&](auto& stage) {
            sleep_some(unsigned(i * 3 + producer.rank()));
            if (i % 4 != 3) stage.load(a, {i % tiles * 8, 0});
            stage.meta() = short(i);
            Row& row     = stage[tma::slot<1>];
            for (int k = producer.rank(); k < 45; k += producer.size()) row.x[k] = i * 100 + k;
            auto& copied = stage[tma::slot<2>];
            for (int k = producer.rank(); k < 15; k += producer.size())
              __pipeline_memcpy_async(&copied[k * 4], line + i % tiles * 60 + k * 4, 16);
            stage.wait_also_for_cp_async();
          });
      },
      tma::consumer_groups<2, 2>,
      [&](auto& consumer) {
        for (int i = 0; i < n; ++i)
          consumer.next([&](const TileA& tile, const Row& row, const auto& copied, const short& which, auto& stage) {
            bool right = which == i && (i % 4 == 3 || is(tile, i, consumer.rank(), consumer.size()));
            for (int k = consumer.rank(); k < 45; k += consumer.size()) right &= row.x[k] == i * 100 + k;
            for (int k = consumer.rank(); k < 60; k += consumer.size()) right &= copied[k] == i % tiles * 60 + k;
            if (consumer.group() == 1) stage.release();
            if (!right) atomicAdd(wrong, 1);
          });
      });
}

// All threads of the block write beside the engine, and consume.
template <int Stages> __global__ void mixed_for_each(const __grid_constant__ MapA a, int n, int loops, int* wrong) {
  using Pipe = tma::Pipeline<Stages, TileA, tma::ByThreads<Row>>;
  Pipe pipe(tma::shared<typename Pipe::Shared>(), "mixed");
  for (int loop = 0; loop < loops; ++loop)
    pipe.for_each(
        n,
        [&](auto load, int i) {
          load(a, {i % tiles * 8, 0});
          for (int k = int(threadIdx.x); k < 45; k += int(blockDim.x)) load[tma::slot<1>].x[k] = i + k;
        },
        [&](const TileA& tile, const Row& row, int i) {
          sleep_some(unsigned(i * 3 + int(threadIdx.x) / 32));
          bool right = is(tile, i, int(threadIdx.x), int(blockDim.x));
          for (int k = int(threadIdx.x); k < 45; k += int(blockDim.x)) right &= row.x[k] == i + k;
          if (!right) atomicAdd(wrong, 1);
        });
}

// Ping-pong: two groups, each with output tiles of its own, `depth` steps each, only one in its main loop at a time.
template <int Stages, tma::ReleaseBy By>
__global__ void ping_pong(const __grid_constant__ MapA a, int outputs, int depth, int* wrong) {
  using Pipe  = tma::Pipeline<Stages, TileA>;
  using Order = tma::Turns<2, 2>;
  struct Shared {
    typename Pipe::Shared ring;
    Order::Shared         order;
    int                   inside, done;
  };
  auto& s = tma::shared<Shared>();
  if (threadIdx.x == 0) s.inside = s.done = 0;
  Order turns(s.order);
  tma::specialize(
      s.ring, tma::producer_warp<2>,
      [&](auto& producer) {
        for (int i = 0; i < outputs * depth; ++i) producer.next([&](auto& stage) { stage.load(a, {i % tiles * 8, 0}); });
      },
      tma::taking_turns<2, 2, 0, By>,
      [&](auto& consumer) {
        bool right = true;
        for (int output = 0; output < outputs; ++output) {
          if (output % 2 != consumer.group()) {
            consumer.skip(depth);
            continue;
          }
          turns.take(consumer, [&] {
            // Nobody else is here, and all turns before are over.
            if (consumer.rank() % 32 == 0) {
              atomicAdd(&s.inside, 1 << (16 * consumer.group()));
              right &= (atomicAdd(&s.inside, 0) >> (16 * (1 - consumer.group())) & 0xffff) == 0;
              right &= atomicAdd(&s.done, 0) >= output * 2;
            }
            auto previous = consumer.none();
            for (int k = 0; k < depth; ++k) {
              sleep_some(unsigned(output * 100 + k * 3 + consumer.rank() / 32));
              auto stage = consumer.wait();
              right &= is(stage[tma::slot<0>], output * depth + k, consumer.rank(), consumer.size());
              if constexpr (Stages > 1) previous = static_cast<decltype(stage)&&>(stage);
            }
            if (consumer.rank() % 32 == 0) {
              atomicAdd(&s.done, 1);
              atomicSub(&s.inside, 1 << (16 * consumer.group()));
            }
          });
        }
        if (!right) atomicAdd(wrong, 1);
      });
}

// Of two groups one leaves in the middle; the other goes on, at once and after it.
template <int Stages, tma::ReleaseBy By>
__global__ void leaving(const __grid_constant__ MapA a, int n, int last, int* wrong) {
  using Pipe = tma::Pipeline<Stages, TileA>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto& stage) { stage.load(a, {i % tiles * 8, 0}); });
      },
      tma::consumer_groups<2, 2, 0, By>,
      [&](auto& consumer) {
        for (int i = 0; i < n; ++i) {
          if (consumer.group() == 1 && i == last) return consumer.leave();
          sleep_some(unsigned(i * 3 + consumer.rank() / 32 + consumer.group() * 11));
          consumer.next([&](const TileA& tile) {
            if (!is(tile, i, consumer.rank(), consumer.size())) atomicAdd(wrong, 1);
          });
        }
      });
}

// Registers move from the producer's warpgroup to two of consumers, one of which looks before it waits.
__global__ void __launch_bounds__(384, 1) registers(const __grid_constant__ MapA a, int n, int* wrong) {
  using Pipe = tma::Pipeline<3, TileA>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<1, 40>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) {
          while (!producer.is_free()) {}
          producer.next([&](auto& stage) { stage.load(a, {i % tiles * 8, 0}); });
        }
      },
      tma::consumer_groups<2, 4, 232>,
      [&](auto& consumer) {
        for (int i = 0; i < n; ++i) {
          while (consumer.group() == 0 && !consumer.is_ready()) {}
          if (i % 5 == 4) consumer.skip();
          else
            consumer.next([&](const TileA& tile) {
              if (!is(tile, i, consumer.rank(), consumer.size())) atomicAdd(wrong, 1);
            });
        }
      });
}

// Values alone: a warp hands numbers to three others, which sum them.
template <int Stages> __global__ void values(int n, int* wrong) {
  using Pipe = tma::Pipeline<Stages, tma::Meta<int>, tma::Meta<double>>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<3>,
      [&](auto& producer) {
        for (int i = 0; i <= n; ++i)
          producer.next([&](auto& stage) {
            stage.meta(tma::slot<0>) = i == n ? -1 : i;
            stage.meta(tma::slot<1>) = i * 0.5;
          });
      },
      tma::consumer_warps<3>,
      [&](auto& consumer) {
        long long sum  = 0;
        int       last = 0;
        do {
          consumer.next([&](int i, double half) {
            last = i;
            if (i >= 0) sum += i + int(half * 2);
          });
        } while (last >= 0);
        if (sum != (long long)(n) * (n - 1)) atomicAdd(wrong, 1);
      });
}

const int counts[] = {0, 1, 2, 3, 4, 5, 7, 16, 23};

}  // namespace

TEST_CASE("several producers fill a stage together", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(200, 1); ++r)
    for (const int n : counts) {
      tma::launch(several<1, 1>, {.grid = 4, .block = 128}, in.map_a, in.map_b, in.chunks, n, in.wrong.get());
      tma::launch(several<2, 3>, {.grid = 4, .block = 192}, in.map_a, in.map_b, in.chunks, n, in.wrong.get());
      tma::launch(several<5, 8>, {.grid = 4, .block = 352}, in.map_a, in.map_b, in.chunks, n, in.wrong.get());
      gpu::finish();
    }
  CHECK(in.wrong.download()[0] == 0);
}

TEST_CASE("threads write beside the engine, by stores and by cp.async", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(200, 1); ++r)
    for (const int n : counts) {
      tma::launch(mixed<1>, {.grid = 4, .block = 192}, in.map_a, in.line.get(), n, in.wrong.get());
      tma::launch(mixed<3>, {.grid = 4, .block = 192}, in.map_a, in.line.get(), n, in.wrong.get());
      tma::launch(mixed_for_each<1>, {.grid = 4, .block = 70}, in.map_a, n, 1 + r % 3, in.wrong.get());
      tma::launch(mixed_for_each<4>, {.grid = 4, .block = 256}, in.map_a, n, 1 + r % 3, in.wrong.get());
      gpu::finish();
    }
  CHECK(in.wrong.download()[0] == 0);
}

TEST_CASE("groups take turns", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(200, 1); ++r)
    for (const int outputs : {0, 1, 2, 5})
      for (const int depth : {0, 1, 3, 8}) {
        tma::launch(ping_pong<2, tma::ReleaseBy::warp>, {.grid = 4, .block = 160}, in.map_a, outputs, depth, in.wrong.get());
        tma::launch(ping_pong<3, tma::ReleaseBy::group>, {.grid = 4, .block = 160}, in.map_a, outputs, depth,
                    in.wrong.get());
        tma::launch(ping_pong<1, tma::ReleaseBy::group>, {.grid = 4, .block = 160}, in.map_a, outputs, depth,
                    in.wrong.get());
        gpu::finish();
      }
  CHECK(in.wrong.download()[0] == 0);
}

TEST_CASE("a group leaves before the end", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(200, 1); ++r)
    for (const int n : counts)
      for (const int last : {0, 1, 4, n - 1, n}) {
        tma::launch(leaving<1, tma::ReleaseBy::warp>, {.grid = 4, .block = 160}, in.map_a, n, last, in.wrong.get());
        tma::launch(leaving<3, tma::ReleaseBy::warp>, {.grid = 4, .block = 160}, in.map_a, n, last, in.wrong.get());
        tma::launch(leaving<4, tma::ReleaseBy::group>, {.grid = 4, .block = 160}, in.map_a, n, last, in.wrong.get());
        gpu::finish();
      }
  CHECK(in.wrong.download()[0] == 0);
}

TEST_CASE("registers move between roles; sides that look before they wait", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(200, 1); ++r)
    for (const int n : counts) {
      tma::launch(registers, {.grid = 4, .block = 384}, in.map_a, n, in.wrong.get());
      gpu::finish();
    }
  CHECK(in.wrong.download()[0] == 0);
}

TEST_CASE("a pipeline of values alone", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(200, 1); ++r)
    for (const int n : counts) {
      tma::launch(values<1>, {.grid = 4, .block = 128}, n, in.wrong.get());
      tma::launch(values<4>, {.grid = 4, .block = 128}, n, in.wrong.get());
      gpu::finish();
    }
  CHECK(in.wrong.download()[0] == 0);
}
