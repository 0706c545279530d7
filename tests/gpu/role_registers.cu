// Registers that roles move: what the launch knows of a kernel in which they would wait forever.
#include <tma/device/register_budget.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;
using Pipe = tma::Pipeline<2, Tile>;

constexpr auto filling = tma::producer_warp<0, 40>;
constexpr auto using_  = tma::consumer_groups<2, 4, 232>;

TMA_DEVICE void work(const Map& map, int n, int* out) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), filling,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto& stage) { stage.load(map, {0, 0}); });
      },
      using_,
      [&](auto& consumer) {
        int sum = 0;
        for (int i = 0; i < n; ++i) consumer.next([&](const Tile& tile) { sum += tile[consumer.rank()]; });
        atomicAdd(out, sum);
      });
}

// Only the first can run. The others are compiled to be refused, and never launched.
__global__ void __launch_bounds__(384, 1) right(const __grid_constant__ Map map, int n, int* out) { work(map, n, out); }
__global__ void __launch_bounds__(384, 2) two_blocks(const __grid_constant__ Map map, int n, int* out) { work(map, n, out); }
__global__ void __launch_bounds__(512, 1) more_threads(const __grid_constant__ Map map, int n, int* out) {
  work(map, n, out);
}
__global__ void unbounded(const __grid_constant__ Map map, int n, int* out) { work(map, n, out); }

}  // namespace

TEST_CASE("a launch refuses a kernel whose roles take more registers than it begins with", "[gpu]") {
  gpu::Array<int> in(std::vector<int>(Tile::size, 1)), out(std::vector<int>{0});
  const Map       map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {4, 32}});

  const tma::LaunchConfig config{.grid = 1, .block = 384, .registers = tma::registers_of(filling, using_)};
  tma::launch(right, config, map, 5, out.get());
  gpu::finish();
  CHECK(out.download()[0] == 5 * 256);

  for (const auto kernel : {two_blocks, more_threads, unbounded}) {
    const tma::Error error = tma::try_launch(kernel, config, map, 5, out.get());
    REQUIRE(error);
    INFO(error.what());
    CHECK(error.report().has("R2"));
  }
  tma::LaunchConfig fewer = config;
  fewer.block             = 256;
  const tma::Error error  = tma::try_launch(right, fewer, map, 5, out.get());
  REQUIRE(error);
  CHECK(error.report().has("R1"));
}
