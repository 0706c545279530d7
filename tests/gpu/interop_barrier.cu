// libcu++'s barriers and the library's: each in the other's place.
#include <tma/interop/cuda_barrier.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile        = tma::Tile<int, tma::Shape<8, 32>>;
using Map         = tma::TmaDescriptor<const int, 2, Tile>;
using CudaBarrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int threads = 64;

// Loads complete on a cuda::barrier, which threads arrive at and wait for as they know it.
__global__ void load_on_cuda_barrier(const __grid_constant__ Map in, int* out, int rounds) {
  struct Shared {
    Tile               tile;
    unsigned long long word;
  };
  auto& s       = tma::shared<Shared>();
  auto& barrier = reinterpret_cast<CudaBarrier&>(s.word);
  auto  block   = tma::this_block();
  if (block.rank() == 0) init(&barrier, 1 + threads);
  block.sync();
  auto& full  = tma::as_load_barrier<1 + threads>(barrier);
  int   wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    if (auto issuer = block.elect()) issuer.load(in, {8 * (round % 4), 0}, s.tile, full);
    barrier.wait(barrier.arrive());
    for (int i = block.rank(); i < Tile::size; i += block.size()) wrong += s.tile[i] != round % 4 * Tile::size + i;
    block.release(s.tile);
  }
  out[block.rank()] = wrong;
}

// The same, waited for with the library's phase.
__global__ void phase_of_cuda_barrier(const __grid_constant__ Map in, int* out, int rounds) {
  struct Shared {
    Tile               tile;
    unsigned long long word, empty;
  };
  auto& s       = tma::shared<Shared>();
  auto& barrier = reinterpret_cast<CudaBarrier&>(s.word);
  auto& other   = reinterpret_cast<CudaBarrier&>(s.empty);
  auto  block   = tma::this_block();
  if (block.rank() == 0) {
    init(&barrier, 1);
    init(&other, threads);
  }
  block.sync();
  auto& full      = tma::as_load_barrier<1>(barrier);
  auto& empty     = tma::as_mbarrier<threads>(other);
  auto  full_now  = tma::first_phase(full);
  auto  empty_now = tma::first_phase(empty);
  int   wrong     = 0;
  for (int round = 0; round < rounds; ++round) {
    if (auto issuer = block.elect()) issuer.load(in, {8 * (round % 4), 0}, s.tile, full_now);
    full_now.wait();
    for (int i = block.rank(); i < Tile::size; i += block.size()) wrong += s.tile[i] != round % 4 * Tile::size + i;
    empty.arrive();
    empty_now.wait_to_refill();
  }
  out[block.rank()] = wrong;
}

// The library's barrier, given to code that takes a cuda::barrier.
__device__ void meet(CudaBarrier& barrier) { barrier.arrive_and_wait(); }

__global__ void cuda_barrier_of_mbarrier(int* out, int rounds) {
  struct Shared {
    tma::Mbarrier<threads> barrier;
    int                    value[threads];
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  auto& theirs          = tma::as_cuda_barrier(s.barrier);
  int   wrong           = 0;
  for (int round = 0; round < rounds; ++round) {
    s.value[block.rank()] = round + block.rank();
    meet(theirs);
    wrong += s.value[threads - 1 - block.rank()] != round + threads - 1 - block.rank();
    meet(theirs);
  }
  out[block.rank()] = wrong;
}

std::vector<int> numbered(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

}  // namespace

TEST_CASE("cuda::barrier and the library's barriers stand for one another") {
  const int       rounds = gpu::scaled(100, 10);
  gpu::Array<int> in(numbered(4 * Tile::size)), out(threads);
  const auto      map   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {32, 32}});
  const auto      check = [&] {
    gpu::finish();
    CHECK(out.download() == std::vector<int>(threads, 0));
    out.fill(1);
  };
  tma::launch(load_on_cuda_barrier, {.grid = 1, .block = threads}, map, out.get(), rounds);
  check();
  tma::launch(phase_of_cuda_barrier, {.grid = 1, .block = threads}, map, out.get(), rounds);
  check();
  tma::launch(cuda_barrier_of_mbarrier, {.grid = 1, .block = threads}, out.get(), rounds);
  check();
}
