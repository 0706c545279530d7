// Rings of stages that threads write and the engine stores: every number of stages, steps, loops and threads; steps without a
// store; tails, swizzles, buffers, reductions; several rings of one thread.
#include <tma/device/reduce.hpp>
#include <tma/pipeline/store_ring.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<int, 2, Tile>;

constexpr int sentinel = int(0xcdcdcdcd);

__host__ __device__ int value(int step, int k) { return step * 1000003 + k * 7 + 1; }

// Holds some threads back in some steps: the whole group, one warp, one thread, or the one that issues.
__device__ void delay(int kind, int step, int rank) {
  const unsigned mixed = unsigned(step * 31 + rank / 32) * 2654435761u >> 28;
  if (kind == 1 && mixed == 0) __nanosleep(3000);
  if (kind == 2 && rank == step % 32) __nanosleep(2000);
  if (kind == 3 && rank < 32 && mixed < 4) __nanosleep(1000);
}

// How often the loops below run, for one number of steps.
__host__ __device__ int second_loop(int steps) { return (steps * 5 + 2) % 7; }

// Writes steps * 2 + second_loop(steps) tiles for each block, one below the other, in three loops through one ring; every
// `skip`-th is written and not stored.
template <int Stages> __global__ void by_block(const __grid_constant__ Map to, int steps, int skip, int slow) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<Stages, Tile>>(), block);
  int            step = int(blockIdx.x) * (2 * steps + second_loop(steps));
  const auto     run  = [&](int n) {
    for (int i = 0; i < n; ++i, ++step)
      out.next(
          [&](Tile& tile) {
            delay(slow, step, block.rank());
            for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = value(step, k);
          },
          [&](auto store) {
            if (skip == 0 || step % skip != 0) store(to, {step * 4, 0});
          });
  };
  run(steps);
  run(second_loop(steps));
  run(0);
  run(steps);
}

// The same through stages held as objects; a skipped step gives its stage back.
template <int Stages> __global__ void by_handle(const __grid_constant__ Map to, int steps, int skip, int slow) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<Stages, Tile>>(), block);
  const int      all = 2 * steps + second_loop(steps), first = int(blockIdx.x) * all;
  for (int step = first; step < first + all; ++step) {
    auto stage = out.acquire();
    if (skip != 0 && step % skip == 0) {
      stage.skip();
      continue;
    }
    delay(slow, step, block.rank());
    for (int k = block.rank(); k < Tile::size; k += block.size()) (*stage)[k] = value(step, k);
    stage.store(to, {step * 4, 0});
  }
}

template <class Kernel> void check(Kernel kernel, int stages, int threads, int steps, int skip, int slow) {
  const int       blocks = 2, tiles = blocks * (2 * steps + second_loop(steps));
  gpu::Array<int> out((tiles + 2) * Tile::size);  // a tile before and one behind: guards
  const Map       to = tma::make_descriptor<Tile>(tma::TensorView{out.get() + Tile::size, {tiles * 4 + 4, 32}});
  tma::launch(kernel, {.grid = blocks, .block = threads}, to, steps, skip, slow);
  gpu::finish();
  std::vector<int> expected(out.size(), sentinel);
  for (int step = 0; step < tiles; ++step)
    if (skip == 0 || step % skip != 0)
      for (int k = 0; k < Tile::size; ++k) expected[(step + 1) * Tile::size + k] = value(step, k);
  INFO(stages << " stages, " << threads << " threads, " << steps << " steps, skip " << skip << ", slow " << slow);
  REQUIRE(out.download() == expected);
}

template <int Stages> void check_stages() {
  int round = Stages;
  for (int steps : {0, 1, 2, 3, Stages - 1, Stages, Stages + 1, 2 * Stages - 1, 2 * Stages, 2 * Stages + 1, 13, 37})
    for (int threads : {1, 20, 32, 33, 64, 96, 128, 256, 384, 1000}) {
      ++round;
      if (gpu::small_runs() && (steps > 13 || threads > 128 || (threads > 33 && round % 3 != 0))) continue;
      check(by_block<Stages>, Stages, threads, steps, round % 4 == 0 ? 3 : 0, round % 5);
      if (round % 2 == 0) check(by_handle<Stages>, Stages, threads, steps, round % 4 == 0 ? 2 : 0, round % 3);
    }
}

}  // namespace

