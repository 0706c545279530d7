// How fast the machine is: steps of threads (accesses to memory and operations) a second, on one core.
#include <tma/machine/machine.hpp>
#include <tma/tma.hpp>

#include <ctime>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<float, tma::Shape<32, 32>>;

__global__ void stream(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> in, float* out, int tiles) {
  using Pipe = tma::Pipeline<4, Tile>;
  Pipe      pipe(tma::shared<Pipe::Shared>());
  const int first = int(blockIdx.x) * tiles;
  pipe.for_each(
      tiles, [&](auto load, int i) { load(in, {(first + i) * 32, 0}); },
      [&](const Tile& tile, int i) {
        for (int k = int(threadIdx.x); k < Tile::size; k += int(blockDim.x)) out[(first + i) * Tile::size + k] = tile[k] + 1;
      });
}

// Nothing but meetings.
__global__ void meet(int* out, int rounds) {
  for (int i = 0; i < rounds; ++i) __syncthreads();
  out[threadIdx.x] = rounds;
}

// The best of five, in seconds of this process: what else the computer does is no matter of the machine's.
template <class Program> double steps_a_second(const char* name, Program program) {
  double best = 0, switches = 0;
  for (int run = 0; run < 5; ++run) {
    const std::clock_t start   = std::clock();
    const auto         result  = tma::machine::explore({}, program);
    const double       seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    REQUIRE(result.clean());
    if (double(result.steps) / seconds < best) continue;
    best     = double(result.steps) / seconds;
    switches = double(result.switches) / seconds;
  }
  std::printf("%s: %.2f million steps, %.2f million switches of threads a second\n", name, best / 1e6, switches / 1e6);
  return best;
}

}  // namespace

TEST_CASE("at least a million steps a second") {
  constexpr int     blocks = 16, tiles = 40;
  gpu::Array<float> in(gpu::random_values<float>(blocks * tiles * Tile::size, 1)), out(in.size());
  const auto        from =
      tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(in.get()), {blocks * tiles * 32, 32}});
  CHECK(steps_a_second("a pipeline", [&] { tma::launch(stream, {.grid = blocks, .block = 256}, from, out.get(), tiles); }) >
        1e6);
  gpu::Array<int> done(1024);
  for (int threads : {32, 256, 1024})
    CHECK(steps_a_second(("meetings of " + std::to_string(threads)).c_str(),
                         [&] { tma::launch(meet, {.grid = 1, .block = threads}, done.get(), 200); }) > 1e6);
}
