// Programmatic dependent launches: a kernel that uses what those before it in its stream use, before it waits for them.
#include "faults.hpp"

#include <tma/device/grid_dependency.hpp>

#include <cuda_pipeline_primitives.h>

using namespace faults;

namespace {

enum class Uses { thread_reads, engine_loads, chunk_loads, thread_writes, engine_stores, cp_async };

struct Shared {
  Tile                 tile;
  tma::Buffer<int, 64> line;
  tma::LoadBarrier     barrier;
};

// Writes the first tensor, and reads the second.
__global__ void before(int* to, const int* from) {
  tma::let_next_grid_start();
  to[threadIdx.x] = from[threadIdx.x] + 1;  // <grids.before>
}

template <Uses What, bool Faulty>
__global__ void after(const __grid_constant__ Map in, const __grid_constant__ Out out, int* first, int* second) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (!Faulty) tma::wait_for_previous_grid();
  if constexpr (What == Uses::thread_reads) {
    second[512 + threadIdx.x] = first[threadIdx.x];  // <grids.thread_reads>
  } else if constexpr (What == Uses::engine_loads) {
    if (auto issuer = block.elect()) issuer.load(in, {0, 0}, s.tile, arrived);  // <grids.engine_loads>
    arrived.wait();
  } else if constexpr (What == Uses::chunk_loads) {
    if (auto issuer = block.elect())
      issuer.load(tma::assume_aligned(static_cast<const int*>(first)).chunk<64>(0), s.line, arrived);  // <grids.chunk_loads>
    arrived.wait();
  } else if constexpr (What == Uses::thread_writes) {
    second[threadIdx.x] = 1;  // <grids.thread_writes>
  } else if constexpr (What == Uses::cp_async) {
    if (block.rank() < 16) {
      __pipeline_memcpy_async(&s.line[block.rank() * 4], first + block.rank() * 4, 16);  // <grids.cp_async>
      __pipeline_commit();
      __pipeline_wait_prior(0);
    }
  } else {
    for (auto& x : block.elements(s.tile)) x = 1;
    auto ready = block.publish(s.tile);
    if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);  // <grids.engine_stores>
  }
  if (Faulty) tma::wait_for_previous_grid();
}

template <Uses What> void launch(bool faulty) {
  Data d;
  // Loads are from what was written, stores to what was read.
  const Map from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(d.out.get()), {rows, columns}});
  const Out to   = tma::make_descriptor<Tile>(tma::TensorView{d.in.get(), {rows, columns}});
  tma::launch(before, {.grid = 1, .block = 64}, d.out.get(), d.in.get());
  tma::launch(faulty ? after<What, true> : after<What, false>,
              {.grid = 1, .block = 64, .order = tma::StreamOrder::programmatic}, from, to, d.out.get(), d.in.get());
}

#define TMA_TEST_GRIDS(id, title, does, what)                                                                              \
  FAULT(grids_##id, title " before it waits for the grid before it", .run = launch<Uses::id>, .kind = Kind::unwaited_grid, \
        .says  = {does, "which the kernel before " what " (faults_grids.cu:", "may still run: a programmatic launch",      \
                  "Fix: call tma::wait_for_previous_grid() before this line"},                                             \
        .lines = {"grids." #id, "grids.before"})

TMA_TEST_GRIDS(thread_reads, "a thread reads", "reads byte", "writes")
TMA_TEST_GRIDS(engine_loads, "the engine loads", "issues a load of byte 0 of the allocation", "writes")
TMA_TEST_GRIDS(chunk_loads, "a one-dimensional copy loads", "issues a load of byte 0", "writes")
TMA_TEST_GRIDS(thread_writes, "a thread writes what that reads,", "writes byte", "reads")
TMA_TEST_GRIDS(engine_stores, "the engine stores to what that reads", "issues a store to byte 0", "reads")
TMA_TEST_GRIDS(cp_async, "a thread copies", "reads byte", "writes")

// --- what is right -----------------------------------------------------------------------------------------------------

// One thread waits, and the block meets; what was there before is used at once.
__global__ void one_waits(int* first, int* second, int* other) {
  second[512 + threadIdx.x] = other[threadIdx.x];
  if (threadIdx.x == 0) tma::wait_for_previous_grid();
  ptx::sync_block();
  second[threadIdx.x] = first[threadIdx.x];
}
__global__ void flag(int* at) { atomicAdd(at, 1); }
// Lets the next grid begin before it has waited for the one before; or after.
template <bool First> __global__ void passes_on(int* scratch) {
  if (First) tma::let_next_grid_start();
  tma::wait_for_previous_grid();
  if (!First) tma::let_next_grid_start();
  scratch[threadIdx.x] = 1;
}
__global__ void reads_early(int* first, int* second) { second[512 + threadIdx.x] = first[threadIdx.x]; }

template <class Program> tma::machine::Result explore(Program program) {
  return tma::machine::explore({.schedules = 5}, [&] {
    Data            d;
    gpu::Array<int> other(std::vector<int>(64, 1)), scratch(64);
    program(d, other.get(), scratch.get());
  });
}
const tma::LaunchConfig first{.grid = 1, .block = 64},
    early{.grid = 1, .block = 64, .order = tma::StreamOrder::programmatic};

}  // namespace

TEST_CASE("a programmatic launch that waits first, or uses nothing of the grid before it") {
  const auto result = explore([](Data& d, int* other, int*) {
    tma::launch(before, first, d.out.get(), d.in.get());
    tma::launch(one_waits, early, d.out.get(), d.in.get(), other);
  });
  INFO(result.text());
  CHECK(result.clean());
}

TEST_CASE("grids that are in order all the same") {
  const auto result = explore([](Data& d, int*, int* scratch) {
    tma::launch(before, first, d.out.get(), d.in.get());
    tma::launch(reads_early, first, d.out.get(), d.in.get());  // no programmatic launch
    tma::launch(before, first, d.out.get(), d.in.get());
    gpu::finish();
    tma::launch(reads_early, early, d.out.get(), d.in.get());  // the host has waited
    tma::launch(flag, first, scratch);
    tma::launch(flag, early, scratch);  // atomics are meant to be used by both
    cudaStream_t other = nullptr;
    gpu::require(cudaStreamCreate(&other), "stream");
    tma::launch(before, first, d.out.get(), d.in.get());
    gpu::require(cudaMemsetAsync(scratch, 0, 4, nullptr), "memset");
    tma::launch(reads_early, early, d.out.get(), d.in.get());  // something else stands between
    gpu::require(cudaStreamDestroy(other), "stream");
  });
  INFO(result.text());
  CHECK(result.clean());
}

TEST_CASE("a grid between passes on that it has not waited, or that it has") {
  const auto chain = [](auto kernel) {
    return explore([=](Data& d, int*, int* scratch) {
      tma::launch(before, first, d.out.get(), d.in.get());
      tma::launch(kernel, early, scratch);
      tma::launch(reads_early, early, d.out.get(), d.in.get());
    });
  };
  CHECK(chain(passes_on<true>).has(Kind::unwaited_grid));
  CHECK(chain(passes_on<false>).clean());
}
