// Every order of small rings' steps: those that threads write and the engine stores, and those that are changed in place.
#include <tma/machine/machine.hpp>
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/pipeline/store_ring.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using tma::machine::Strategy;
using Tile = tma::Tile<int, tma::Shape<2, 4>>;
using Map  = tma::TmaDescriptor<int, 2, Tile>;

tma::machine::Result explore(const std::function<void()>& program, long long most_states = 200000) {
  return tma::machine::explore({.strategy = Strategy::exhaustive, .most_states = most_states}, program);
}

__host__ __device__ int changed(int x, int step) { return x * 3 + step + 1; }

template <int Stages> __global__ void stores(const __grid_constant__ Map map, int steps) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<Stages, Tile>>(), block);
  for (int i = 0; i < steps; ++i)
    out.next(
        [&](Tile& tile) {
          for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = changed(i * Tile::size + k, i);
        },
        [&](auto store) { store(map, {i * 2, 0}); });
}

template <int Stages> __global__ void in_place(const __grid_constant__ Map map, int steps) {
  using Pipe = tma::InPlacePipeline<Stages, Tile>;
  auto block = tma::this_block();
  Pipe pipe(tma::shared<typename Pipe::Shared>());
  pipe.for_each(
      steps, [&](auto load, int i) { load(map, {i * 2, 0}); },
      [&](Tile& tile, int i) {
        for (auto& x : block.elements(tile)) x = changed(x, i);
      },
      [&](auto store, int i) { store(map, {i * 2, 0}); });
}

template <int Stages> __global__ void roles(const __grid_constant__ Map map, int steps) {
  using Pipe = tma::InPlacePipeline<Stages, Tile>;
  tma::transform(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(
            steps, [&](auto load, int i) { load(map, {i * 2, 0}); }, [&](auto store, int i) { store(map, {i * 2, 0}); });
      },
      tma::consumer_warps<1>,
      [&](auto& worker) {
        for (int i = 0; i < steps; ++i)
          worker.next([&](Tile& tile) {
            for (auto& x : worker.elements(tile)) x = changed(x, i);
          });
      });
}

// A pipeline loads what a store ring stores.
template <int Loads, int Stores> __global__ void fused(const __grid_constant__ Map map, int steps) {
  using Pipe = tma::Pipeline<Loads, Tile>;
  struct Shared {
    typename Pipe::Shared          in;
    tma::StoreStages<Stores, Tile> out;
  };
  auto&          s     = tma::shared<Shared>();
  auto           block = tma::this_block();
  Pipe           pipe(s.in);
  tma::StoreRing out(s.out, block);
  pipe.for_each(
      steps, [&](auto load, int i) { load(map, {i * 2, 0}); },
      [&](const Tile& in, int i) {
        out.next(
            [&](Tile& tile) {
              for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = changed(in[k], i);
            },
            [&](auto store) { store(map, {i * 2, 0}); });
      });
}

// Two rings of one thread, whose stores count in each other's waits. The first takes two steps of every three.
template <int First, int Second> __global__ void two_rings(const __grid_constant__ Map map, int steps) {
  struct Shared {
    tma::StoreStages<First, Tile>  a;
    tma::StoreStages<Second, Tile> b;
  };
  auto&          s     = tma::shared<Shared>();
  auto           block = tma::this_block();
  tma::StoreRing a(s.a, block);
  tma::StoreRing b(s.b, block);
  for (int i = 0; i < steps; ++i) {
    const auto write = [&](Tile& tile) {
      for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = changed(i * Tile::size + k, i);
    };
    const auto store = [&](auto store) { store(map, {i * 2, 0}); };
    if (i % 3 != 1) a.next(write, store);
    else b.next(write, store);
  }
}

template <class Kernel> void check(Kernel kernel, int threads, int steps) {
  std::vector<int> numbers(8 * Tile::size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int(i);
  gpu::Array<int> data(numbers);
  const Map       map    = tma::make_descriptor<Tile>(tma::TensorView{data.get(), {16, 4}});
  const auto      result = explore([&] { tma::launch(kernel, {.grid = 1, .block = threads}, map, steps); });
  INFO(threads << " threads, " << steps << " steps: " << result.schedules << " schedules, " << result.states << " states\n"
               << result.text());
  CHECK(result.clean());
  CHECK(result.exhausted);
  for (int i = 0; i < steps * Tile::size; ++i) numbers[i] = changed(numbers[i], i / Tile::size);
  REQUIRE(data.download() == numbers);
}

}  // namespace

TEST_CASE("a store ring is right in every order of its steps") {
  for (int steps : {0, 1, 2, 3, 4}) {
    check(stores<1>, 32, steps);
    check(stores<2>, 32, steps);
    check(stores<3>, 32, steps);
    check(stores<1>, 64, steps);
    check(stores<2>, 64, steps);
    check(stores<3>, 64, steps);
  }
}

TEST_CASE("an in-place ring is right in every order of its steps") {
  for (int steps : {0, 1, 2, 3, 4}) {
    check(in_place<1>, 32, steps);
    check(in_place<2>, 32, steps);
    check(in_place<3>, 32, steps);
    if (steps > 3) continue;
    check(in_place<1>, 64, steps);
    check(in_place<2>, 64, steps);
  }
}

TEST_CASE("a warp that moves beside one that works is right in every order") {
  for (int steps : {0, 1, 2, 3, 4}) {
    check(roles<1>, 64, steps);
    check(roles<2>, 64, steps);
    check(roles<3>, 64, steps);
  }
}

TEST_CASE("a loop that loads ahead and stores behind is right in every order") {
  for (int steps : {0, 1, 2, 3}) {
    check(fused<1, 1>, 32, steps);
    check(fused<2, 2>, 32, steps);
    check(fused<2, 1>, 64, steps);
    check(fused<2, 2>, 64, steps);
  }
}

TEST_CASE("two rings of one thread are right in every order") {
  for (int steps : {1, 2, 3, 4, 5, 6}) {
    check(two_rings<1, 2>, 32, steps);
    check(two_rings<2, 2>, 32, steps);
    check(two_rings<2, 3>, 32, steps);
    check(two_rings<3, 1>, 32, steps);
    if (steps <= 4) check(two_rings<2, 3>, 64, steps);
  }
}
