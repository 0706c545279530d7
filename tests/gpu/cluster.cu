// Blocks of a cluster: copies between them, arrivals at one another's barriers, and loads into several of them.
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

// --- who is who ---

template <int Size> __global__ void ranks(int* out) {
  auto cluster = tma::this_cluster<Size>();
  if (cluster.block().rank() == 0) {
    const int block    = int(blockIdx.y * gridDim.x + blockIdx.x);
    out[2 * block]     = cluster.rank();
    out[2 * block + 1] = cluster.size();
  }
}

// --- a tile goes round: every block sends to the next ---

template <class Place> struct Ring {
  Place            mine, incoming;
  tma::LoadBarrier arrived;
};

template <int Size, class Place, tma::Order O> __global__ void ring(typename Place::value_type* out) {
  auto& s                 = tma::shared<Ring<Place>>();
  auto [cluster, arrived] = tma::this_cluster<Size>(s.arrived);
  const int next          = (cluster.rank() + 1) % cluster.size();
  for (int i = cluster.block().rank(); i < Place::size; i += cluster.block().size()) {
    s.mine[i]     = typename Place::value_type(int(blockIdx.x) * 1000 + i);
    s.incoming[i] = typename Place::value_type(-1);
  }
  auto ready = cluster.block().publish(s.mine);
  cluster.release(s.incoming);  // the next one has written its own
  if (auto issuer = cluster.elect())
    issuer.template send<O>(ready, cluster.peer(s.incoming, next), cluster.peer(s.arrived, next));
  arrived.wait();
  for (int i = cluster.block().rank(); i < Place::size; i += cluster.block().size())
    out[int(blockIdx.x) * Place::size + i] = s.incoming[i];
}

// --- from block 0 to block 1, a thousand times ---

constexpr int hand_off_threads = 96;
using Message                  = tma::Tile<int, tma::Shape<5, 12>>;

struct HandOff {
  Message                         tile;
  tma::LoadBarrier                full;
  tma::Mbarrier<hand_off_threads> free;
  int                             plain[hand_off_threads];
};

__global__ void hand_off_sent(int* wrong, int rounds) {
  auto& s                    = tma::shared<HandOff>();
  auto [cluster, full, free] = tma::this_cluster<2>(s.full, s.free);
  auto& block                = cluster.block();
  for (int round = 0; round < rounds; ++round) {
    if (cluster.rank() == 0) {
      if (round > 0) free.wait_to_refill();  // block 1 has the last one, so it is read here and used there
      for (int i = block.rank(); i < Message::size; i += block.size()) s.tile[i] = round * 100 + i;
      auto ready = block.publish(s.tile);
      if (auto issuer = block.elect()) issuer.send(ready, cluster.peer(s.tile, 1), cluster.peer(full, 1));
    } else {
      full.wait();
      for (int i = 0; i < Message::size; ++i)
        if (s.tile[i] != round * 100 + i) atomicAdd(wrong, 1);
      cluster.peer(free, 0).arrive();
    }
  }
}

// The same by ordinary stores into the other block, and arrivals there by every thread.
__global__ void hand_off_stored(int* wrong, int rounds) {
  struct Shared {
    int                             value[hand_off_threads];
    tma::Mbarrier<hand_off_threads> full, free;
  };
  auto& s                    = tma::shared<Shared>();
  auto [cluster, full, free] = tma::this_cluster<2>(s.full, s.free);
  const int  rank            = cluster.block().rank();
  const auto values          = cluster.peer(s.value, 1);
  const auto full_there      = cluster.peer(s.full, 1);
  const auto free_there      = cluster.peer(s.free, 0);
  for (int round = 0; round < rounds; ++round) {
    if (cluster.rank() == 0) {
      if (round > 0) free.wait();
      (*values)[rank] = round + 7 * rank;
      full_there.arrive();
    } else {
      full.wait();
      const int other = (rank * 29 + 1) % hand_off_threads;
      if (s.value[other] != round + 7 * other) atomicAdd(wrong, 1);
      free_there.arrive();
    }
  }
}

// --- arrivals with counts, and for the last time ---

template <int Size> __global__ void counted(int* out, int rounds) {
  constexpr int all = 32 * (Size * (Size + 1) / 2);  // 32 threads of each block arrive 1 + rank times
  struct Shared {
    tma::Mbarrier<all>      sum;
    tma::Mbarrier<2 * Size> dropped;
    tma::Mbarrier<1>        go;
  };
  auto& s                          = tma::shared<Shared>();
  auto [cluster, sum, dropped, go] = tma::this_cluster<Size>(s.sum, s.dropped, s.go);
  for (int round = 0; round < rounds; ++round) {
    for (int to = 0; to < cluster.size(); ++to) cluster.peer(s.sum, to).arrive(1 + cluster.rank());
    sum.wait();
    cluster.sync();  // an arrival of the next round is not taken for one of this
  }
  // Each block drops out of the barrier of block 0 after as many rounds as its rank; block 0 stays.
  for (int round = 0; round < Size; ++round) {
    if (cluster.block().rank() == 0) {
      const auto barrier = cluster.peer(dropped, 0);
      if (cluster.rank() == round && round > 0) barrier.arrive_drop(2);
      else if (cluster.rank() == 0 || cluster.rank() > round) barrier.template arrive<tma::Order::relaxed>(2);
    }
    if (cluster.rank() == 0) {
      dropped.wait();
      if (cluster.block().rank() < cluster.size()) cluster.peer(s.go, cluster.block().rank()).arrive();
    }
    go.wait();
    cluster.sync();  // no thread is left in a phase that has passed
  }
  if (cluster.block().rank() == 0) out[blockIdx.x] = 1 + sum.is_complete() + dropped.is_complete();
}

