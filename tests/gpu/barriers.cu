// Phases, batches, and stores that reuse their source.
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<8, 32>>;
using Map  = tma::TmaDescriptor<int, 2, Tile>;

// One barrier, many phases: each load waits for its own.
__global__ void reuse(const __grid_constant__ Map from, int* sums, int steps) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  for (int i = 0; i < steps; ++i) {
    if (auto issuer = block.elect()) issuer.load(from, {i * 8, 0}, tile, arrived);
    arrived.wait();
    for (int x : block.elements(tile)) atomicAdd(&sums[i], x);
    block.release(tile);  // all have read before the engine writes again
  }
}

// Several loads in one phase, another barrier used once beside it, and a batch that loads nothing.
__global__ void batches(const __grid_constant__ Map from, int* out, int loads) {
  struct Shared {
    Tile             a, b, c;
    tma::LoadBarrier together, once[3], empty;
  };
  auto& s = tma::shared<Shared>();
  auto [block, together, first, second, third, empty] =
      tma::this_block(s.together, s.once[0], s.once[1], s.once[2], s.empty);
  if (auto issuer = block.elect()) {
    {
      tma::LoadBatch batch(issuer, together);
      batch.load(from, {0, 0}, s.a).load(from, {8, 0}, s.b);
      if (loads > 2) batch.load(from, {16, 0}, s.c);
    }
    tma::LoadBatch nothing(issuer, empty);
  }
  together.wait();
  empty.wait();
  for (int i = block.rank(); i < Tile::size; i += block.size()) {
    out[i]       = s.a[i];
    out[256 + i] = s.b[i];
    if (loads > 2) out[512 + i] = s.c[i];
  }
  // Each of these barriers is in its first phase, whatever the others did.
  block.release(s.a);
  if (auto issuer = block.elect()) {
    issuer.load(from, {24, 0}, s.a, first);
    issuer.load(from, {32, 0}, s.b, s.once[1]);
    issuer.load(from, {40, 0}, s.c, third);
  }
  third.wait();
  first.wait();
  second.wait();
  for (int i = block.rank(); i < Tile::size; i += block.size()) {
    out[768 + i]  = s.a[i];
    out[1024 + i] = s.b[i];
    out[1280 + i] = s.c[i];
  }
  if (block.rank() == 0) out[1536] = 1 + first.is_complete();
}

// Threads hand a number round through an Mbarrier.
__global__ void hand_over(int* out, int rounds) {
  struct Shared {
    int               value;
    tma::Mbarrier<32> written, read;
  };
  auto& s                     = tma::shared<Shared>();
  auto [block, written, read] = tma::this_block(s.written, s.read);
  int sum                     = 0;
  for (int i = 0; i < rounds; ++i) {
    if (block.rank() < 32) {
      if (i > 0) read.wait();
      if (block.rank() == 5) s.value = i * 3;
      s.written.arrive();
    } else {
      written.wait();
      sum += s.value;
      s.read.arrive();
    }
  }
  if (block.rank() >= 32) out[block.rank() - 32] = sum;
}

std::vector<int> numbered(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

}  // namespace

TEST_CASE("a barrier is used again, phase after phase") {
  constexpr int   steps = 37;
  const auto      data  = numbered(steps * 256);
  gpu::Array<int> in(data), sums(std::vector<int>(steps, 0));
  const auto      from = tma::make_descriptor<Tile>(tma::TensorView{in.get(), {steps * 8, 32}});
  for (int threads : {32, 40, 256}) {
    sums.fill(0);
    tma::launch(reuse, {.grid = 1, .block = threads}, from, sums.get(), steps);
    gpu::finish();
    const auto h = sums.download();
    for (int i = 0; i < steps; ++i) CHECK(h[i] == 256 * (2 * i * 256 + 255) / 2);
  }
}

TEST_CASE("loads complete together, and an empty batch completes at once") {
  const auto      data = numbered(64 * 32);
  gpu::Array<int> in(data), out(1537);
  const auto      from = tma::make_descriptor<Tile>(tma::TensorView{in.get(), {64, 32}});
  for (int loads : {2, 3}) {
    out.fill(0xff);
    tma::launch(batches, {.grid = 1, .block = 64}, from, out.get(), loads);
    gpu::finish();
    const auto h = out.download();
    for (int t = 0; t < 6; ++t)
      for (int i = 0; i < 256; ++i)
        if (t != 2 || loads > 2) REQUIRE(h[t * 256 + i] == t * 256 + i);
    CHECK(h[1536] == 1);  // the next phase of `first` is not complete
  }
}

