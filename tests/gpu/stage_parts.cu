// What threads load into a stage, beside the engine and in its place: tiles through a descriptor of theirs, chunks, by one
// thread, by a group, by all; and of several tiles the one that a slot names.
#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Wide  = tma::Tile<int, tma::Shape<8, 32>>;
using Thin  = tma::Tile<short, tma::Shape<4, 24>>;
using Line  = tma::Buffer<int, 60>;
using MapW  = tma::TmaDescriptor<const int, 2, Wide>;
using ViewW = tma::ThreadDescriptor<const int, 2, Wide>;
using ViewT = tma::ThreadDescriptor<const short, 2, Thin>;

// The thin matrix has 23 columns, one short of a tile and no pitch for the engine.
constexpr int tiles = 8, thin_columns = 23;

template <class T> std::vector<T> numbered(int n) {
  std::vector<T> v(n);
  for (int i = 0; i < n; ++i) v[i] = T(i + 1);
  return v;
}

struct Input {
  gpu::Array<int>               wide{numbered<int>(tiles * Wide::size)};
  gpu::Array<short>             thin{numbered<short>(tiles * 4 * thin_columns)};
  gpu::Array<int>               line{numbered<int>(tiles * Line::size)};
  gpu::Array<int>               wrong{std::vector<int>{0}};
  tma::TensorView<const int, 2> view_w{wide.get(), {tiles * 8, 32}};
  MapW                          map_w = tma::make_descriptor<Wide>(view_w);
  ViewW                         by_w  = tma::make_thread_descriptor<Wide>(view_w);
  ViewT by_t = tma::make_thread_descriptor<Thin>(tma::TensorView<const short, 2>{thin.get(), {tiles * 4, thin_columns}});
  tma::AlignedPointer<const int> chunks = tma::aligned(static_cast<const int*>(line.get()));
};

__device__ bool is_wide(const Wide& tile, int i, int rank, int size) {
  bool right = true;
  for (int k = rank; k < Wide::size; k += size) right &= tile[k] == i % tiles * Wide::size + k + 1;
  return right;
}
__device__ bool is_thin(const Thin& tile, int i, int rank, int size) {
  bool right = true;
  for (int k = rank; k < Thin::size; k += size) {
    const int row = i % tiles * 4 + k / 24, column = k % 24;
    right &= tile[k] == (column < thin_columns ? short(row * thin_columns + column + 1) : short(0));
  }
  return right;
}
__device__ bool is_line(const Line& line, int i, int rank, int size) {
  bool right = true;
  for (int k = rank; k < Line::size; k += size) right &= line[k] == i % tiles * Line::size + k + 1;
  return right;
}

// The engine's tile, and what threads load beside it.
template <int Stages> using Mixed = tma::Pipeline<Stages, Wide, tma::ByThreads<Thin>, tma::ByThreads<Line>>;

struct Loads {
  const MapW&                           wide;
  const ViewT&                          thin;
  const tma::AlignedPointer<const int>& line;

  template <class Stage> __device__ void operator()(Stage& stage, int i) const {
    if (i % 3 != 2) stage.load(wide, {i % tiles * 8, 0});
    stage.load(thin, {i % tiles * 4, 0});
    if (i % 2 == 0) stage.load(line.template chunk<Line::size>(i % tiles));
  }
};
struct Checks {
  int* wrong;
  int  rank, size;

  __device__ void operator()(const Wide& wide, const Thin& thin, const Line& line, int i) const {
    const bool right = (i % 3 == 2 || is_wide(wide, i, rank, size)) && is_thin(thin, i, rank, size) &&
                       (i % 2 != 0 || is_line(line, i, rank, size));
    if (!right) atomicAdd(wrong, 1);
  }
};