// --- one block leaves its loop early, and is sent to for long after ---

__global__ void uneven(int* out) {
  struct Shared {
    tma::Buffer<int, 32> buffer;
    tma::LoadBarrier     arrived;
    tma::Mbarrier<1>     poke;
    int                  count;
  };
  auto& s                       = tma::shared<Shared>();
  auto [cluster, arrived, poke] = tma::this_cluster<2>(s.arrived, s.poke);
  auto& block                   = cluster.block();
  if (block.rank() == 0) s.count = 0;
  if (block.rank() < 32) s.buffer[block.rank()] = block.rank() + 5 + cluster.rank();
  auto ready = block.publish(s.buffer);
  cluster.release(s.buffer);
  const auto there = cluster.peer(s.count, 0);
  const int  steps = cluster.rank() == 0 ? 1 : 50;
  for (int i = 0; i < steps; ++i) {
    if (cluster.rank() == 1) {
      for (int wait = 0; wait < 100; ++wait) __nanosleep(20);
      if (auto issuer = block.elect()) {
        if (i == 0) issuer.send(ready, cluster.peer(s.buffer, 0), cluster.peer(s.arrived, 0));
        atomicAdd(&*there, 1);
        cluster.peer(s.poke, 0).arrive();
        if (i == 49) out[32] = *there;
      }
    } else {
      arrived.wait();
      if (block.rank() < 32) out[block.rank()] = s.buffer[block.rank()];
    }
  }
}

}  // namespace

TEST_CASE("blocks of a cluster have ranks, and clusters sizes from 1 on") {
  gpu::Array<int> out(32);
  const auto      check = [&](int size) {
    gpu::finish();
    const auto h = out.download();
    for (int b = 0; b < 16; ++b) {
      CHECK(h[2 * b] == b % size);
      CHECK(h[2 * b + 1] == size);
    }
  };
  for (int size : {1, 2, 4, 8}) {
    tma::launch(ranks<0>, {.grid = 16, .block = 40, .cluster = size}, out.get());
    check(size);
  }
  tma::launch(ranks<1>, {.grid = 16, .block = 32}, out.get());
  check(1);
  tma::launch(ranks<8>, {.grid = 16, .block = 64, .cluster = 8}, out.get());
  check(8);
  // Of two dimensions: x counts fastest.
  tma::launch(ranks<4>, {.grid = {4, 4}, .block = 32, .cluster = {2, 2}}, out.get());
  gpu::finish();
  const auto h = out.download();
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) CHECK(h[2 * (4 * y + x)] == y % 2 * 2 + x % 2);
}

namespace {

template <int Size, class Place, tma::Order O> void check_ring() {
  using T = typename Place::value_type;
  gpu::Array<T> out(std::size_t(16) * Place::size);
  for (int threads : {32, 100}) {
    out.fill(0);
    tma::launch(ring<Size, Place, O>,
                {.grid = 16, .block = threads, .shared = tma::shared_bytes<Ring<Place>>, .cluster = Size}, out.get());
    gpu::finish();
    const auto h = out.download();
    for (int b = 0; b < 16; ++b) {
      const int from = b / Size * Size + (b + Size - 1) % Size;
      for (int i = 0; i < Place::size; ++i) REQUIRE(h[b * Place::size + i] == T(from * 1000 + i));
    }
  }
}

template <int Size> void check_rings() {
  check_ring<Size, tma::Tile<int, tma::Shape<7, 20>>, tma::Order::ordered>();
  check_ring<Size, tma::Tile<short, tma::Shape<3, 5, 24>>, tma::Order::relaxed>();
  check_ring<Size, tma::Tile<float, tma::Shape<9, 16>, tma::Swizzle::bytes_128>, tma::Order::ordered>();  // padded rows
  check_ring<Size, tma::Tile<unsigned char, tma::Shape<200, 256>>, tma::Order::relaxed>();
  check_ring<Size, tma::Buffer<double, 6>, tma::Order::ordered>();
  check_ring<Size, tma::Buffer<int, 4>, tma::Order::relaxed>();
}

}  // namespace

TEST_CASE("a tile or buffer is sent to the next block") {
  check_rings<2>();
  check_rings<4>();
  check_rings<8>();
}

TEST_CASE("a place is handed from block to block a thousand times") {
  gpu::Array<int> wrong(std::vector<int>{0});
  const int       rounds = gpu::scaled(1000, 20);
  tma::launch(hand_off_sent, {.grid = 8, .block = hand_off_threads, .cluster = 2}, wrong.get(), rounds);
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
  tma::launch(hand_off_stored, {.grid = 8, .block = hand_off_threads, .cluster = 2}, wrong.get(), rounds);
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

TEST_CASE("blocks arrive at one another's barriers, several times at once and for the last time") {
  gpu::Array<int> out(8);
  const int       rounds = gpu::scaled(100, 5);
  const auto      check  = [&] {
    gpu::finish();
    CHECK(out.download() == std::vector<int>(8, 1));
  };
  tma::launch(counted<1>, {.grid = 8, .block = 32, .cluster = 1}, out.get(), rounds);
  check();
  out.fill(0);
  tma::launch(counted<2>, {.grid = 8, .block = 32, .cluster = 2}, out.get(), rounds);
  check();
  out.fill(0);
  tma::launch(counted<4>, {.grid = 8, .block = 32, .cluster = 4}, out.get(), rounds);
  check();
}

TEST_CASE("a block whose work is done stays while others send to it") {
  gpu::Array<int> out(33);
  tma::launch(uneven, {.grid = 2, .block = 64, .cluster = 2}, out.get());
  gpu::finish();
  const auto h = out.download();
  for (int i = 0; i < 32; ++i) CHECK(h[i] == i + 6);
  CHECK(h[32] == 50);
}