TEST_CASE("a store ring stores every step's tile, whatever the number of stages, steps and threads") {
  check_stages<1>();
  check_stages<2>();
  check_stages<3>();
  check_stages<4>();
  check_stages<5>();
  check_stages<6>();
  check_stages<7>();
  check_stages<8>();
}

namespace {

using Wide = tma::Tile<float, tma::Shape<16, 32>, tma::Swizzle::bytes_128>;
using Cube = tma::Tile<short, tma::Shape<2, 3, 8>>;
using Line = tma::Buffer<int, 36>;

// One step stores a swizzled tile at the edge of its tensor, a small one of rank 3, and two lines, of which the second is
// told from the first by its slot and stored in part.
__global__ void mixed(const __grid_constant__ tma::TmaDescriptor<float, 2, Wide> wide,
                      const __grid_constant__ tma::TmaDescriptor<short, 3, Cube> cube, tma::AlignedPointer<int> lines,
                      int steps, tma::AlignedPointer<int> parts) {
  auto           block = tma::this_block<96>();
  tma::StoreRing out(tma::shared<tma::StoreStages<3, Wide, Line, Cube, Line>>(), block);
  for (int i = 0; i < steps; ++i)
    out.next(
        [&](Wide& w, Line& l, Cube& c, Line& p) {
          for (int k = block.rank(); k < Wide::size; k += 96) w[k] = float(value(i, k) % 4096);
          for (int k = block.rank(); k < Line::size; k += 96) l[k] = value(i, k), p[k] = -value(i, k);
          for (int k = block.rank(); k < Cube::size; k += 96) c[k] = short(value(i, k));
        },
        [&](auto store) {
          store(wide, {i / 3 * 16, i % 3 * 32});
          store(cube, {i * 2, 0, 0}, tma::slot<2>);
          if (i % 2 == 0) store(lines.chunk<36>(i), tma::slot<1>);
          store.store(parts.chunk<16>(i), tma::slot<3>);
        });
}

}  // namespace

TEST_CASE("a step stores tiles and buffers of several types, clipped at the tensor's edges") {
  constexpr int     steps = 11, rows = 55, columns = 76;  // the last tiles reach over both edges
  gpu::Array<float> wide(rows * columns + 32);
  gpu::Array<short> cube(steps * 2 * 3 * 8 + 16);
  gpu::Array<int>   lines(steps * 36 + 8), parts(steps * 16 + 8);
  tma::launch(mixed, {.grid = 1, .block = 96}, tma::make_descriptor<Wide>(tma::TensorView{wide.get(), {rows, columns}}),
              tma::make_descriptor<Cube>(tma::TensorView{cube.get(), {steps * 2, 3, 8}}), tma::aligned(lines.get()), steps,
              tma::aligned(parts.get()));
  gpu::finish();
  const auto w = wide.download();
  const auto c = cube.download();
  const auto l = lines.download();
  const auto p = parts.download();

  std::vector<float> ew(w.size());
  std::memset(ew.data(), 0xcd, ew.size() * sizeof(float));
  std::vector<short> ec(c.size(), short(0xcdcd));
  std::vector<int>   el(l.size(), sentinel), ep(p.size(), sentinel);
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < Wide::size; ++k) {
      const int r = i / 3 * 16 + k / 32, col = i % 3 * 32 + k % 32;
      if (r < rows && col < columns) ew[r * columns + col] = float(value(i, k) % 4096);
    }
    for (int k = 0; k < Cube::size; ++k) ec[i * Cube::size + k] = short(value(i, k));
    for (int k = 0; k < 36 && i % 2 == 0; ++k) el[i * 36 + k] = value(i, k);
    for (int k = 0; k < 16; ++k) ep[i * 16 + k] = -value(i, k);
  }
  CHECK(std::memcmp(w.data(), ew.data(), w.size() * sizeof(float)) == 0);
  CHECK(c == ec);
  CHECK(l == el);
  CHECK(p == ep);
}

