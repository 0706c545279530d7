// Rings whose tiles threads load: by all threads, and by warps beside those that compute; of tensors that the engine takes and of
// others. What a tile holds is compared with what the host expects; the engine stores loaded tiles as they are.
#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"
#include "../support/reference.hpp"

namespace {

using Tile = tma::Tile<float, tma::Shape<8, 32>, tma::Swizzle::bytes_128>;
using Line = tma::Buffer<float, 44>;
using From = tma::ThreadDescriptor<const float, 2, Tile>;
using To   = tma::TmaDescriptor<float, 2, Tile>;

constexpr int consumers = 64, columns = 45, places = 5;

// Tiles that begin before the tensor, in it, and behind its last row; more than once each.
__host__ __device__ tma::Coord<2> place(int i) { return {i * 5 % 37 - 3, i % places * 11 - 7}; }

// Every step's tile, and its line, in the order of steps.
struct Out {
  float* tiles;
  float* lines;
};

template <class Group> __device__ void keep(const Group& group, const Tile& tile, const Line& line, const Out& out, int i) {
  for (int k = group.rank(); k < Tile::size; k += group.size()) out.tiles[i * Tile::size + k] = tile[k];
  for (int k = group.rank(); k < Line::size; k += group.size()) out.lines[i * Line::size + k] = line[k];
}

template <int Stages> using Pipe = tma::Pipeline<Stages, tma::ThreadLoads, Tile, Line>;

// `loops` times `steps`: the ring goes on where it stopped.
template <int Stages>
__global__ void all_threads(const __grid_constant__ From from, tma::AlignedPointer<const float> lines, Out out, int steps,
                            int loops) {
  struct Everyone {
    __device__ int rank() const { return int(threadIdx.x); }
    __device__ int size() const { return int(blockDim.x); }
  };
  Pipe<Stages> pipe(tma::shared<typename Pipe<Stages>::Shared>());
  for (int l = 0; l < loops; ++l)
    pipe.for_each(
        steps,
        [&](auto load, int i) {
          load(from, place(l * steps + i));
          load(lines.chunk<Line::size>(l * steps + i));
        },
        [&](const Tile& tile, const Line& line, int i) { keep(Everyone(), tile, line, out, l * steps + i); });
}

template <int Stages, int Producers>
__global__ void roles(const __grid_constant__ From from, tma::AlignedPointer<const float> lines, Out out, int steps,
                      int loops) {
  tma::specialize(
      tma::shared<typename Pipe<Stages>::Shared>(), tma::producer_warps<Producers>,
      [&](auto& producer) {
        for (int i = 0; i < steps * loops; ++i)
          producer.next([&](auto& stage) {
            stage.load(from, place(i));
            stage.load(lines.chunk<Line::size>(i));
          });
      },
      tma::consumer_warps<consumers / 32>,
      [&](auto& consumer) {
        for (int i = 0; i < steps * loops; ++i)
          consumer.next([&](const Tile& tile, const Line& line) { keep(consumer, tile, line, out, i); });
      });
}

// Loaded by threads, stored by the engine.
template <int Stages>
__global__ void passed_on(const __grid_constant__ From from, const __grid_constant__ To to, int steps) {
  using Ring = tma::Pipeline<Stages, tma::ThreadLoads, Tile>;
  tma::specialize(
      tma::shared<typename Ring::Shared>(), tma::producer_warps<1>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto& stage) { stage.load(from, place(i)); });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        for (int i = 0; i < steps; ++i)
          consumer.next([&](const Tile& tile) {
            if (auto issuer = consumer.elect()) issuer.store(to, {i * 8, 0}, tma::as_loaded(tile)).wait_source_free();
          });
      });
}

struct Source {
  reference::Tensor<2> tensor;
  int                  shift;  // elements from a multiple of 16 bytes to the first one
  std::vector<float>   values = gpu::random_values<float>(tensor.span() + std::size_t(shift), 7);
  gpu::Array<float>    memory{values};

