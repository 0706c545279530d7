// Descriptors in global memory and in constant memory: what is read there is what was written last.
#include "transfer.hpp"

#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/prefetch.hpp>
#include <tma/host/descriptor_array.hpp>

#include <cstddef>

using tma::Shape;
using tma::Tile;

namespace {

using Moved = Tile<int, Shape<8, 32>>;
using Map   = transfer::ConstDescriptor<Moved>;
using Any   = tma::TmaDescriptor<const int, 2>;

static_assert(sizeof(Map) == 128 && sizeof(Any) == 192);

struct Room {
  Moved            tile;
  tma::LoadBarrier barrier;
};

template <class Slot> __global__ void load_slot(tma::DescriptorSlots<Slot> slots, int i, tma::Coord<2> at, int* out) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), at, tile, arrived);
  arrived.wait();
  for (int e = block.rank(); e < Moved::size; e += block.size()) out[e] = tile[e];
}

// Block i loads by slot i.
__global__ void load_each(tma::DescriptorSlots<Map> slots, int* out) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);
  const int i           = int(blockIdx.x);
  if (i >= slots.size()) return;
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), {0, 0}, tile, arrived);
  arrived.wait();
  for (int e = block.rank(); e < Moved::size; e += block.size()) out[i * Moved::size + e] = tile[e];
}

__constant__ Map in_constant[3];
__device__ Map   in_global;

// The first three from constant memory, where nothing is acquired; the last from a variable in global memory.
__global__ void load_variable(int i, int* out) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
    if (i < 3) {
      issuer.load(in_constant[i], {0, 0}, tile, arrived);
    } else {
      tma::acquire(in_global);
      issuer.load(in_global, {0, 0}, tile, arrived);
    }
  }
  arrived.wait();
  for (int e = block.rank(); e < Moved::size; e += block.size()) out[e] = tile[e];
}

struct Parameters {
  int  tag;
  Map  first;
  char odd[3];
  Map  more[2];
  int* out;
};

__global__ void load_members(const __grid_constant__ Parameters p) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
    issuer.prefetch_descriptor(p.first);
    for (const Map& map : p.more) issuer.prefetch_descriptor(map);
  }
  for (int i = 0; i < 3; ++i) {
    if (auto issuer = block.elect()) issuer.load(i == 0 ? p.first : p.more[i - 1], {0, 0}, tile, arrived);
    arrived.wait();
    if (block.rank() == 0) p.out[i] = tile[p.tag];
    block.release(tile);
  }
}

// Tensors of one tile each, full of their number.
struct Tensors {
  explicit Tensors(int count) : data(values(count)) {}
  static std::vector<int> values(int count) {
    std::vector<int> all(std::size_t(count) * Moved::size);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = int(i) / Moved::size;
    return all;
  }
  tma::TensorView<const int, 2> view(int k) const { return {data.get() + k * Moved::size, {8, 32}}; }
  Map                           map(int k) const { return tma::make_descriptor<Moved>(view(k)); }
  gpu::Array<int>               data;
};

// As a program without the library's help would: bytes, copied.
template <class Slot> struct Slots {
  static constexpr std::size_t step = tma::DescriptorSlots<Slot>::slot_bytes;
  explicit Slots(int n) : bytes(std::size_t(n) * step), count(n) {}
  tma::DescriptorSlots<Slot> get() const { return {reinterpret_cast<Slot*>(bytes.get()), count}; }
  void                       write(int i, const Slot& map) {
    gpu::require(cudaMemcpy(bytes.get() + std::size_t(i) * step, &map, sizeof map, cudaMemcpyHostToDevice), "write");
  }
  gpu::Array<unsigned char> bytes;
  int                       count;
};

bool all_are(const std::vector<int>& values, int expected) {
  for (int x : values)
    if (x != expected) return false;
  return true;
}

}  // namespace

TEST_CASE("a slot that the host overwrites between launches: always the newest") {
  Tensors         tensors(2);
  gpu::Array<int> out(Moved::size);
  Slots<Map>      slots(1);
  const Map       maps[] = {tensors.map(0), tensors.map(1)};
  for (int round = 0; round < gpu::scaled(1000, 20); ++round) {
    slots.write(0, maps[round % 2]);
    out.fill(0xee);
    tma::launch(load_slot<Map>, {.grid = 1, .block = 64}, slots.get(), 0, tma::Coord<2>{0, 0}, out.get());
    gpu::finish();
    INFO("round " << round);
    REQUIRE(all_are(out.download(), round % 2));
  }
}