TEST_CASE("an Mbarrier hands values from some threads to others") {
  gpu::Array<int> out(32);
  tma::launch(hand_over, {.grid = 1, .block = 64}, out.get(), 100);
  gpu::finish();
  CHECK(out.download() == std::vector<int>(32, 3 * 99 * 100 / 2));
}

namespace {

// One tile, rewritten and stored again and again: the source is free once wait_source_free says so.
__global__ void rewrite(const __grid_constant__ Map to, int steps) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (int i = 0; i < steps; ++i) {
    for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = i * 1000 + k;
    auto ready = block.publish(tile);
    if (auto issuer = block.elect()) issuer.store(to, {(i % 64) * 8, 0}, ready).wait_source_free();
    block.sync();
  }
}

// Two tiles in turn, one store in flight while the other is written.
__global__ void in_turn(const __grid_constant__ Map to, int steps) {
  struct Shared {
    Tile tile[2];
  };
  auto&           s      = tma::shared<Shared>();
  auto            block  = tma::this_block();
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
  for (int i = 0; i < steps; ++i) {
    auto& tile = s.tile[i % 2];
    stores.wait_source_free<1>();
    block.sync();
    for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = i * 1000 + k;
    auto ready = block.publish(tile);
    stores.store(to, {(i % 64) * 8, 0}, ready);
  }
}

// A copy that no thread touches: load, then store the same bytes.
__global__ void copy_through(const __grid_constant__ Map from, const __grid_constant__ Map to) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const tma::Coord<2> at{blockIdx.x * 8, 0};
  if (auto issuer = block.elect()) {
    issuer.load(from, at, tile, arrived);
    arrived.wait();
    issuer.store(to, at, tma::as_loaded(tile));
  }
}

// Block 0 stores and raises a flag; block 1 waits for it and reads.
__global__ void flag(const __grid_constant__ Map to, const int* data, int* flag, int* wrong, int round) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  if (blockIdx.x == 0) {
    for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = round + k;
    auto ready = block.publish(tile);
    if (auto issuer = block.elect()) {
      issuer.store(to, {0, 0}, ready).wait_visible();
      __threadfence();
      atomicExch(flag, round);
    }
  } else {
    if (block.rank() == 0)
      while (atomicAdd(flag, 0) != round) {}
    block.sync();
    __threadfence();
    for (int k = block.rank(); k < Tile::size; k += block.size())
      if (__ldcg(&data[k]) != round + k) atomicAdd(wrong, 1);
  }
}

}  // namespace

TEST_CASE("a tile is stored, rewritten and stored again, again and again") {
  gpu::Array<int> out(std::vector<int>(64 * 256, -1));
  const auto      to    = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {64 * 8, 32}});
  const int       steps = gpu::scaled(10000, 200);
  const auto      check = [&] {
    const auto h = out.download();
    for (int i = steps - 64; i < steps; ++i)
      for (int k = 0; k < 256; ++k) REQUIRE(h[(i % 64) * 256 + k] == i * 1000 + k);
  };
  tma::launch(rewrite, {.grid = 1, .block = 128}, to, steps);
  gpu::finish();
  check();
  out.fill(0);
  tma::launch(in_turn, {.grid = 1, .block = 128}, to, steps);
  gpu::finish();
  check();
}

TEST_CASE("bytes that were loaded and not changed are stored without a fence") {
  const auto      data = numbered(100 * 256);
  gpu::Array<int> in(data), out(data.size());
  const auto      from = tma::make_descriptor<Tile>(tma::TensorView{in.get(), {800, 32}});
  const auto      to   = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {800, 32}});
  tma::launch(copy_through, {.grid = 100, .block = 32}, from, to);
  gpu::finish();
  CHECK(out.download() == data);
}

TEST_CASE("wait_visible and a release make a store visible to another block") {
  gpu::Array<int> out(256), state(std::vector<int>{0, 0});
  const auto      to = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {8, 32}});
  for (int round = 1; round <= gpu::scaled(1000, 20); ++round)
    tma::launch(flag, {.grid = 2, .block = 64}, to, static_cast<const int*>(out.get()), state.get(), state.get() + 1, round);
  gpu::finish();
  CHECK(state.download()[1] == 0);
}