namespace {

// Every step of every block is added into the same tile, and into the same line.
template <int Stages>
__global__ void sums(const __grid_constant__ Map tile_sum, tma::AlignedPointer<int> line_sum, int steps, int slow) {
  using Stored         = tma::StoreStages<Stages, Tile, Line>;
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<Stored>(), block);
  for (int i = 0; i < steps; ++i)
    out.next(
        [&](Tile& tile, Line& line) {
          delay(slow, i, block.rank());
          for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = value(i, k);
          for (int k = block.rank(); k < Line::size; k += block.size()) line[k] = value(i, k) & 0xffff;
        },
        [&](tma::StageStores<Stages, Tile, Line>& store) {
          store.template reduce<tma::Reduction::add>(tile_sum, {0, 0});
          store.template reduce<tma::Reduction::max>(line_sum.chunk<36>(0));
        });
  auto stage = out.acquire();  // once more, by the object
  for (int k = block.rank(); k < Tile::size; k += block.size()) stage.template get<0>()[k] = 1;
  stage.template reduce<tma::Reduction::add>(tile_sum, {0, 0});
}

template <int Stages> void check_sums() {
  for (int steps : {0, 1, 2 * Stages + 1})
    for (int slow : {0, 1}) {
      constexpr int   blocks = 3;
      gpu::Array<int> tile(std::vector<int>(Tile::size + 8, 5)), line(std::vector<int>(36 + 8, 3));
      const Map       to = tma::make_descriptor<Tile>(tma::TensorView{tile.get(), {4, 32}});
      tma::launch(sums<Stages>, {.grid = blocks, .block = 64}, to, tma::aligned(line.get()), steps, slow);
      gpu::finish();
      std::vector<int> et(Tile::size + 8, 5), el(36 + 8, 3);
      for (int k = 0; k < Tile::size; ++k) {
        unsigned sum = 5 + blocks;
        for (int i = 0; i < steps; ++i) sum += unsigned(blocks) * unsigned(value(i, k));
        et[k] = int(sum);
      }
      for (int k = 0; k < 36; ++k)
        for (int i = 0; i < steps; ++i) el[k] = std::max(el[k], value(i, k) & 0xffff);
      INFO(Stages << " stages, " << steps << " steps");
      REQUIRE(tile.download() == et);
      REQUIRE(line.download() == el);
    }
}

}  // namespace

TEST_CASE("the steps of a ring are added into one place") {
  check_sums<1>();
  check_sums<2>();
  check_sums<4>();
}

