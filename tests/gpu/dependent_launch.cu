// Programmatic dependent launch: kernels that start before the one before them has ended, and wait for it where they need to.
#include <tma/device/grid_dependency.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<8, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

struct Room {
  Tile             tile;
  tma::LoadBarrier barrier;
};

// Loads a tile that the kernel before wrote, and writes it, one more each, for the kernel after. Each block has a tile.
__global__ void one_more(const __grid_constant__ Map in, int* out, int slow) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);  // this overlaps with the kernel before
  tma::let_next_grid_start();
  tma::wait_for_previous_grid();
  if (auto issuer = block.elect()) issuer.load(in, {int(blockIdx.x) * 8, 0}, tile, arrived);
  arrived.wait();
  if (int(blockIdx.x) % 7 < slow) __nanosleep(20000);
  for (int i = block.rank(); i < Tile::size; i += block.size()) out[int(blockIdx.x) * Tile::size + i] = tile[i] + 1;
}

__global__ void tell(int* flag) {
  atomicExch(flag, 1);
  tma::wait_for_previous_grid();
}

// Sees the flag of the kernel after this one, if that starts while this runs.
__global__ void look(int* flag, int* seen, int polls) {
  tma::let_next_grid_start();
  for (int i = 0; i < polls && *seen == 0; ++i) {
    __nanosleep(1000);
    *seen = atomicAdd(flag, 0);
  }
}

struct Chain {
  static constexpr int blocks = 24, size = blocks * Tile::size;

  gpu::Array<int> a{std::vector<int>(size, 5)}, b{std::vector<int>(size, -1)};
  Map             map_a = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(a.get()), {blocks * 8, 32}});
  Map             map_b = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(b.get()), {blocks * 8, 32}});

  // Reads a and writes b, and the other way round in odd steps.
  void launch(int step, tma::StreamOrder order, cudaStream_t stream = nullptr, tma::Extent3 cluster = {}) {
    tma::launch(one_more, {.grid = blocks, .block = 64, .cluster = cluster, .stream = stream, .order = order},
                step % 2 ? map_b : map_a, step % 2 ? a.get() : b.get(), step % 3);
  }
  std::vector<int> result(int steps) { return (steps % 2 ? b : a).download(); }
};

}  // namespace

TEST_CASE("each kernel of a chain starts early and sees all that the one before it wrote") {
  const int steps = gpu::scaled(301, 7);
  for (auto order : {tma::StreamOrder::after_previous, tma::StreamOrder::programmatic}) {
    Chain chain;
    for (int i = 0; i < steps; ++i) chain.launch(i, order);
    gpu::finish();
    CHECK(chain.result(steps) == std::vector<int>(Chain::size, 5 + steps));
  }
}

TEST_CASE("kernels of both orders, and with clusters, one after another") {
  Chain     chain;
  const int steps = gpu::scaled(60, 6);
  for (int i = 0; i < steps; ++i) {
    const auto order = i % 3 == 1 ? tma::StreamOrder::after_previous : tma::StreamOrder::programmatic;
    chain.launch(i, order, nullptr, i % 2 ? tma::Extent3(2) : tma::Extent3());
  }
  gpu::finish();
  CHECK(chain.result(steps) == std::vector<int>(Chain::size, 5 + steps));
}

TEST_CASE("a kernel starts early only where it is told to") {
  for (auto order : {tma::StreamOrder::after_previous, tma::StreamOrder::programmatic}) {
    gpu::Array<int> flag(std::vector<int>{0}), seen(std::vector<int>{0});
    tma::launch(look, {.grid = 1, .block = 1}, flag.get(), seen.get(), gpu::scaled(20000, 3));
    tma::launch(tell, {.grid = 1, .block = 1, .order = order}, flag.get());
    gpu::finish();
    CHECK(flag.download()[0] == 1);
#if !defined(TMA_MACHINE)  // which runs one kernel after another
    int early = 0;
    gpu::require(cudaMemcpy(&early, seen.get(), sizeof early, cudaMemcpyDeviceToHost), "download");
    if (order == tma::StreamOrder::after_previous) CHECK(early == 0);
    else CHECK_NOFAIL(early == 1);  // tools that watch a kernel may run them one by one
#endif
  }
}

#if !defined(TMA_MACHINE)  // which records no graphs

TEST_CASE("a recorded launch keeps its order") {
  const int    steps = 6;
  Chain        chain;
  cudaStream_t stream = nullptr;
  gpu::require(cudaStreamCreate(&stream), "stream");
  gpu::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
  for (int i = 0; i < steps; ++i)
    chain.launch(i, i % 2 ? tma::StreamOrder::programmatic : tma::StreamOrder::after_previous, stream);
  cudaGraph_t graph = nullptr;
  gpu::require(cudaStreamEndCapture(stream, &graph), "end capture");

  cudaGraphNode_t   from[steps], to[steps];
  cudaGraphEdgeData data[steps];
  std::size_t       edges = steps;
#  if CUDART_VERSION >= 13000
  gpu::require(cudaGraphGetEdges(graph, from, to, data, &edges), "edges");
#  else
  gpu::require(cudaGraphGetEdges_v2(graph, from, to, data, &edges), "edges");
#  endif
  REQUIRE(edges == steps - 1);
  int programmatic = 0;
  for (std::size_t i = 0; i < edges; ++i) programmatic += data[i].type == cudaGraphDependencyTypeProgrammatic;
  CHECK(programmatic == steps / 2);

  cudaGraphExec_t run = nullptr;
  gpu::require(cudaGraphInstantiate(&run, graph, 0), "instantiate");
  for (int i = 0; i < 10; ++i) gpu::require(cudaGraphLaunch(run, stream), "graph launch");
  gpu::require(cudaStreamSynchronize(stream), "graph");
  CHECK(chain.result(steps) == std::vector<int>(Chain::size, 5 + 10 * steps));
  gpu::require(cudaGraphExecDestroy(run), "destroy");
  gpu::require(cudaGraphDestroy(graph), "destroy");
  gpu::require(cudaStreamDestroy(stream), "destroy");
}

#endif
