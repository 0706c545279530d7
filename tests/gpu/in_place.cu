// Rings whose stages are loaded, changed where they lie, and stored from there: by all threads of a block, and by a warp that
// moves beside warps that work.
#include <tma/device/reduce.hpp>
#include <tma/device/register_budget.hpp>
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using In   = tma::TmaDescriptor<const int, 2, Tile>;
using Out  = tma::TmaDescriptor<int, 2, Tile>;

constexpr int sentinel = int(0xcdcdcdcd);

__host__ __device__ int changed(int x, int step) { return x * 5 + step * 11 + 2; }

// Holds some threads back in some steps: a warp, one thread, or the first warp, in which somebody issues.
__device__ void delay(int kind, int step, int rank) {
  const unsigned mixed = unsigned(step * 31 + rank / 32) * 2654435761u >> 28;
  if (kind == 1 && mixed == 0) __nanosleep(3000);
  if (kind == 2 && rank == step % 32) __nanosleep(2000);
  if (kind == 3 && rank < 32 && mixed < 4) __nanosleep(1000);
}

// What a run does: loops of `steps`, `second` and `steps` steps; every `skip`-th is not stored.
struct Run {
  int steps, second, skip, slow;

  __host__ __device__ int all() const { return 2 * steps + second; }
};

template <int Stages> __global__ void by_block(const __grid_constant__ In from, const __grid_constant__ Out to, Run run) {
  using Pipe = tma::InPlacePipeline<Stages, Tile>;
  auto block = tma::this_block();
  Pipe pipe(tma::shared<typename Pipe::Shared>());
  int  first = int(blockIdx.x) * run.all();

  const auto loop = [&](int n) {
    pipe.for_each(
        n, [&](auto load, int i) { load(from, {(first + i) * 4, 0}); },
        [&](Tile& tile, int i) {
          delay(run.slow, i, block.rank());
          for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = changed(tile[k], first + i);
        },
        [&](auto store, int i) {
          if (run.skip == 0 || (first + i) % run.skip != 0) store(to, {(first + i) * 4, 0});
        });
    if (n > 0) first += n;
  };
  loop(run.steps);
  loop(run.second);
  loop(0);
  loop(-3);
  loop(run.steps);
}

template <int Stages, class Mover, class Workers>
__device__ __forceinline__ void by_roles(const In& from, const Out& to, const Run& run, Mover moves, Workers work) {
  using Pipe      = tma::InPlacePipeline<Stages, Tile>;
  const int first = int(blockIdx.x) * run.all();
  tma::transform(
      tma::shared<typename Pipe::Shared>(), moves,
      [&](auto& mover) {
        int        done = first;
        const auto loop = [&](int n) {
          mover.for_each(
              n,
              [&](auto load, int i) {
                delay(run.slow == 4 ? 3 : 0, i, 0);
                load(from, {(done + i) * 4, 0});
              },
              [&](auto store, int i) {
                if (run.skip == 0 || (done + i) % run.skip != 0) store(to, {(done + i) * 4, 0});
              });
          if (n > 0) done += n;
        };
        loop(run.steps);
        loop(run.second);
        loop(0);
        loop(-3);
        loop(run.steps);
      },
      work,
      [&](auto& worker) {
        for (int i = first; i < first + run.all(); ++i)
          worker.next([&](Tile& tile) {
            delay(run.slow, i, worker.rank());
            for (auto& x : worker.elements(tile)) x = changed(x, i);
          });
      });
}

template <int Stages, int MovingWarp, int Warps>
__global__ void by_roles(const __grid_constant__ In from, const __grid_constant__ Out to, Run run) {
  by_roles<Stages>(from, to, run, tma::producer_warp<MovingWarp>, tma::consumer_warps<Warps>);
}

// The moving warp's warpgroup gives registers to those that work.
template <int Stages>
__global__ void __launch_bounds__(384, 1)
    with_registers(const __grid_constant__ In from, const __grid_constant__ Out to, Run run) {
  by_roles<Stages>(from, to, run, tma::producer_warp<1, 40>, tma::consumer_warps<8, 232>);
}