namespace {

// Three rings and a store group of one thread, which shares its bulk groups among them: each ring's waits count the others'
// stores as well, and may only wait for more. The second ring takes two steps where the first takes one, the third one in
// five; the group of its own stores between them.
template <int First, int Second>
__global__ void several(const __grid_constant__ Map a, const __grid_constant__ Map b, const __grid_constant__ Map c,
                        tma::AlignedPointer<int> lines, int steps, int slow) {
  struct Shared {
    tma::StoreStages<First, Tile>  a;
    tma::StoreStages<Second, Tile> b;
    tma::StoreStages<2, Tile>      c;
    Line                           line;
  };
  auto&           s      = tma::shared<Shared>();
  auto            block  = tma::this_block();
  auto            issuer = block.elect();
  tma::StoreRing  to_a(s.a, block);
  tma::StoreRing  to_b(s.b, block);
  tma::StoreRing  to_c(s.c, block);
  tma::StoreGroup stores(issuer);
  for (int i = 0; i < steps; ++i) {
    const auto write = [&](int step) {
      return [&, step](Tile& tile) {
        delay(slow, step, block.rank());
        for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = value(step, k);
      };
    };
    to_a.next(write(i), [&](auto store) { store(a, {i * 4, 0}); });
    for (int j = 0; j < 2; ++j) to_b.next(write(2 * i + j), [&](auto store) { store(b, {(2 * i + j) * 4, 0}); });
    if (i % 5 == 0) to_c.next(write(i), [&](auto store) { store(c, {i * 4, 0}); });
    if (i % 3 == 0) {
      stores.wait_source_free();
      block.sync();
      for (int k = block.rank(); k < Line::size; k += block.size()) s.line[k] = value(i, k);
      auto ready = block.publish(s.line);
      stores.store(lines.chunk<36>(i), ready);
    }
  }
}

template <int First, int Second> void check_several() {
  for (int steps : {1, 2, 9, 17}) {
    gpu::Array<int> a((steps + 1) * Tile::size), b((2 * steps + 1) * Tile::size), c((steps + 1) * Tile::size),
        lines(steps * 36 + 8);
    const auto map = [](const gpu::Array<int>& x) {
      return tma::make_descriptor<Tile>(tma::TensorView{x.get(), {int(x.size() / 32), 32}});
    };
    tma::launch(several<First, Second>, {.grid = 1, .block = 96}, map(a), map(b), map(c), tma::aligned(lines.get()), steps,
                steps % 4);
    gpu::finish();
    const auto expected = [&](const gpu::Array<int>& x, int size, int every) {
      std::vector<int> e(x.size(), sentinel);
      for (int i = 0; i < int(x.size()) / size; ++i)
        if (i % every == 0 && (i + 1) * size + (size == 36 ? 0 : Tile::size) <= int(x.size()))
          for (int k = 0; k < size; ++k) e[i * size + k] = value(i, k);
      return e;
    };
    INFO(First << " and " << Second << " stages, " << steps << " steps");
    REQUIRE(a.download() == expected(a, Tile::size, 1));
    REQUIRE(b.download() == expected(b, Tile::size, 1));
    REQUIRE(c.download() == expected(c, Tile::size, 5));
    REQUIRE(lines.download() == expected(lines, 36, 3));
  }
}

}  // namespace

TEST_CASE("rings and store groups of one thread leave each other's stages alone") {
  check_several<1, 2>();
  check_several<2, 3>();
  check_several<4, 3>();
  check_several<8, 5>();
}

namespace {

// The second ring begins where the first one's stages lay; what was stored is then read back by all threads.
__global__ void again(const __grid_constant__ Map to, const int* data, int* wrong, int steps) {
  auto& stages = tma::shared<tma::StoreStages<3, Tile>>();
  auto  block  = tma::this_block();
  for (int ring = 0; ring < 2; ++ring) {
    tma::StoreRing out(stages, block);
    for (int i = ring; i < steps; i += 2)
      out.next(
          [&](Tile& tile) {
            for (auto& x : block.elements(tile)) x = value(i, ring);
          },
          [&](auto store) { store(to, {i * 4, 0}); });
    out.wait_visible();
    block.sync();
    for (int i = ring; i < steps; i += 2)
      for (int k = block.rank(); k < Tile::size; k += block.size())
        if (data[i * Tile::size + k] != value(i, ring)) atomicAdd(wrong, 1);
  }
}

}  // namespace

TEST_CASE("a ring follows another in the same memory, and its stores are seen after wait_visible") {
  for (int steps : {0, 1, 2, 7, 12}) {
    gpu::Array<int> data((steps + 1) * Tile::size), wrong(std::vector<int>{0});
    const Map       to = tma::make_descriptor<Tile>(tma::TensorView{data.get(), {steps * 4 + 4, 32}});
    tma::launch(again, {.grid = 1, .block = 128}, to, static_cast<const int*>(data.get()), wrong.get(), steps);
    gpu::finish();
    CHECK(wrong.download()[0] == 0);
  }
}