template <int Stages, class ProducersT>
__device__ void by_roles(ProducersT producers, const Loads& loads, int n, int* wrong) {
  tma::specialize(
      tma::shared<typename Mixed<Stages>::Shared>(), producers,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto& stage) { loads(stage, i); });
      },
      tma::consumer_warps<3>,
      [&](auto& consumer) {
        const Checks check{wrong, consumer.rank(), consumer.size()};
        for (int i = 0; i < n; ++i)
          consumer.next([&](const Wide& wide, const Thin& thin, const Line& line) { check(wide, thin, line, i); });
      });
}
template <int Stages>
__global__ void by_one(const __grid_constant__ MapW wide, const __grid_constant__ ViewT thin,
                       const __grid_constant__ tma::AlignedPointer<const int> line, int n, int* wrong) {
  by_roles<Stages>(tma::producer_warp<0>, {wide, thin, line}, n, wrong);
}
template <int Stages>
__global__ void by_group(const __grid_constant__ MapW wide, const __grid_constant__ ViewT thin,
                         const __grid_constant__ tma::AlignedPointer<const int> line, int n, int* wrong) {
  by_roles<Stages>(tma::producer_warps<2>, {wide, thin, line}, n, wrong);
}
template <int Stages>
__global__ void by_all(const __grid_constant__ MapW wide, const __grid_constant__ ViewT thin,
                       const __grid_constant__ tma::AlignedPointer<const int> line, int n, int* wrong) {
  Mixed<Stages> pipe(tma::shared<typename Mixed<Stages>::Shared>());
  const Loads   loads{wide, thin, line};
  pipe.for_each(n, [&](auto load, int i) { loads(load, i); }, Checks{wrong, int(threadIdx.x), int(blockDim.x)});
}

// Two tiles of one type, told apart by slots, and a buffer between them: all by threads.
template <int Stages>
__global__ void by_slots(const __grid_constant__ ViewW wide, const __grid_constant__ tma::AlignedPointer<const int> line,
                         int n, int* wrong) {
  using Pipe = tma::Pipeline<Stages, tma::ThreadLoads, Wide, Line, Wide>;
  Pipe pipe(tma::shared<typename Pipe::Shared>());
  pipe.for_each(
      n,
      [&](auto load, int i) {
        load(wide, {i % tiles * 8, 0}, tma::slot<0>);
        load(line.chunk<Line::size>(i % tiles));
        load.load(wide, {(i + 3) % tiles * 8, 0}, tma::slot<2>);
      },
      [&](const Wide& first, const Line& between, const Wide& second, int i) {
        const int  rank = int(threadIdx.x), size = int(blockDim.x);
        const bool right =
            is_wide(first, i, rank, size) && is_line(between, i, rank, size) && is_wide(second, i + 3, rank, size);
        if (!right) atomicAdd(wrong, 1);
      });
}

const int counts[] = {0, 1, 2, 3, 5, 13};

template <int Stages> void check_mixed(Input& in) {
  for (const int n : counts) {
    tma::launch(by_one<Stages>, {.grid = 2, .block = 128}, in.map_w, in.by_t, in.chunks, n, in.wrong.get());
    tma::launch(by_group<Stages>, {.grid = 2, .block = 160}, in.map_w, in.by_t, in.chunks, n, in.wrong.get());
    tma::launch(by_all<Stages>, {.grid = 2, .block = 70}, in.map_w, in.by_t, in.chunks, n, in.wrong.get());
    gpu::finish();
  }
}

template <int Stages> void check_slots(Input& in) {
  for (const int n : counts) {
    tma::launch(by_slots<Stages>, {.grid = 2, .block = 96}, in.by_w, in.chunks, n, in.wrong.get());
    gpu::finish();
  }
}

}  // namespace

TEST_CASE("threads load tiles and chunks beside the engine", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(100, 1); ++r) {
    check_mixed<1>(in);
    check_mixed<2>(in);
    check_mixed<4>(in);
  }
  CHECK(in.wrong.download()[0] == 0);
}

TEST_CASE("threads load the tile that a slot names", "[gpu]") {
  Input in;
  for (int r = 0; r < gpu::scaled(100, 1); ++r) {
    check_slots<1>(in);
    check_slots<3>(in);
  }
  CHECK(in.wrong.download()[0] == 0);
}
