// Clusters on the machine: who is who, memory of one another, `__shared__` variables among it, sizes and shapes; that every
// strategy leaves the same bytes; and every order of a small protocol between two blocks.
#include <tma/device/cluster.hpp>
#include <tma/machine/machine.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

namespace ptx = tma::ptx;
using tma::machine::Strategy;

void clean(const std::function<void()>& program, int schedules = 20, Strategy strategy = Strategy::mixed) {
  const auto result = tma::machine::explore({.schedules = schedules, .strategy = strategy}, program);
  INFO(result.text());
  REQUIRE(result.clean());
}

constexpr Strategy strategies[] = {Strategy::mixed,   Strategy::late,    Strategy::early, Strategy::random,
                                   Strategy::victims, Strategy::reverse, Strategy::timed};

// --- who is who ----------------------------------------------------------------------------------------------------

__global__ void places(unsigned* out) {
  if (threadIdx.x != 0) return;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned is[]  = {ptx::cluster_rank(),       ptx::cluster_size(),       ptx::block_in_cluster_x(),
                          ptx::block_in_cluster_y(), ptx::block_in_cluster_z(), ptx::cluster_in_grid_x(),
                          ptx::cluster_in_grid_y(),  ptx::cluster_in_grid_z(),  ptx::grid_clusters_x(),
                          ptx::grid_clusters_y(),    ptx::grid_clusters_z()};
  for (unsigned i = 0; i < 11; ++i) out[block * 11 + i] = is[i];
}

}  // namespace

TEST_CASE("a block knows its place in the cluster, and the cluster's in the grid") {
  gpu::Array<unsigned> out(8 * 4 * 2 * 11);
  clean([&] { tma::launch(places, {.grid = {8, 4, 2}, .block = 32, .cluster = {2, 2, 2}}, out.get()); });
  const auto h = out.download();
  for (unsigned z = 0; z < 2; ++z)
    for (unsigned y = 0; y < 4; ++y)
      for (unsigned x = 0; x < 8; ++x) {
        const unsigned* is       = &h[((z * 4 + y) * 8 + x) * 11];
        const unsigned  should[] = {x % 2 + y % 2 * 2 + z % 2 * 4, 8, x % 2, y % 2, z % 2, x / 2, y / 2, z / 2, 4, 2, 1};
        for (int i = 0; i < 11; ++i) REQUIRE(is[i] == should[i]);
      }
}

// --- memory of one another -----------------------------------------------------------------------------------------

namespace {

// Each block has an array and a counter of its own; all read all, and add to all.
__global__ void variables(int* out) {
  __shared__ int values[64];
  __shared__ int count;
  auto           cluster = tma::this_cluster();
  const int      t = int(threadIdx.x), size = cluster.size();
  values[t] = cluster.rank() * 100 + t;
  if (t == 0) count = 0;
  cluster.sync();
  int sum = 0;
  for (int r = 0; r < size; ++r) {
    sum += cluster.peer(values, r).get()[63 - t];
    atomicAdd(&cluster.peer(count, r).get(), r + 1);
  }
  cluster.sync();
  out[blockIdx.x * 64 + unsigned(t)] = sum + 100000 * count;
  // And writes to the next.
  cluster.sync();
  cluster.peer(values, (cluster.rank() + 1) % size).get()[t] = cluster.rank();
  cluster.sync();
  if (values[t] != (cluster.rank() + size - 1) % size) out[blockIdx.x * 64 + unsigned(t)] = -1;
}

struct Both {
  int  own[64];
  char at_an_odd_place[3];
  int  other[64];
};

// The same through the shared window, and addresses instead of pointers.
__global__ void addresses(int* out) {
  auto&          s    = tma::shared<Both>();
  const unsigned rank = ptx::cluster_rank(), size = ptx::cluster_size(), next = (rank + 1) % size;
  s.own[threadIdx.x] = int(rank * 1000 + threadIdx.x);
  ptx::cluster_arrive<tma::Order::ordered>();
  ptx::cluster_wait();
  const unsigned there = ptx::map_shared(ptx::shared_address(&s.own[threadIdx.x]), next);
  int            bad   = ptx::cluster_rank_of(there) != next;
  bad |= ptx::shared_address(ptx::map_generic(&s.own[threadIdx.x], next)) != there;
  bad |= ptx::map_generic(&s.own[0], rank) != &s.own[0];
  const int* p = static_cast<const int*>(ptx::map_generic(&s.own[threadIdx.x], next));
  static_cast<Both*>(ptx::map_generic(&s, next))->other[threadIdx.x] = *p;  // a copy beside it
  ptx::cluster_arrive<tma::Order::ordered>();
  ptx::cluster_wait();
  out[blockIdx.x * 64 + threadIdx.x] = bad ? -1 : s.other[threadIdx.x];
}

}  // namespace

TEST_CASE("blocks reach one another's __shared__ variables") {
  for (int size : {1, 2, 4, 8, 16}) {
    gpu::Array<int> out(std::size_t(64) * 2 * size);
    for (Strategy s : strategies) {
      out.fill(0);
      clean([&] { tma::launch(variables, {.grid = 2 * size, .block = 64, .cluster = size}, out.get()); }, 4, s);
      const auto h = out.download();
      for (int i = 0; i < int(h.size()); ++i) {
        const int rank = i / 64 % size;
        REQUIRE(h[i] == size * (size - 1) / 2 * 100 + size * (63 - i % 64) + 100000 * (rank + 1) * 64 * size);
      }
    }
  }
}