// `in_place`: the result goes where the input lies.
template <class Kernel> void check(Kernel kernel, int stages, int threads, Run run, bool in_place) {
  constexpr int    blocks = 2;
  const int        tiles  = blocks * run.all();
  std::vector<int> numbers((tiles + 2) * Tile::size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int(i) * 3;
  gpu::Array<int> in(numbers), out(numbers.size());
  int* const      result = in_place ? in.get() : out.get();
  const In        from =
      tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()) + Tile::size, {tiles * 4 + 4, 32}});
  const Out to = tma::make_descriptor<Tile>(tma::TensorView{result + Tile::size, {tiles * 4 + 4, 32}});
  tma::launch(kernel, {.grid = blocks, .block = threads}, from, to, run);
  gpu::finish();
  std::vector<int> expected = in_place ? numbers : std::vector<int>(numbers.size(), sentinel);
  for (int step = 0; step < tiles; ++step)
    if (run.skip == 0 || step % run.skip != 0)
      for (int k = 0; k < Tile::size; ++k) {
        const int at = (step + 1) * Tile::size + k;
        expected[at] = changed(numbers[at], step);
      }
  INFO(stages << " stages, " << threads << " threads, " << run.steps << " and " << run.second << " steps, skip " << run.skip
              << ", slow " << run.slow);
  REQUIRE((in_place ? in : out).download() == expected);
}

template <int Stages> void check_stages() {
  int round = Stages;
  for (int steps : {0, 1, 2, 3, Stages - 1, Stages, Stages + 1, 2 * Stages - 1, 2 * Stages, 2 * Stages + 1, 13, 37}) {
    const Run run{steps, (steps * 5 + 2) % 7, round % 3 == 0 ? 3 : 0, round % 5};
    for (int threads : {1, 20, 32, 33, 64, 128, 256, 384, 1000}) {
      ++round;
      if (gpu::small_runs() && (steps > 13 || threads > 128 || (threads > 33 && round % 3 != 0))) continue;
      check(by_block<Stages>, Stages, threads, run, round % 2 == 0);
    }
    if (gpu::small_runs() && steps > 13) continue;
    check(by_roles<Stages, 0, 1>, Stages, 64, run, round % 2 == 0);
    check(by_roles<Stages, 2, 3>, Stages, 160, run, round % 2 == 1);
    if (!gpu::small_runs()) check(by_roles<Stages, 12, 12>, Stages, 416, run, round % 2 == 0);
  }
}

}  // namespace

TEST_CASE("a stage is loaded, changed and stored where it lies, whatever the number of stages, steps and threads") {
  check_stages<1>();
  check_stages<2>();
  check_stages<3>();
  check_stages<4>();
  check_stages<5>();
  check_stages<6>();
  check_stages<7>();
  check_stages<8>();
}

TEST_CASE("registers move from the warp that moves to those that work") {
  for (int steps : {0, 1, 5, 12}) check(with_registers<4>, 4, 384, {steps, 3, steps % 3, steps % 4}, steps % 2 == 0);
}

