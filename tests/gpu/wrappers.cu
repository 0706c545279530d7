// Every instruction that answers, by its wrapper, against the same in plain C++: built without optimisation, with a little, and
// with all of it, because an answer that the compiler does not know to be written is right in some builds only.
#include <tma/device/cache_policy.hpp>
#include <tma/device/cluster.hpp>
#include <tma/device/transactions.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

namespace ptx = tma::ptx;

using tma::Order;
using tma::Scope;

constexpr int threads = 64;  // 8 x 4 x 2

// What is wrong, a bit a question.
struct Answers {
  int wrong = 0, asked = 0;

  __device__ void is(bool right) {
    if (!right) wrong |= 1 << (asked % 31);
    ++asked;
  }
};

__global__ void places(int* wrong, const int* global) {
  auto&     value = tma::shared<int>();
  Answers   a;
  const int rank = int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  if (rank == 0) value = 1000 + int(blockIdx.x);
  __syncthreads();
  a.is(int(ptx::thread_rank()) == rank);
  a.is(ptx::block_threads() == blockDim.x * blockDim.y * blockDim.z);
  const auto address = ptx::shared_address(&value);
  a.is(address == unsigned(__cvta_generic_to_shared(&value)));
  a.is(*static_cast<int*>(__cvta_shared_to_generic(address)) == 1000 + int(blockIdx.x));
  a.is(ptx::is_shared(&value));
  a.is(!ptx::is_shared(global));
  const auto first = tma::evict_first(), last = tma::evict_last();
  a.is(first.bits() != 0 && last.bits() != 0 && first.bits() != last.bits());
  for (int n = 0; n < 3; ++n) {
    const bool elected = ptx::elect_sync();
    a.is(__popc(__ballot_sync(0xffffffffu, elected)) == 1);
  }
  wrong[int(blockIdx.x) * threads + rank] = a.wrong;
}

__global__ void blocks_of_a_cluster(int* wrong) {
  auto&          value   = tma::shared<int>();
  auto           cluster = tma::this_cluster();
  Answers        a;
  const unsigned size = 2, rank = blockIdx.x % size;
  if (cluster.block().rank() == 0) value = 1000 + int(blockIdx.x);
  cluster.sync();
  a.is(ptx::cluster_rank() == rank);
  a.is(ptx::cluster_size() == size);
  a.is(ptx::block_in_cluster_x() == rank && ptx::block_in_cluster_y() == 0 && ptx::block_in_cluster_z() == 0);
  a.is(ptx::cluster_shape_x() == size && ptx::cluster_shape_y() == 1 && ptx::cluster_shape_z() == 1);
  a.is(ptx::cluster_in_grid_x() == blockIdx.x / size && ptx::cluster_in_grid_y() == 0 && ptx::cluster_in_grid_z() == 0);
  a.is(ptx::grid_clusters_x() == gridDim.x / size && ptx::grid_clusters_y() == 1 && ptx::grid_clusters_z() == 1);
  for (unsigned r = 0; r < size; ++r) {
    a.is(ptx::cluster_rank_of(ptx::map_shared(ptx::shared_address(&value), r)) == r);
    a.is(*static_cast<int*>(ptx::map_generic(&value, r)) == 1000 + int(blockIdx.x - rank + r));
  }
  wrong[int(blockIdx.x) * threads + cluster.block().rank()] = a.wrong;
}