TEST_CASE("an upload takes the bytes that are there, whatever is set, or freed, right after it") {
  const int       rounds = gpu::scaled(500, 12);
  Tensors         tensors(2);
  gpu::Array<int> out(std::size_t(rounds) * Moved::size);
  const Map       maps[] = {tensors.map(0), tensors.map(1)};
  for (int round = 0; round < rounds; ++round) {
    // Of a new array at times: its host memory goes at once, and its device memory when the work is done.
    tma::DescriptorArray<Map> array(64);
    array.set(63, maps[round % 2]);
    array.upload();
    array.set(63, maps[1 - round % 2]);
    array.set(0, {});
    tma::launch(load_slot<Map>, {.grid = 1, .block = 32}, array.slots(), 63, tma::Coord<2>{0, 0},
                out.get() + round * Moved::size);
  }
  gpu::finish();
  std::vector<int> found(std::size_t(rounds) * Moved::size);
  gpu::require(cudaMemcpy(found.data(), out.get(), found.size() * sizeof(int), cudaMemcpyDeviceToHost), "read");
  for (int round = 0; round < rounds; ++round) {
    INFO("round " << round);
    for (int i = 0; i < Moved::size; ++i) REQUIRE(found[std::size_t(round) * Moved::size + std::size_t(i)] == round % 2);
  }
}

TEST_CASE("the same where a copy of the stream overwrites it, and nobody waits between the launches") {
  const int       rounds = gpu::scaled(1000, 12);
  Tensors         tensors(2);
  gpu::Array<int> out(std::size_t(rounds) * Moved::size);
  Slots<Map>      slots(1), sources(2);
  sources.write(0, tensors.map(0));
  sources.write(1, tensors.map(1));
  for (int round = 0; round < rounds; ++round) {
    gpu::require(cudaMemcpyAsync(slots.bytes.get(), sources.bytes.get() + round % 2 * sizeof(Map), sizeof(Map),
                                 cudaMemcpyDeviceToDevice, nullptr),
                 "copy");
    tma::launch(load_slot<Map>, {.grid = 1, .block = 32}, slots.get(), 0, tma::Coord<2>{0, 0},
                out.get() + round * Moved::size);
  }
  gpu::finish();
  const auto h     = out.download();
  int        wrong = 0;
  for (std::size_t i = 0; i < h.size(); ++i) wrong += h[i] != int(i) / Moved::size % 2;
  CHECK(wrong == 0);
}

TEST_CASE("slots are neighbours and do not overlap") {
  Tensors         tensors(7);
  gpu::Array<int> out(7 * Moved::size);
  Slots<Map>      slots(7);
  for (int i : {3, 0, 6, 1, 5, 2, 4}) slots.write(i, tensors.map(i));
  tma::launch(load_each, {.grid = 9, .block = 64}, slots.get(), out.get());
  gpu::finish();
  CHECK(out.download() == Tensors::values(7));
}

TEST_CASE("slots of descriptors whose box is known at run time") {
  Tensors         tensors(5);
  gpu::Array<int> out(Moved::size);
  Slots<Any>      slots(5);
  for (int i = 0; i < 5; ++i) slots.write(i, tma::make_descriptor(tensors.view(i), {8, 32}));
  for (int i = 0; i < 5; ++i) {
    tma::launch(load_slot<Any>, {.grid = 1, .block = 64}, slots.get(), i, tma::Coord<2>{0, 0}, out.get());
    gpu::finish();
    CHECK(all_are(out.download(), i));
  }
}

TEST_CASE("an array of descriptors: set, uploaded whole and in part, set again at once") {
  Tensors                   tensors(6);
  gpu::Array<int>           out(5 * Moved::size);
  tma::DescriptorArray<Map> array(5);
  for (int i = 0; i < 5; ++i) array.set(i, tensors.map(4 - i));
  array.upload();
  for (int i = 0; i < 5; ++i) array.set(i, tensors.map(5));  // not uploaded, but for two
  array.upload(1, 2);
  tma::launch(load_each, {.grid = 5, .block = 64}, array.slots(), out.get());
  gpu::finish();
  const auto    h          = out.download();
  constexpr int expected[] = {4, 5, 5, 1, 0};
  for (int i = 0; i < 5; ++i) CHECK(all_are({h.begin() + i * Moved::size, h.begin() + (i + 1) * Moved::size}, expected[i]));
}

TEST_CASE("descriptors in constant memory, and a variable in global memory") {
  Tensors         tensors(4);
  gpu::Array<int> out(Moved::size);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 4; ++i) {
      const Map map = tensors.map((i + turn) % 4);
      if (i < 3) gpu::require(cudaMemcpyToSymbol(in_constant, &map, sizeof map, std::size_t(i) * sizeof map), "to constant");
      else gpu::require(cudaMemcpyToSymbol(in_global, &map, sizeof map), "to global");
    }
    for (int i = 0; i < 4; ++i) {
      tma::launch(load_variable, {.grid = 1, .block = 64}, i, out.get());
      gpu::finish();
      CHECK(all_are(out.download(), (i + turn) % 4));
    }
  }
}

TEST_CASE("descriptors among the members of a parameter lie where the engine can read them") {
  static_assert(offsetof(Parameters, first) % 64 == 0 && offsetof(Parameters, more) % 64 == 0);
  Tensors         tensors(3);
  gpu::Array<int> out(3);
  tma::launch(load_members, {.grid = 1, .block = 64},
              Parameters{17, tensors.map(2), {}, {tensors.map(1), tensors.map(0)}, out.get()});
  gpu::finish();
  CHECK(out.download() == std::vector<int>{2, 1, 0});
}