  From descriptor() const {
    return tma::make_thread_descriptor<Tile>(tma::TensorView{
        static_cast<const float*>(memory.get() + shift), {tensor.extent[0], tensor.extent[1]}, {tensor.stride[0], 1}});
  }
  std::vector<float> tile(int i) const {
    const std::vector<float> from(values.begin() + shift, values.end());
    return reference::load<Tile>(from, tensor, place(i));
  }
};

// Rows of 16-byte pieces, of 8-byte ones, and of single elements behind a base that is at none.
constexpr struct {
  int pitch, shift;
} kinds[] = {{48, 0}, {46, 2}, {45, 3}};

std::vector<int> trips(int stages) {
  std::vector<int> all = {0, 1, 2, 3, stages - 1, stages, stages + 1, 2 * stages - 1, 2 * stages, 2 * stages + 1, 13};
  if (gpu::small_runs()) all = {0, 1, stages, 2 * stages + 1};
  return all;
}

template <int Stages, class Launch> void check(Launch launch) {
  for (const auto& [pitch, shift] : kinds) {
    const Source s{{{31, columns}, {pitch, 1}}, shift};
    for (const int steps : trips(Stages))
      for (const int loops : {1, 3}) {
        const int n = steps * loops;
        INFO(Stages << " stages, " << loops << " times " << steps << " steps, pitch " << pitch << ", shift " << shift);
        const auto        line_values = gpu::random_values<float>(std::size_t(n + 1) * Line::size, 9);
        gpu::Array<float> lines(line_values), tiles_out(std::size_t(n + 1) * Tile::size),
            lines_out(std::size_t(n + 1) * Line::size);
        tiles_out.fill(0xee);
        lines_out.fill(0xee);
        launch(s.descriptor(), tma::aligned(static_cast<const float*>(lines.get())), Out{tiles_out.get(), lines_out.get()},
               steps, loops);
        gpu::finish();
        auto  tiles_are = tiles_out.download(), lines_are = lines_out.download();
        float guard;
        std::memset(&guard, 0xee, sizeof guard);
        for (int i = 0; i < n; ++i)
          REQUIRE(std::vector<float>(tiles_are.begin() + i * Tile::size, tiles_are.begin() + (i + 1) * Tile::size) ==
                  s.tile(i));
        REQUIRE(std::equal(lines_are.begin(), lines_are.begin() + n * Line::size, line_values.begin()));
        for (int k = 0; k < Tile::size; ++k)
          REQUIRE(std::memcmp(&tiles_are[std::size_t(n * Tile::size + k)], &guard, sizeof guard) == 0);
      }
  }
}

template <int Stages> void check_all_threads(int threads) {
  check<Stages>([&](const auto&... a) { tma::launch(all_threads<Stages>, {.grid = 1, .block = threads}, a...); });
}
template <int Stages, int Producers> void check_roles() {
  check<Stages>([&](const auto&... a) {
    tma::launch(roles<Stages, Producers>, {.grid = 1, .block = consumers + Producers * 32}, a...);
  });
}

template <int Stages> void check_passed_on() {
  for (const auto& [pitch, shift] : kinds) {
    constexpr int     steps = 2 * Stages + 3;
    const Source      s{{{31, columns}, {pitch, 1}}, shift};
    gpu::Array<float> out(steps * Tile::size);
    tma::launch(passed_on<Stages>, {.grid = 1, .block = 64}, s.descriptor(),
                tma::make_descriptor<Tile>(tma::TensorView{out.get(), {steps * 8, 32}}), steps);
    gpu::finish();
    const auto is = out.download();
    for (int i = 0; i < steps; ++i)
      REQUIRE(std::vector<float>(is.begin() + i * Tile::size, is.begin() + (i + 1) * Tile::size) == s.tile(i));
  }
}

}  // namespace

TEST_CASE("all threads load, and all use") {
  check_all_threads<1>(64);
  check_all_threads<2>(32);
  check_all_threads<3>(96);
  check_all_threads<4>(128);
}

TEST_CASE("warps load beside warps that use") {
  check_roles<1, 1>();
  check_roles<2, 2>();
  check_roles<3, 3>();
  check_roles<5, 1>();
}

TEST_CASE("tiles that threads have loaded are stored by the engine as they are") {
  check_passed_on<1>();
  check_passed_on<2>();
  check_passed_on<4>();
}