__global__ void phases(int* wrong) {
  struct Shared {
    tma::Mbarrier<threads>         all;
    tma::Mbarrier<2 * threads>     twice;
    tma::Mbarrier<2 * threads + 1> dropped;
    tma::LoadBarrierOf<threads>    bytes;
  };
  auto&   s = tma::shared<Shared>();
  Answers a;
  auto [block, of_all, of_twice, of_dropped, of_bytes] = tma::this_block(s.all, s.twice, s.dropped, s.bytes);
  const auto all = ptx::shared_address(&s.all), twice = ptx::shared_address(&s.twice);
  const auto dropped = ptx::shared_address(&s.dropped), bytes = ptx::shared_address(&s.bytes);
  // Fresh: the phase before counts as complete.
  a.is(!ptx::mbarrier_test_wait(all, 0));
  a.is(ptx::mbarrier_test_wait(all, 1));
  a.is(ptx::mbarrier_try_wait(all, 1));
  a.is(!ptx::mbarrier_try_wait_for<Order::ordered, Scope::block>(all, 0, 100));
  block.sync();
  // Of 64 arrivals each finds 1 to 64 still expected.
  const auto token   = ptx::mbarrier_arrive_state<Order::ordered, Scope::block>(all, 1);
  const int  pending = int(ptx::mbarrier_pending_count(token));
  a.is(pending >= 1 && pending <= threads);
  while (!ptx::mbarrier_try_wait_state<Order::ordered, Scope::block>(all, token)) {}
  a.is(ptx::mbarrier_test_wait_state<Order::ordered, Scope::block>(all, token));
  a.is(ptx::mbarrier_try_wait_state_for<Order::ordered, Scope::block>(all, token, 100));
  a.is(ptx::mbarrier_test_wait(all, 0));
  a.is(!ptx::mbarrier_test_wait(all, 1));
  a.is(ptx::mbarrier_test_wait<Order::relaxed, Scope::cluster>(all, 0));
  a.is(ptx::mbarrier_try_wait<Order::relaxed, Scope::cluster>(all, 0));
  // One of each thread's two arrivals completes nothing.
  const auto first = ptx::mbarrier_arrive_no_complete(twice, 1);
  a.is(ptx::mbarrier_pending_count(first) >= 2 && ptx::mbarrier_pending_count(first) <= 2 * threads);
  const auto second = ptx::mbarrier_arrive_state<Order::relaxed, Scope::cluster>(twice, 1);
  while (!ptx::mbarrier_try_wait_state<Order::relaxed, Scope::cluster>(twice, second)) {}
  a.is(ptx::mbarrier_test_wait_state<Order::ordered, Scope::block>(twice, first));
  block.sync();
  // For the last time, both arrivals of every thread: the one that is left is made by the first thread.
  if (block.rank() == 0) ptx::mbarrier_arrive<Order::ordered, Scope::block>(dropped, 1);
  const auto left = ptx::mbarrier_arrive_drop_no_complete(dropped, 1);
  a.is(ptx::mbarrier_pending_count(left) >= 2 && ptx::mbarrier_pending_count(left) <= 2 * threads + 1);
  const auto gone = ptx::mbarrier_arrive_drop_state<Order::ordered, Scope::block>(dropped, 1);
  a.is(ptx::mbarrier_pending_count(gone) >= 1);
  while (!ptx::mbarrier_try_wait_state<Order::ordered, Scope::block>(dropped, gone)) {}
  block.sync();
  // The next phase waits for that one arrival alone.
  a.is(!ptx::mbarrier_test_wait(dropped, 1));
  block.sync();
  if (block.rank() == threads - 1) ptx::mbarrier_arrive<Order::ordered, Scope::block>(dropped, 1);
  block.sync();
  a.is(ptx::mbarrier_test_wait(dropped, 1));
  block.sync();
  // With bytes that threads complete.
  const auto expecting = ptx::mbarrier_arrive_expect_tx_state<Order::ordered, Scope::block>(bytes, 16);
  a.is(!ptx::mbarrier_test_wait_state<Order::ordered, Scope::block>(bytes, expecting));
  block.sync();
  tma::complete_bytes(s.bytes, 16);
  while (!ptx::mbarrier_try_wait_state<Order::ordered, Scope::block>(bytes, expecting)) {}
  a.is(ptx::mbarrier_test_wait(bytes, 0));
  wrong[block.rank()] = a.wrong;
}

void check(const gpu::Array<int>& wrong) {
  gpu::finish();
  CHECK(wrong.download() == std::vector<int>(wrong.size(), 0));
}

}  // namespace

TEST_CASE("addresses, ranks and elections are what C++ says") {
  gpu::Array<int> wrong(3 * threads);
  tma::launch(places, {.grid = 3, .block = {8, 4, 2}}, wrong.get(), static_cast<const int*>(wrong.get()));
  check(wrong);
}

TEST_CASE("places in a cluster are what C++ says") {
  gpu::Array<int> wrong(6 * threads);
  tma::launch(blocks_of_a_cluster, {.grid = 6, .block = threads, .cluster = 2}, wrong.get());
  check(wrong);
}

TEST_CASE("arrivals and tries answer as the phases go") {
  gpu::Array<int> wrong(threads);
  tma::launch(phases, {.grid = 1, .block = threads}, wrong.get());
  check(wrong);
}
