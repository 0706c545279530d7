// Named barriers of roles, beside those of a kernel's own: where they begin is the last argument of specialize and transform.
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;
using Out  = tma::TmaDescriptor<int, 2, Tile>;

constexpr int tiles = 4;

// What warps beside the roles do with named barrier 1: they hand one another numbers.
template <int Barrier, int Threads> TMA_DEVICE bool exchange(int* numbers, int rank, int rounds) {
  bool right = true;
  for (int i = 0; i < rounds; ++i) {
    numbers[rank] = rank + i;
    tma::ptx::sync_threads(Barrier, Threads);
    right &= numbers[(rank + 32) % Threads] == (rank + 32) % Threads + i;
    tma::ptx::sync_threads(Barrier, Threads);
  }
  return right;
}

// Warps 0 and 1 produce, 2 to 5 consume as two groups: barriers First, First + 1 and First + 2. Warps 6 and 7 have barrier 1.
template <int First> __global__ void roles(int n, int* wrong) {
  using Ring = tma::Pipeline<2, tma::ByThreads<tma::Buffer<int, 64>>>;
  struct Shared {
    Ring::Shared ring;
    int          own[64], of_group[2][64];
  };
  auto& s = tma::shared<Shared>();
  tma::specialize(
      s.ring, tma::producer_warps<2>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i)
          producer.next([&](auto& stage) {
            auto& out            = stage[tma::slot<0>];
            out[producer.rank()] = i;
            producer.sync();
            if (out[(producer.rank() + 32) % 64] != i) atomicAdd(wrong, 1);
            producer.sync();
          });
      },
      tma::consumer_groups<2, 2>,
      [&](auto& consumer) {
        static_assert(tma::detail::remove_cvref_t<decltype(consumer)>::first_named_barrier == First);
        int* const numbers = s.of_group[consumer.group()];
        for (int i = 0; i < n; ++i)
          consumer.next([&](const auto& in) {
            numbers[consumer.rank()] = in[consumer.rank()] + consumer.rank();
            consumer.sync();
            const int other = (consumer.rank() + 32) % 64;
            if (numbers[other] != i + other) atomicAdd(wrong, 1);
            consumer.sync();
          });
      },
      tma::first_named_barrier<First>);
  if (threadIdx.x >= 192 && !exchange<1, 64>(s.own, int(threadIdx.x) - 192, n)) atomicAdd(wrong, 1);
}

// The same in place: the workers' barrier is First, the mover needs none.
template <int First>
__global__ void in_place(const __grid_constant__ Map in, const __grid_constant__ Out out, int n, int* wrong) {
  using Ring = tma::InPlacePipeline<3, Tile>;
  struct Shared {
    Ring::Shared ring;
    int          own[64];
  };
  auto& s = tma::shared<Shared>();
  tma::transform(
      s.ring, tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(
            n, [&](auto load, int i) { load(in, {i % tiles * 4, 0}); },
            [&](auto store, int i) { store(out, {i % tiles * 4, 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& worker) {
        for (int i = 0; i < n; ++i)
          worker.next([&](Tile& tile) {
            const int mine = tile[worker.rank()], other = tile[(worker.rank() + 32) % 64];
            worker.sync();
            tile[worker.rank()] = mine + other;
            worker.sync();
            if (tile[(worker.rank() + 32) % 64] != mine + other) atomicAdd(wrong, 1);
            worker.sync();
          });
      },
      tma::first_named_barrier<First>);
  if (threadIdx.x >= 96 && !exchange<1, 64>(s.own, int(threadIdx.x) - 96, n)) atomicAdd(wrong, 1);
}

}  // namespace

TEST_CASE("the roles' named barriers begin where the kernel says", "[gpu]") {
  gpu::Array<int> wrong(std::vector<int>{0});
  for (const int n : {0, 1, 2, 7, gpu::scaled(1000, 12)}) {
    tma::launch(roles<2>, {.grid = 4, .block = 256}, n, wrong.get());
    tma::launch(roles<13>, {.grid = 4, .block = 256}, n, wrong.get());
    gpu::finish();
  }
  CHECK(wrong.download()[0] == 0);
}

TEST_CASE("the named barrier of workers in place begins where the kernel says", "[gpu]") {
  gpu::Array<int> in(std::vector<int>(Tile::size * tiles, 3)), out(std::vector<int>(Tile::size * tiles, 0)),
      wrong(std::vector<int>{0});
  const Map map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {4 * tiles, 32}});
  const Out to  = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {4 * tiles, 32}});
  for (const int n : {0, 1, 2, 7, gpu::scaled(1000, 12)}) {
    tma::launch(in_place<2>, {.grid = 1, .block = 160}, map, to, n, wrong.get());
    tma::launch(in_place<15>, {.grid = 1, .block = 160}, map, to, n, wrong.get());
    gpu::finish();
  }
  CHECK(wrong.download()[0] == 0);
}
