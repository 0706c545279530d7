// The ring: any number of stages, steps, loops, threads and tiles.
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

// Every thread adds up what it sees of each step; a warp can be held back to shake the order.
template <int Stages>
__global__ void sum_steps(const __grid_constant__ Map from, long long* sums, int first, int second, int slow_warp) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  Pipe      pipe(tma::shared<typename Pipe::Shared>());
  long long sum   = 0;
  auto      issue = [&](auto load, int i) { load(from, {i * 4, 0}); };
  auto      use   = [&](const Tile& tile, int i) {
    if (int(threadIdx.x) / 32 == slow_warp) __nanosleep(2000);
    for (int k = 0; k < Tile::size; ++k) sum += (long long)(tile[k]) * (i + 1);
  };
  pipe.for_each(first, issue, use);
  pipe.for_each(second, issue, use);
  pipe.for_each(0, issue, use);
  pipe.for_each(-5, issue, use);
  pipe.for_each(first, issue, use);
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

long long expected(int steps) {
  long long s = 0;
  for (int i = 0; i < steps; ++i)
    for (int k = 0; k < Tile::size; ++k) s += (long long)(i * Tile::size + k) * (i + 1);
  return s;
}

template <int Stages> void check(const Map& from) {
  for (int threads : {1, 20, 32, 33, 128, 1000})
    for (int steps : {0, 1, Stages - 1, Stages, Stages + 1, 2 * Stages, 50}) {
      if (gpu::small_runs() && threads > 33 && steps > Stages + 1) continue;
      const int             second = (steps * 7 + 3) % 11, slow = steps % 3 - 1;
      gpu::Array<long long> sums(std::size_t(threads) * 2);
      tma::launch(sum_steps<Stages>, {.grid = 2, .block = threads}, from, sums.get(), steps, second, slow);
      gpu::finish();
      INFO(Stages << " stages, " << steps << " steps, " << threads << " threads");
      REQUIRE(sums.download() == std::vector<long long>(std::size_t(threads) * 2, 2 * expected(steps) + expected(second)));
    }
}

std::vector<int> numbered(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

}  // namespace

TEST_CASE("every thread sees every step, once and in order") {
  gpu::Array<int> in(numbered(64 * Tile::size));
  const Map       from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {64 * 4, 32}});
  check<1>(from);
  check<2>(from);
  check<3>(from);
  check<4>(from);
  check<7>(from);
  check<8>(from);
}

namespace {

using TileA = tma::Tile<int, tma::Shape<8, 8>>;
using TileB = tma::Tile<short, tma::Shape<16, 8>, tma::Swizzle::none>;
using TileS = tma::Tile<float, tma::Shape<8, 32>, tma::Swizzle::bytes_128>;
using Chunk = tma::Buffer<float, 12>;

// Stages of several tiles: by type, by position, one-dimensional, swizzled, and a tile that is only loaded now and then.
__global__ void mixed(const __grid_constant__ tma::TmaDescriptor<const int, 2, TileA> a,
                      const __grid_constant__ tma::TmaDescriptor<const short, 2, TileB> b,
                      const __grid_constant__ tma::TmaDescriptor<const float, 2, TileS> s,
                      tma::AlignedPointer<const float> line, int steps, int* wrong) {
  using Pipe = tma::Pipeline<3, TileA, TileB, TileA, TileS, Chunk>;
  struct Shared {
    int          before;  // the pipeline's alignment does not rest on its place
    Pipe::Shared pipe;
  };
  Pipe pipe(tma::shared<Shared>().pipe);
  pipe.for_each(
      steps,
      [&](auto load, int i) {
        load(a, {i * 8, 0}, tma::slot<0>);
        load(b, {0, i * 8});
        load(a, {0, i * 8}, tma::slot<2>);
        if (i % 3 == 0) load(s, {i, -32});
        else load(s, {i, 0});
        if (i % 2 == 0) load(line.chunk<12>(i));
      },
      [&](const TileA& a0, const TileB& b0, const TileA& a1, const TileS& s0, const Chunk& c, int i) {
        for (int r = 0; r < 8; ++r)
          for (int k = 0; k < 8; ++k) {
            if (a0(r, k) != (i * 8 + r) * 1000 + k) atomicAdd(wrong, 1);
            if (a1(r, k) != r * 1000 + i * 8 + k) atomicAdd(wrong, 1);
            if (s0(r, k + 3) != (i % 3 == 0 ? 0.f : float((i + r) * 64 + k + 3))) atomicAdd(wrong, 1);
          }
        for (int r = 0; r < 16; ++r)
          for (int k = 0; k < 8; ++k)
            if (b0(r, k) != short(r * 100 + i * 8 + k)) atomicAdd(wrong, 1);
        if (i % 2 == 0)
          for (int k = 0; k < 12; ++k)
            if (c[k] != float(i * 12 + k)) atomicAdd(wrong, 1);
      });
}

}  // namespace