namespace {

using In = tma::TmaDescriptor<const int, 2, Tile>;

__host__ __device__ int transformed(int x, int step) { return x * 3 + step; }

// Loads ahead and stores behind, in one loop of all threads.
template <int Loads, int Stores>
__global__ void fused(const __grid_constant__ In from, const __grid_constant__ Map to, int steps, int slow) {
  using Pipe = tma::Pipeline<Loads, Tile>;
  struct Shared {
    typename Pipe::Shared          in;
    tma::StoreStages<Stores, Tile> out;
  };
  auto&          s     = tma::shared<Shared>();
  auto           block = tma::this_block();
  Pipe           pipe(s.in);
  tma::StoreRing out(s.out, block);
  for (int loop = 0; loop < 2; ++loop)
    pipe.for_each(
        steps, [&](auto load, int i) { load(from, {i * 4, 0}); },
        [&](const Tile& in, int i) {
          out.next(
              [&](Tile& tile) {
                delay(slow, i, block.rank());
                for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = transformed(in[k], i);
              },
              [&](auto store) { store(to, {(loop * steps + i) * 4, 0}); });
        });
}

// A producer warp loads, and each of `Groups` groups of consumers stores from a ring of its own.
template <int Loads, int Stores, int Groups, int Warps>
__global__ void fused_roles(const __grid_constant__ In from, const __grid_constant__ Map to, int steps, int slow) {
  using Pipe = tma::Pipeline<Loads, Tile>;
  struct Shared {
    typename Pipe::Shared          in;
    tma::StoreStages<Stores, Tile> out[Groups];
  };
  auto& s = tma::shared<Shared>();
  tma::specialize(
      s.in, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 2 * steps; ++i) producer.next([&](auto& stage) { stage.load(from, {i % steps * 4, 0}); });
      },
      tma::consumer_groups<Groups, Warps>,
      [&](auto& consumer) {
        tma::StoreRing out(s.out[consumer.group()], consumer);
        for (int i = 0; i < 2 * steps; ++i)
          consumer.next([&](const Tile& in, auto& stage) {
            auto result = out.acquire();
            delay(slow, i, consumer.rank());
            for (int k = consumer.rank(); k < Tile::size; k += consumer.size()) (*result)[k] = transformed(in[k], i % steps);
            stage.release();
            // The groups store every other step.
            if (i % Groups == consumer.group()) result.store(to, {i * 4, 0});
            else result.skip();
          });
      });
}

template <class Kernel> void check_fused(Kernel kernel, int threads, int steps, int slow) {
  std::vector<int> numbers(std::size_t(steps + 1) * Tile::size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int(i);
  gpu::Array<int> in(numbers), out((2 * steps + 1) * Tile::size);
  const In        from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {steps * 4 + 4, 32}});
  const Map       to   = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {2 * steps * 4 + 4, 32}});
  tma::launch(kernel, {.grid = 1, .block = threads}, from, to, steps, slow);
  gpu::finish();
  std::vector<int> expected(out.size(), sentinel);
  for (int i = 0; i < 2 * steps; ++i)
    for (int k = 0; k < Tile::size; ++k) expected[i * Tile::size + k] = transformed(i % steps * Tile::size + k, i % steps);
  INFO(threads << " threads, " << steps << " steps, slow " << slow);
  REQUIRE(out.download() == expected);
}

}  // namespace

TEST_CASE("a pipeline loads what a store ring stores, by all threads") {
  for (int steps : {0, 1, 2, 3, 4, 5, 9, 23})
    for (int threads : {1, 32, 33, 128, 384}) {
      if (gpu::small_runs() && (threads > 128 || steps > 9)) continue;
      const int slow = (steps + threads) % 4;
      check_fused(fused<1, 1>, threads, steps, slow);
      check_fused(fused<3, 2>, threads, steps, slow);
      check_fused(fused<2, 4>, threads, steps, slow);
    }
}

TEST_CASE("consumers of a pipeline store from rings of their own") {
  for (int steps : {0, 1, 2, 3, 5, 8, 31}) {
    if (gpu::small_runs() && steps > 8) continue;
    const int slow = steps % 4;
    check_fused(fused_roles<1, 1, 1, 1>, 64, steps, slow);
    check_fused(fused_roles<2, 2, 1, 1>, 64, steps, slow);
    check_fused(fused_roles<3, 2, 1, 3>, 128, steps, slow);
    check_fused(fused_roles<4, 3, 2, 1>, 96, steps, slow);
    check_fused(fused_roles<4, 2, 2, 4>, 288, steps, slow);
    check_fused(fused_roles<5, 1, 3, 2>, 224, steps, slow);
    if (!gpu::small_runs()) check_fused(fused_roles<8, 4, 1, 12>, 416, steps, slow);
  }
}