namespace {

using Wide = tma::Tile<float, tma::Shape<16, 32>, tma::Swizzle::bytes_128>;
using Line = tma::Buffer<int, 36>;

// Steps of several tiles: two of one type, told apart by their slots, of which one is read, the other becomes the sum of both;
// a line that is loaded from one place, and of which a part goes to another and all of it is added to a third.
template <bool Roles>
__global__ void sums(const __grid_constant__ tma::TmaDescriptor<float, 2, Wide> a,
                     const __grid_constant__ tma::TmaDescriptor<float, 2, Wide> b, tma::AlignedPointer<int> lines,
                     tma::AlignedPointer<int> parts, tma::AlignedPointer<int> total, int steps) {
  using Pipe      = tma::InPlacePipeline<3, Wide, Wide, Line>;
  auto&      ring = tma::shared<Pipe::Shared>();
  const auto load = [&](auto load, int i) {
    load(a, {i / 3 * 16, i % 3 * 32}, tma::slot<0>);
    load.load(b, {i / 3 * 16, i % 3 * 32}, tma::slot<1>);
    load(lines.chunk<36>(i));
  };
  const auto store = [&](auto store, int i) {
    store(b, {i / 3 * 16, i % 3 * 32}, tma::slot<1>);
    if (i % 2 == 0) store(parts.chunk<16>(i), tma::slot<2>);
    store.template reduce<tma::Reduction::add>(total.chunk<36>(0));
  };
  const auto change = [&](auto& group, Wide& x, Wide& y, Line& line) {
    for (int k = group.rank(); k < Wide::size; k += group.size()) y[k] += x[k];
    for (int k = group.rank(); k < Line::size; k += group.size()) line[k] *= 2;
  };
  if constexpr (Roles) {
    tma::transform(
        ring, tma::producer_warp<1>, [&](auto& mover) { mover.for_each(steps, load, store); }, tma::consumer_warps<2>,
        [&](auto& worker) {
          for (int i = 0; i < steps; ++i) worker.next([&](Wide& x, Wide& y, Line& line) { change(worker, x, y, line); });
        });
  } else {
    auto block = tma::this_block();
    Pipe pipe(ring);
    pipe.for_each(steps, load, [&](Wide& x, Wide& y, Line& line, int) { change(block, x, y, line); }, store);
  }
}

void check_sums(bool roles) {
  constexpr int      steps = 11, rows = 55, columns = 76;  // the last tiles reach over both edges
  std::vector<float> va(rows * columns + 8), vb(va.size());
  std::vector<int>   vl(steps * 36);
  for (std::size_t i = 0; i < va.size(); ++i) va[i] = float(i % 1000), vb[i] = float(i % 77) * 1000;
  for (std::size_t i = 0; i < vl.size(); ++i) vl[i] = int(i) + 1;
  gpu::Array<float> a(va), b(vb);
  gpu::Array<int>   lines(vl), parts(steps * 16 + 8), total(std::vector<int>(36 + 8, 9));
  const auto        map = [](const gpu::Array<float>& x) {
    return tma::make_descriptor<Wide>(tma::TensorView{x.get(), {rows, columns}});
  };
  tma::launch(roles ? sums<true> : sums<false>, {.grid = 1, .block = 96}, map(a), map(b), tma::aligned(lines.get()),
              tma::aligned(parts.get()), tma::aligned(total.get()), steps);
  gpu::finish();
  std::vector<int> ep(steps * 16 + 8, sentinel), et(36 + 8, 9);
  for (int i = 0; i < rows * columns && i / columns / 16 * 3 < steps; ++i) {
    const int step = i / columns / 16 * 3 + i % columns / 32;
    if (step < steps) vb[i] += va[i];
  }
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < 16 && i % 2 == 0; ++k) ep[i * 16 + k] = 2 * vl[i * 36 + k];
    for (int k = 0; k < 36; ++k) et[k] += 2 * vl[i * 36 + k];
  }
  CHECK(a.download() == va);
  CHECK(b.download() == vb);
  CHECK(lines.download() == vl);
  CHECK(parts.download() == ep);
  CHECK(total.download() == et);
}

}  // namespace

TEST_CASE("a step changes some of several tiles, stores some of them, and adds up others") {
  check_sums(false);
  check_sums(true);
}

namespace {

// A tile's threads exchange data: each row is reversed. The block meets within a step.
__global__ void reversed(const __grid_constant__ Out data, int steps) {
  using Pipe = tma::InPlacePipeline<3, Tile>;
  auto block = tma::this_block<128>();
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(
      steps, [&](auto& load, int i) { load(data, {i * 4, 0}); },
      [&](Tile& tile, int) {
        const int r = block.rank() / 32, k = block.rank() % 32, mine = tile(r, 31 - k);
        block.sync();
        tile(r, k) = mine;
      },
      [&](const auto& store, int i) { store(data, {i * 4, 0}); });
  pipe.wait_visible();
}

}  // namespace

TEST_CASE("the threads of a step exchange data") {
  constexpr int    steps = 9;
  std::vector<int> numbers((steps + 1) * Tile::size), expected;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int(i);
  expected = numbers;
  for (int i = 0; i < steps * Tile::size; ++i) expected[i] = numbers[i / 32 * 32 + 31 - i % 32];
  gpu::Array<int> data(numbers);
  tma::launch(reversed, {.grid = 1, .block = 128},
              tma::make_descriptor<Tile>(tma::TensorView{data.get(), {steps * 4 + 4, 32}}), steps);
  gpu::finish();
  CHECK(data.download() == expected);
}