TEST_CASE("stages of several tiles, by type and by position") {
  constexpr int      steps = 10, rows = steps * 8;
  std::vector<int>   a(rows * rows);
  std::vector<short> b(16 * rows);
  std::vector<float> s(rows * 64), line(steps * 12);
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < rows; ++k) a[r * rows + k] = r * 1000 + k;
  for (int r = 0; r < 16; ++r)
    for (int k = 0; k < rows; ++k) b[r * rows + k] = short(r * 100 + k);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = float(i);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = float(i);
  gpu::Array<int>   da(a);
  gpu::Array<short> db(b);
  gpu::Array<float> ds(s), dline(line);
  gpu::Array<int>   wrong(std::vector<int>{0});
  tma::launch(mixed, {.grid = 1, .block = 96}, tma::make_descriptor<TileA>(tma::TensorView{da.get(), {rows, rows}}),
              tma::make_descriptor<TileB>(tma::TensorView{db.get(), {16, rows}}),
              tma::make_descriptor<TileS>(tma::TensorView{ds.get(), {rows, 64}}), tma::aligned(dline.get()), steps,
              wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

namespace {

// A warp specialised sum. `slow` delays the producer, some consumers, or nobody.
template <int Stages, int ProducerWarp, int Consumers>
__global__ void roles(const __grid_constant__ Map from, long long* sums, int steps, int slow) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  auto& ring = tma::shared<typename Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<ProducerWarp>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) {
          if (slow == 1) __nanosleep(3000);
          producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
        }
      },
      tma::consumer_warps<Consumers>,
      [&](auto& consumer) {
        long long sum = 0;
        for (int i = 0; i < steps; ++i)
          consumer.next([&](const Tile& tile) {
            if (slow == 2 && consumer.rank() / 32 == i % Consumers) __nanosleep(3000);
            for (int k = 0; k < Tile::size; ++k) sum += (long long)(tile[k]) * (i + 1);
          });
        sums[consumer.rank()] = sum;
      });
}

template <int Stages, int ProducerWarp, int Consumers> void check_roles(const Map& from, int threads) {
  for (int steps : {0, 1, Stages, Stages + 1, 64})
    for (int slow : {0, 1, 2}) {
      gpu::Array<long long> sums(Consumers * 32);
      sums.fill(0xff);
      tma::launch(roles<Stages, ProducerWarp, Consumers>, {.grid = 1, .block = threads}, from, sums.get(), steps, slow);
      gpu::finish();
      INFO(Stages << " stages, producer " << ProducerWarp << ", " << Consumers << " consumers, " << steps << " steps");
      REQUIRE(sums.download() == std::vector<long long>(Consumers * 32, expected(steps)));
    }
}

}  // namespace

TEST_CASE("a producer warp fills the ring for consumer warps") {
  gpu::Array<int> in(numbered(64 * Tile::size));
  const Map       from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {64 * 4, 32}});
  check_roles<1, 0, 1>(from, 64);
  check_roles<2, 0, 1>(from, 64);
  check_roles<2, 0, 3>(from, 128);
  check_roles<3, 2, 4>(from, 160);
  check_roles<4, 4, 4>(from, 160);
  check_roles<4, 0, 8>(from, 512);  // six warps have no role
  check_roles<8, 31, 31>(from, 1024);
}

