// Every order of small kernels' steps: the pipelines are right in all of them, and what only some orders show is found.
#include <tma/machine/machine.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using tma::machine::Strategy;
using Tile = tma::Tile<int, tma::Shape<2, 4>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

tma::machine::Result explore(const std::function<void()>& program, long long most_states = 200000) {
  return tma::machine::explore({.strategy = Strategy::exhaustive, .most_states = most_states}, program);
}

template <int Stages> __global__ void ring(const __grid_constant__ Map from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  Pipe pipe(tma::shared<typename Pipe::Shared>());
  int  sum = 0;
  pipe.for_each(
      steps, [&](auto load, int i) { load(from, {i * 2, 0}); },
      [&](const Tile& tile, int i) { sum += tile[int(threadIdx.x) % Tile::size] * (i + 1); });
  sums[threadIdx.x] = sum;
}

template <int Stages> __global__ void roles(const __grid_constant__ Map from, int* sums, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto stage) { stage.load(from, {i * 2, 0}); });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        int sum = 0;
        for (int i = 0; i < steps; ++i)
          consumer.next([&](const Tile& tile) { sum += tile[consumer.rank() % Tile::size] * (i + 1); });
        sums[consumer.rank()] = sum;
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

template <class Kernel> void check(Kernel kernel, int threads, int seen, int steps) {
  gpu::Array<int> in(numbered(16 * Tile::size)), sums(64);
  const Map       from   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {32, 4}});
  const auto      result = explore([&] { tma::launch(kernel, {.grid = 1, .block = threads}, from, sums.get(), steps); });
  INFO(threads << " threads, " << steps << " steps: " << result.schedules << " schedules, " << result.states << " states\n"
               << result.text());
  CHECK(result.clean());
  CHECK(result.exhausted);
  const auto h = sums.download();
  for (int t = 0; t < seen; ++t) REQUIRE(h[t] == expected(t, steps));
}

}  // namespace

TEST_CASE("a ring is right in every order of its steps") {
  for (int steps : {0, 1, 2, 3}) {
    check(ring<1>, 32, 32, steps);
    check(ring<2>, 32, 32, steps);
    check(ring<1>, 64, 64, steps);
    check(ring<2>, 64, 64, steps);
  }
}

TEST_CASE("a producer warp and a consumer warp are right in every order") {
  for (int steps : {0, 1, 2, 3, 4}) {
    check(roles<1>, 64, 32, steps);
    check(roles<2>, 64, 32, steps);
    check(roles<3>, 64, 32, steps);
  }
}

namespace {

// Whether the last of two loads is there depends on the order in which the engine moves them: an unwaited test says so in
// some schedules only, and then the kernel reads what it may not.
__global__ void only_in_some(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             a, b;
    tma::LoadBarrier first, second;
  };
  auto& s                     = tma::shared<Shared>();
  auto [block, first, second] = tma::this_block(s.first, s.second);
  if (auto issuer = block.elect()) {
    issuer.load(from, {0, 0}, s.a, first);
    issuer.load(from, {2, 0}, s.b, second);
  }
  first.wait();
  if (second.is_complete()) out[block.rank()] = s.a[block.rank() % 8] + 1;
  else out[block.rank()] = s.a[block.rank() % 8];
  second.wait();
}

}  // namespace

TEST_CASE("a result that depends on the order of copies is found") {
  gpu::Array<int> in(numbered(16 * Tile::size)), out(32);
  const Map       from   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {32, 4}});
  const auto      result = explore([&] { tma::launch(only_in_some, {.grid = 1, .block = 32}, from, out.get()); });
  CHECK(result.has(tma::machine::Kind::nondeterministic));
}

TEST_CASE("exploration ends at its bound, and says so") {
  gpu::Array<int> in(numbered(16 * Tile::size)), sums(64);
  const Map       from   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {32, 4}});
  const auto      result = explore([&] { tma::launch(ring<2>, {.grid = 1, .block = 64}, from, sums.get(), 4); }, 20);
  CHECK(result.clean());
  CHECK_FALSE(result.exhausted);
  CHECK(result.states <= 21);
}
