// What one block does in another's shared memory: asynchronous stores and reductions from registers, reductions by the copy
// engine, ordinary loads.
#include <tma/device/cluster.hpp>
#include <tma/device/transactions.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using tma::Reduction;

// --- asynchronous stores of every width ---

// Every thread of every other block writes one value into block 0, at a place that shows who wrote it.
template <int Size, class T> __global__ void stores(T* out, T first, T step) {
  constexpr int threads = 32, count = (Size - 1) * threads;
  struct Shared {
    tma::Buffer<T, count> buffer;
    tma::LoadBarrier      arrived;
  };
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<Size>(s.arrived);
  auto& block             = cluster.block();
  if (cluster.rank() == 0) {
    if (auto issuer = cluster.elect()) issuer.expect(s.buffer, arrived);
    arrived.wait();
    for (int i = block.rank(); i < count; i += block.size()) out[i] = s.buffer[i];
  } else {
    const int i     = (cluster.rank() - 1) * threads + block.rank();
    T         value = first;
    for (unsigned k = 0; k < sizeof(T) / 4; ++k)
      reinterpret_cast<unsigned*>(&value)[k] += unsigned(i) * reinterpret_cast<const unsigned*>(&step)[k];
    cluster.peer(s.buffer, 0).element(i).store_async(value, cluster.peer(arrived, 0));
  }
}

// --- reductions: the reference ---

template <Reduction Op, class T> __host__ __device__ T combine(T old, T value) {
  switch (Op) {
    case Reduction::add: return T((unsigned long long)(old) + (unsigned long long)(value));
    case Reduction::min: return value < old ? value : old;
    case Reduction::max: return value > old ? value : old;
    case Reduction::inc: return old >= value ? T(0) : T(old + 1);
    case Reduction::dec: return old == 0 || old > value ? value : T(old - 1);
    case Reduction::bit_and: return old & value;
    case Reduction::bit_or: return old | value;
    case Reduction::bit_xor: return old ^ value;
  }
  return old;
}

// A value for each element and turn. `inc` and `dec` do not commute with others: all have one limit.
template <Reduction Op, class T> __host__ __device__ T operand(int i, int turn) {
  if (Op == Reduction::inc || Op == Reduction::dec) return T(3 + i % 5);
  return T((unsigned long long)(i * 2654435761u + unsigned(turn) * 40503u) * 0x9e3779b97f4a7c15ull >>
           (sizeof(T) == 8 ? 3 : 32));
}

template <class T> __host__ __device__ T initial(int i) { return T(i * 1000003 - 77); }

constexpr int reduce_size = 4, reduce_count = 64;

// Every thread of blocks 1 to 3 reduces into each element of block 0: by red.async, or the whole buffer by the engine.
template <Reduction Op, class T, bool Engine> __global__ void reductions(T* out) {
  using Values = tma::Buffer<T, reduce_count>;
  struct Shared {
    Values                                           mine;
    Values                                           sum;
    tma::LoadBarrierOf<Engine ? reduce_size - 1 : 1> arrived;
  };
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<reduce_size>(s.arrived);
  auto& block             = cluster.block();
  for (int i = block.rank(); i < reduce_count; i += block.size()) {
    s.sum[i]  = initial<T>(i);
    s.mine[i] = operand<Op, T>(i, cluster.rank());
  }
  auto ready = block.publish(s.mine);
  cluster.release(s.sum);
  const auto sum   = cluster.peer(s.sum, 0);
  const auto there = cluster.peer(arrived, 0);
  if constexpr (Engine) {
    if (cluster.rank() > 0) {
      if (auto issuer = cluster.elect()) issuer.template reduce<Op>(sum, ready, there);
    }
  } else {
    if (cluster.rank() > 0) {
      sum.element(block.rank()).template reduce_async<Op>(s.mine[block.rank()], there);
    } else if (auto issuer = cluster.elect()) {
      tma::LoadBatch batch(issuer, arrived);
      for (int r = 1; r < reduce_size; ++r) batch.expect(s.sum);
    }
  }
  if (cluster.rank() == 0) {
    arrived.wait();
    for (int i = block.rank(); i < reduce_count; i += block.size()) out[i] = s.sum[i];
  }
}

// --- a tile of every block, read by all ---

using Tile = tma::Tile<int, tma::Shape<8, 32>, tma::Swizzle::bytes_128>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

template <int Size> __global__ void read_by_all(const __grid_constant__ Map in, int steps, int* wrong) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier arrived;
  };
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<Size>(s.arrived);
  auto& block             = cluster.block();
  for (int step = 0; step < steps; ++step) {
    if (auto issuer = cluster.elect()) issuer.load(in, {(step + cluster.rank()) * 8, 0}, s.tile, arrived);
    arrived.wait();
    cluster.sync();  // all have theirs
    for (int r = 0; r < Size; ++r) {
      const auto tile = cluster.peer(s.tile, r);
      for (int i = block.rank(); i < Tile::size; i += block.size())
        if ((*tile)[i] != (step + r) * Tile::size + i || tile->operator()(i / 32, i % 32) != (*tile)[i]) atomicAdd(wrong, 1);
    }
    cluster.release(s.tile);
  }
}