namespace {

// The stage is released while the warp goes on with what it has read; a slow warp holds back the refill, not its values.
template <bool Roles> __global__ void early_release(const __grid_constant__ Map from, int* wrong, int steps) {
  using Pipe       = tma::Pipeline<2, Tile>;
  auto&      ring  = tma::shared<Pipe::Shared>();
  const auto check = [&](const Tile& tile, int i, auto& stage) {
    int value[4];
    for (int k = 0; k < 4; ++k) value[k] = tile[int(threadIdx.x) % 32 * 4 + k];
    if (int(threadIdx.x) / 32 == i % 3) __nanosleep(2000);
    stage.release();
    __nanosleep(int(threadIdx.x) / 32 == i % 2 ? 3000 : 0);
    for (int k = 0; k < 4; ++k)
      if (value[k] != i * Tile::size + int(threadIdx.x) % 32 * 4 + k) atomicAdd(wrong, 1);
  };
  if constexpr (Roles) {
    tma::specialize(
        ring, tma::producer_warp<3>,
        [&](auto& producer) {
          for (int i = 0; i < steps; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
        },
        tma::consumer_warps<3>,
        [&](auto& consumer) {
          for (int i = 0; i < steps; ++i) consumer.next([&](const Tile& tile, auto& stage) { check(tile, i, stage); });
        });
  } else {
    Pipe pipe(ring);
    pipe.for_each(steps, [&](auto load, int i) { load(from, {i * 4, 0}); }, check);
  }
}

}  // namespace

TEST_CASE("a stage may be released before its step is over") {
  gpu::Array<int> in(numbered(64 * Tile::size)), wrong(std::vector<int>{0});
  const Map       from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {64 * 4, 32}});
  for (int steps : {0, 1, 2, 3, 64}) {
    tma::launch(early_release<false>, {.grid = 3, .block = 128}, from, wrong.get(), steps);
    tma::launch(early_release<true>, {.grid = 3, .block = 128}, from, wrong.get(), steps);
    gpu::finish();
    REQUIRE(wrong.download()[0] == 0);
  }
}

namespace {

// A stage is loaded again as soon as it is free, ten thousand times over, with different tiles in turn.
template <bool Roles> __global__ void long_run(const __grid_constant__ Map from, int* wrong, int steps) {
  using Pipe       = tma::Pipeline<2, Tile>;
  auto&      ring  = tma::shared<Pipe::Shared>();
  const auto check = [&](const Tile& tile, int i) {
    const int k = int(threadIdx.x * 37 + i) % Tile::size;
    if (tile[k] != i % 64 * Tile::size + k) atomicAdd(wrong, 1);
  };
  if constexpr (Roles) {
    tma::specialize(
        ring, tma::producer_warp<0>,
        [&](auto& producer) {
          for (int i = 0; i < steps; ++i) producer.next([&](auto stage) { stage.load(from, {i % 64 * 4, 0}); });
        },
        tma::consumer_warps<7>,
        [&](auto& consumer) {
          for (int i = 0; i < steps; ++i) consumer.next([&](const Tile& tile) { check(tile, i); });
        });
  } else {
    Pipe pipe(ring);
    pipe.for_each(steps, [&](auto load, int i) { load(from, {i % 64 * 4, 0}); }, check);
  }
}

}  // namespace

TEST_CASE("ten thousand steps through two stages") {
  gpu::Array<int> in(numbered(64 * Tile::size)), wrong(std::vector<int>{0});
  const Map       from   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {64 * 4, 32}});
  const int       blocks = gpu::scaled(200, 2), steps = gpu::scaled(10000, 100);
  tma::launch(long_run<false>, {.grid = blocks, .block = 256}, from, wrong.get(), steps);
  tma::launch(long_run<true>, {.grid = blocks, .block = 256}, from, wrong.get(), steps);
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