TEST_CASE("addresses of the cluster and pointers into it are the same places") {
  gpu::Array<int> out(8 * 64);
  for (Strategy s : strategies) {
    clean([&] { tma::launch(addresses, {.grid = 8, .block = 64, .cluster = 4}, out.get()); }, 4, s);
    const auto h = out.download();
    for (int i = 0; i < int(h.size()); ++i) REQUIRE(h[i] == i / 64 % 4 * 1000 + i % 64);
  }
}

// --- more clusters than fit, which wait for one another --------------------------------------------------------------

namespace {

__global__ void all_clusters_meet(int* arrived, int* out) {
  __shared__ int mine;
  auto           cluster = tma::this_cluster<2>();
  if (threadIdx.x == 0) {
    mine = int(blockIdx.x);
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < int(gridDim.x)) __nanosleep(100);
  }
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = cluster.peer(mine, 1 - cluster.rank()).get();
}

}  // namespace

TEST_CASE("clusters that wait for one another run beside one another") {
  gpu::Array<int> arrived(1), out(8);
  for (int schedule = 0; schedule < 5; ++schedule) {
    arrived.fill(0);
    clean([&] { tma::launch(all_clusters_meet, {.grid = 8, .block = 32, .cluster = 2}, arrived.get(), out.get()); }, 1,
          strategies[schedule]);
    const auto h = out.download();
    for (int i = 0; i < 8; ++i) REQUIRE(h[i] == (i ^ 1));
  }
}

// --- every order of a small protocol ---------------------------------------------------------------------------------

namespace {

using Tile = tma::Tile<int, tma::Shape<2, 4>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier full;
  tma::Mbarrier<2> empty;
};

// Block 0 loads each tile for both; a warp of each reads it and tells block 0.
__global__ void multicast_ring(const __grid_constant__ Map in, int* sums, int steps) {
  auto& s                     = tma::shared<Shared>();
  auto [cluster, full, empty] = tma::this_cluster<2>(s.full, s.empty);
  int sum                     = 0;
  for (int i = 0; i < steps; ++i) {
    if (cluster.rank() == 0 && i > 0) {
      empty.wait();
      ptx::fence_proxy_async_shared_cluster();
    }
    if (auto issuer = cluster.elect()) {
      if (cluster.rank() == 0) issuer.load(in, {i * 2, 0}, s.tile, full, cluster.everyone());
      else issuer.expect(s.tile, full);
    }
    full.wait();
    sum += s.tile[int(threadIdx.x) % Tile::size] * (i + 1);
    __syncwarp();
    if (threadIdx.x == 0) cluster.peer(s.empty, 0).arrive();
  }
  sums[blockIdx.x * 32 + threadIdx.x] = sum;
}

// A tile goes to and fro between two blocks.
__global__ void ping_pong(int* out, int rounds) {
  struct Shared {
    tma::Buffer<int, 4> buffer;
    tma::LoadBarrier    arrived;
  };
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<2>(s.arrived);
  auto&     block         = cluster.block();
  const int other         = 1 - cluster.rank();
  if (cluster.rank() == 0 && block.rank() < 4) s.buffer[block.rank()] = block.rank();
  for (int i = 0; i < rounds; ++i) {
    if (cluster.rank() == i % 2) {
      if (i > 0) {
        arrived.wait();
        if (block.rank() < 4) s.buffer[block.rank()] += 10;
      }
      auto ready = block.publish(s.buffer);
      if (auto issuer = block.elect()) issuer.send(ready, cluster.peer(s.buffer, other), cluster.peer(arrived, other));
    }
  }
  if (cluster.rank() == rounds % 2) {
    if (rounds > 0) arrived.wait();
    if (block.rank() < 4) out[block.rank()] = s.buffer[block.rank()];
  }
}

}  // namespace

TEST_CASE("a multicast ring is right in every order of its steps") {
  std::vector<int> numbers(16 * Tile::size);
  for (int i = 0; i < int(numbers.size()); ++i) numbers[i] = i;
  gpu::Array<int> in(numbers), sums(64);
  const Map       from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {32, 4}});
  for (int steps : {1, 2, 3}) {
    const auto result = tma::machine::explore({.strategy = Strategy::exhaustive, .most_states = 200000}, [&] {
      tma::launch(multicast_ring, {.grid = 2, .block = 32, .cluster = 2}, from, sums.get(), steps);
    });
    INFO(steps << " steps: " << result.schedules << " schedules, " << result.states << " states\n" << result.text());
    CHECK(result.clean());
    CHECK(result.exhausted);
    CHECK(result.states > 10);
    const auto h = sums.download();
    for (int t = 0; t < 64; ++t) {
      int sum = 0;
      for (int i = 0; i < steps; ++i) sum += (i * Tile::size + t % Tile::size) * (i + 1);
      REQUIRE(h[t] == sum);
    }
  }
}

TEST_CASE("a tile that goes to and fro is right in every order") {
  gpu::Array<int> out(4);
  for (int rounds : {0, 1, 2, 3}) {
    const auto result = tma::machine::explore({.strategy = Strategy::exhaustive}, [&] {
      tma::launch(ping_pong, {.grid = 2, .block = 32, .cluster = 2}, out.get(), rounds);
    });
    INFO(rounds << " rounds: " << result.states << " states\n" << result.text());
    CHECK(result.clean());
    CHECK(result.exhausted);
    const auto h = out.download();
    for (int i = 0; i < 4; ++i) REQUIRE(h[i] == i + (rounds > 1 ? 10 * (rounds - 1) : 0));
  }
}
