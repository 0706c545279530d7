// Data that one block writes with ordinary stores and another loads by the copy engine, in the same grid.
#include "transfer.hpp"

#include <tma/device/global_fence.hpp>

using tma::Shape;
using tma::Tile;

namespace {

using Moved = Tile<int, Shape<16, 32>>;
using Map   = transfer::ConstDescriptor<Moved>;

struct Room {
  Moved                 tile;
  tma::Buffer<int, 512> buffer;
  tma::LoadBarrier      barrier;
};

// Block 0 fills `data` with the number of the round, by turns with block 1, which loads it both ways. Who fences: the block
// that writes, or the thread that loads.
template <bool WritersFence>
__global__ void produce_and_load(const __grid_constant__ Map map, int* data, int rounds, int* turns, int* wrong) {
  auto& [tile, buffer, barrier] = tma::shared<Room>();
  auto [block, arrived]         = tma::this_block(barrier);
  for (int round = 0; round < rounds; ++round) {
    if (blockIdx.x == 0) {
      if (block.rank() == 0) {
        while (atomicAdd(&turns[1], 0) < round) {}
        __threadfence();
      }
      block.sync();
      for (int i = block.rank(); i < Moved::size; i += block.size()) data[i] = round * 1000 + i;
      if constexpr (WritersFence) tma::publish_global(block);
      else block.sync();
      if (block.rank() == 0) {
        __threadfence();
        atomicExch(&turns[0], round + 1);
      }
    } else {
      if (auto issuer = block.elect()) {
        while (atomicAdd(&turns[0], 0) < round + 1) {}
        __threadfence();
        if constexpr (!WritersFence) tma::acquire_global();
        tma::LoadBatch batch(issuer, arrived);
        batch.load(map, {0, 0}, tile).load(tma::assume_aligned(static_cast<const int*>(data)).chunk<512>(0), buffer);
      }
      arrived.wait();
      int mine = 0;
      for (int i = block.rank(); i < Moved::size; i += block.size())
        mine += (tile[i] != round * 1000 + i) + (buffer[i] != round * 1000 + i);
      if (mine > 0) atomicAdd(wrong, mine);
      block.release(tile);
      if (block.rank() == 0) {
        __threadfence();
        atomicExch(&turns[1], round + 1);
      }
    }
  }
}

// The same with the engine on both sides: block 0 stores, waits until that is visible, and says so.
__global__ void store_and_load(const __grid_constant__ transfer::Descriptor<Moved> to, const __grid_constant__ Map map,
                               int* data, int rounds, int* turns, int* wrong) {
  auto& [tile, buffer, barrier] = tma::shared<Room>();
  auto [block, arrived]         = tma::this_block(barrier);
  for (int round = 0; round < rounds; ++round) {
    if (blockIdx.x == 0) {
      if (block.rank() == 0)
        while (atomicAdd(&turns[1], 0) < round) {}
      __threadfence();
      block.sync();
      for (int i = block.rank(); i < Moved::size; i += block.size()) tile[i] = buffer[i] = round * 1000 + i;
      auto [rows, line] = block.publish(tile, buffer);
      if (auto issuer = block.elect()) {
        tma::StoreGroup stores(issuer);
        // One half by each of the two ways to store.
        if (round % 2 == 0) stores.store(to, {0, 0}, rows);
        else stores.store(tma::assume_aligned(data).chunk<512>(0), line);
        stores.wait_visible();
        __threadfence();
        atomicExch(&turns[0], round + 1);
      }
      block.sync();
    } else {
      if (auto issuer = block.elect()) {
        while (atomicAdd(&turns[0], 0) < round + 1) {}
        __threadfence();
        tma::acquire_global();
        tma::LoadBatch batch(issuer, arrived);
        batch.load(map, {0, 0}, tile).load(tma::assume_aligned(static_cast<const int*>(data)).chunk<512>(0), buffer);
      }
      arrived.wait();
      int mine = 0;
      for (int i = block.rank(); i < Moved::size; i += block.size())
        mine += (tile[i] != round * 1000 + i) + (buffer[i] != round * 1000 + i);
      if (mine > 0) atomicAdd(wrong, mine);
      block.release(tile);
      if (block.rank() == 0) {
        __threadfence();
        atomicExch(&turns[1], round + 1);
      }
    }
  }
}

// One block stores and loads again: the wait is enough.
__global__ void store_and_load_again(const __grid_constant__ transfer::Descriptor<Moved> to, const __grid_constant__ Map map,
                                     int rounds, int* wrong) {
  struct Shared {
    Moved            tile, back;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  for (int round = 0; round < rounds; ++round) {
    for (int i = block.rank(); i < Moved::size; i += block.size()) s.tile[i] = round * 1000 + i;
    auto ready = block.publish(s.tile);
    if (auto issuer = block.elect()) {
      issuer.store(to, {0, 0}, ready).wait_visible();
      issuer.load(map, {0, 0}, s.back, arrived);
    }
    arrived.wait();
    int mine = 0;
    for (int i = block.rank(); i < Moved::size; i += block.size()) mine += s.back[i] != round * 1000 + i;
    if (mine > 0) atomicAdd(wrong, mine);
    block.release(s.back);
  }
}

template <bool WritersFence> int wrong_elements() {
  gpu::Array<int> data(Moved::size), turns(std::vector<int>{0, 0}), wrong(std::vector<int>{0});
  const Map       map = tma::make_descriptor<Moved>(tma::TensorView{static_cast<const int*>(data.get()), {16, 32}});
  tma::launch(produce_and_load<WritersFence>, {.grid = 2, .block = 96}, map, data.get(), gpu::scaled(5000, 12), turns.get(),
              wrong.get());
  gpu::finish();
  return wrong.download()[0];
}

}  // namespace

TEST_CASE("one block writes and publishes, another loads what it is told of") { CHECK(wrong_elements<true>() == 0); }

TEST_CASE("one block writes by ordinary means, another acquires and loads") { CHECK(wrong_elements<false>() == 0); }

TEST_CASE("one block stores by the engine, another acquires and loads") {
  gpu::Array<int> data(Moved::size), turns(std::vector<int>{0, 0}), wrong(std::vector<int>{0});
  const Map       map = tma::make_descriptor<Moved>(tma::TensorView{static_cast<const int*>(data.get()), {16, 32}});
  const auto      to  = tma::make_descriptor<Moved>(tma::TensorView{data.get(), {16, 32}});
  tma::launch(store_and_load, {.grid = 2, .block = 96}, to, map, data.get(), gpu::scaled(5000, 12), turns.get(),
              wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

TEST_CASE("one block stores by the engine and loads again") {
  gpu::Array<int> data(Moved::size), wrong(std::vector<int>{0});
  const Map       map = tma::make_descriptor<Moved>(tma::TensorView{static_cast<const int*>(data.get()), {16, 32}});
  const auto      to  = tma::make_descriptor<Moved>(tma::TensorView{data.get(), {16, 32}});
  tma::launch(store_and_load_again, {.grid = 1, .block = 96}, to, map, gpu::scaled(5000, 12), wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}