namespace {

using Row = tma::Tile<float, tma::Shape<4, 32>>;

// Consumers that write a tile of their own together, publish it among themselves and store it.
__global__ void scale_rows(const __grid_constant__ tma::TmaDescriptor<const float, 2, Row> from,
                           const __grid_constant__ tma::TmaDescriptor<float, 2, Row> to, int steps) {
  using Pipe = tma::Pipeline<2, Row>;
  struct Shared {
    Pipe::Shared ring;
    Row          out;
  };
  auto& shared = tma::shared<Shared>();
  auto& out    = shared.out;  // a lambda does not capture a structured binding everywhere
  tma::specialize(
      shared.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        for (int i = 0; i < steps; ++i) {
          consumer.next([&](const Row& row) {
            for (int k = consumer.rank(); k < Row::size; k += consumer.size()) out[Row::size - 1 - k] = row[k] * 2;
          });
          auto ready = consumer.publish(out);
          if (auto issuer = consumer.elect()) issuer.store(to, {i * 4, 0}, ready);
          consumer.sync();
        }
      });
}

}  // namespace

TEST_CASE("consumers publish and store among themselves") {
  constexpr int     steps = 40;
  const auto        data  = gpu::random_values<float>(steps * 128, 3);
  gpu::Array<float> in(data), out(steps * 128);
  tma::launch(scale_rows, {.grid = 1, .block = 128}, tma::make_descriptor<Row>(tma::TensorView{in.get(), {steps * 4, 32}}),
              tma::make_descriptor<Row>(tma::TensorView{out.get(), {steps * 4, 32}}), steps);
  gpu::finish();
  const auto h = out.download();
  for (int i = 0; i < steps; ++i)
    for (int k = 0; k < 128; ++k) REQUIRE(h[i * 128 + 127 - k] == data[i * 128 + k] * 2);
}

namespace {

using Big = tma::Tile<float, tma::Shape<64, 32>, tma::Swizzle::bytes_128>;

// A ring of 128 KiB beside static shared memory that shifts the dynamic base.
__global__ void large(const __grid_constant__ tma::TmaDescriptor<const float, 2, Big> from, float* sums, int steps,
                      int* misplaced) {
  using Pipe = tma::Pipeline<16, Big>;
  __shared__ int shift[5];
  if (threadIdx.x < 5) shift[threadIdx.x] = int(threadIdx.x);
  auto& shared = tma::shared<Pipe::Shared>();
  if (threadIdx.x == 0) *misplaced = int(__cvta_generic_to_shared(&shared) % alignof(Pipe::Shared));
  Pipe  pipe(shared);
  float sum = 0;
  pipe.for_each(
      steps, [&](auto load, int i) { load(from, {i * 64, 0}); },
      [&](const Big& tile, int) {
        for (int r = 0; r < 64; ++r) sum += tile(r, int(threadIdx.x));
      });
  sums[threadIdx.x] = sum + shift[0];
}

}  // namespace

TEST_CASE("a ring of more than 48 KiB lies in dynamic shared memory, aligned by hand") {
  using Pipe               = tma::Pipeline<16, Big>;
  constexpr int      steps = 50;
  std::vector<float> data(steps * 64 * 32);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = float(i % 17);
  gpu::Array<float> in(data), sums(32);
  gpu::Array<int>   misplaced(std::vector<int>{-1});
  STATIC_REQUIRE(tma::shared_bytes<Pipe::Shared> > 128 * 1024);
  tma::launch(large, {.grid = 1, .block = 32, .shared = tma::shared_bytes<Pipe::Shared>},
              tma::make_descriptor<Big>(tma::TensorView{in.get(), {steps * 64, 32}}), sums.get(), steps, misplaced.get());
  gpu::finish();
  CHECK(misplaced.download()[0] == 0);
  const auto h = sums.download();
  for (int k = 0; k < 32; ++k) {
    float sum = 0;
    for (int r = 0; r < steps * 64; ++r) sum += data[r * 32 + k];
    CHECK(h[k] == sum);
  }
}