// Bytes that are counted by hand: half of what is expected comes by threads, the rest by one asynchronous store.
__global__ void counted_by_hand(int* out) {
  struct Shared {
    tma::Buffer<int, 4>   buffer;
    tma::LoadBarrierOf<2> arrived;
  };
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<2>(s.arrived);
  auto& block             = cluster.block();
  if (cluster.rank() == 0) {
    if (block.rank() == 0) {
      tma::expect_bytes(arrived, 8);
      s.arrived.arrive();
    }
    arrived.wait();
    if (block.rank() < 4) out[block.rank()] = s.buffer[block.rank()];
  } else if (block.rank() == 0) {
    const auto buffer = cluster.peer(s.buffer, 0);
    const auto there  = cluster.peer(s.arrived, 0);
    tma::expect_bytes(there, 8);
    for (int i = 0; i < 2; ++i) (*buffer)[i] = 10 + i;
    for (int i = 2; i < 4; ++i) buffer.element(i).store_async(10 + i, there);
    tma::complete_bytes(there, 8);
    there.arrive();
  }
}

template <int Size, class T> void check_stores(T first, T step) {
  constexpr int count = (Size - 1) * 32;
  gpu::Array<T> out(count);
  tma::launch(stores<Size, T>, {.grid = Size, .block = 32, .cluster = Size}, out.get(), first, step);
  gpu::finish();
  const auto h = out.download();
  for (int i = 0; i < count; ++i) {
    unsigned words[sizeof(T) / 4], a[sizeof(T) / 4], b[sizeof(T) / 4];
    std::memcpy(words, &h[i], sizeof(T));
    std::memcpy(a, &first, sizeof(T));
    std::memcpy(b, &step, sizeof(T));
    for (unsigned k = 0; k < sizeof(T) / 4; ++k) REQUIRE(words[k] == a[k] + unsigned(i) * b[k]);
  }
}

template <Reduction Op, class T> void check_reductions() {
  gpu::Array<T>  out(reduce_count);
  std::vector<T> expected(reduce_count);
  for (int i = 0; i < reduce_count; ++i) {
    expected[i] = initial<T>(i);
    for (int r = 1; r < reduce_size; ++r) expected[i] = combine<Op>(expected[i], operand<Op, T>(i, r));
  }
  const tma::LaunchConfig config{.grid = reduce_size, .block = reduce_count, .cluster = reduce_size};
  out.fill(0);
  tma::launch(reductions<Op, T, false>, config, out.get());
  gpu::finish();
  CHECK(out.download() == expected);
  out.fill(0);
  tma::launch(reductions<Op, T, true>, config, out.get());
  gpu::finish();
  CHECK(out.download() == expected);
}

}  // namespace

TEST_CASE("threads write into another block's shared memory, and the bytes are counted there") {
  check_stores<2, unsigned>(5, 77);
  check_stores<4, int>(-5, 7);
  check_stores<2, float>(1.5f, 0.f);
  check_stores<4, unsigned long long>(1ull << 60, 3ull << 33 | 5);
  check_stores<2, double>(0.25, 0.);
  check_stores<4, tma::Vec<int, 4>>({{1, 2, 3, 4}}, {{5, 6, 7, 8}});
  check_stores<2, tma::Vec<short, 4>>({{1, 2, 3, 4}}, {{0, 0, 0, 0}});
  check_stores<8, tma::Vec<double, 2>>({{0.5, 2.5}}, {{0., 0.}});
}

TEST_CASE("threads and the copy engine reduce into another block's shared memory") {
  check_reductions<Reduction::add, unsigned>();
  check_reductions<Reduction::add, int>();
  check_reductions<Reduction::add, unsigned long long>();
  check_reductions<Reduction::add, long long>();
  check_reductions<Reduction::min, unsigned>();
  check_reductions<Reduction::min, int>();
  check_reductions<Reduction::max, unsigned>();
  check_reductions<Reduction::max, int>();
  check_reductions<Reduction::inc, unsigned>();
  check_reductions<Reduction::dec, unsigned>();
  check_reductions<Reduction::bit_and, unsigned>();
  check_reductions<Reduction::bit_or, unsigned>();
  check_reductions<Reduction::bit_xor, unsigned>();
  check_reductions<Reduction::bit_and, int>();
  check_reductions<Reduction::bit_or, int>();
  check_reductions<Reduction::bit_xor, int>();
}

TEST_CASE("all blocks read the tiles of all") {
  const int        steps = gpu::scaled(50, 5);
  std::vector<int> data((steps + 8) * Tile::size);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = int(i);
  gpu::Array<int> in(data), wrong(std::vector<int>{0});
  const auto map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {(steps + 8) * 8, 32}});
  tma::launch(read_by_all<1>, {.grid = 8, .block = 64}, map, steps, wrong.get());
  tma::launch(read_by_all<2>, {.grid = 8, .block = 64, .cluster = 2}, map, steps, wrong.get());
  tma::launch(read_by_all<4>, {.grid = 8, .block = 64, .cluster = 4}, map, steps, wrong.get());
  tma::launch(read_by_all<8>, {.grid = 8, .block = 64, .cluster = 8}, map, steps, wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

TEST_CASE("bytes are expected and completed by hand") {
  gpu::Array<int> out(4);
  tma::launch(counted_by_hand, {.grid = 2, .block = 32, .cluster = 2}, out.get());
  gpu::finish();
  CHECK(out.download() == std::vector<int>{10, 11, 12, 13});
}
