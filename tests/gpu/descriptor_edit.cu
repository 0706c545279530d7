// Descriptors edited by kernels: every field against what the driver encodes, and edits raced against the copies that use
// what is edited.
#include "transfer.hpp"

#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/edit.hpp>

using tma::Shape;
using tma::Swizzle;
using tma::Tile;

namespace {

using transfer::ConstDescriptor, transfer::Descriptor;

template <int R> struct Numbers {
  long long of[R];
};
template <int R> struct Small {
  int of[R];
};

template <int R> Numbers<R> extents_of(const reference::Tensor<R>& t) {
  Numbers<R> n;
  for (int d = 0; d < R; ++d) n.of[d] = t.extent[d];
  return n;
}
template <int R> Numbers<R> strides_of(const reference::Tensor<R>& t) {
  Numbers<R> n;
  for (int d = 0; d < R; ++d) n.of[d] = t.stride[d];
  return n;
}

// Slots of descriptors. Read without `download`: the bytes of a map are not the same on every machine.
template <class Map> class Slots {
  static constexpr std::size_t bytes = tma::DescriptorSlots<Map>::slot_bytes;

public:
  explicit Slots(int count) : bytes_(std::size_t(count) * bytes), count_(count) {}
  tma::DescriptorSlots<Map> get() const { return {reinterpret_cast<Map*>(bytes_.get()), count_}; }
  void                      write(int i, const Map& map) {
    gpu::require(cudaMemcpy(bytes_.get() + std::size_t(i) * bytes, &map, sizeof map, cudaMemcpyHostToDevice), "write");
  }
  // Whether the 128 bytes of slot i are those of `map`; what differs is told. Words 8 and 9 are the driver's notes of the size of
  // a box and of its swizzle: no instruction writes them, and no copy depends on them.
  bool holds(int i, const Map& map) const {
    unsigned long long found[16], expected[16];
    gpu::require(cudaMemcpy(found, bytes_.get() + std::size_t(i) * bytes, 128, cudaMemcpyDeviceToHost), "read");
    std::memcpy(expected, tma::tensor_map(map), 128);
    bool same = true;
    for (int w = 0; w < 16; ++w)
      if (found[w] != expected[w] && w != 8 && w != 9) {
        std::printf("word %d of the map: %016llx, the driver's is %016llx\n", w, found[w], expected[w]);
        same = false;
      }
    return same;
  }

private:
  gpu::Array<unsigned char> bytes_;
  int                       count_;
};

// --- kernels: what is edited, then a load through it ---

template <class Map> struct Room {
  tma::DescriptorScratch<Map> scratch;
  typename Map::tile_type     tile;
  tma::LoadBarrier            barrier;
};

template <class Map, class Block, class Phase>
__device__ void load_slot(const Block& block, Phase& arrived, tma::DescriptorSlots<Map> slots, int i,
                          typename Map::tile_type& tile, tma::Coord<Map::rank> at, auto* out) {
  block.sync();
  if (auto issuer = block.elect()) {
    const auto& map = tma::acquire<tma::Scope::device>(slots, i);
    issuer.load(map, at, tile, arrived);
  }
  arrived.wait();
  for (int e = block.rank(); e < Map::tile_type::size; e += block.size()) out[e] = tile[e];
}

// All that a tensor has, by a copy in shared memory or in the slot itself.
template <class Map, bool InPlace>
__global__ void give_tensor(const __grid_constant__ Map pattern, tma::DescriptorSlots<Map> slots,
                            typename Map::value_type* data, Numbers<Map::rank> extents, Numbers<Map::rank> strides,
                            tma::Coord<Map::rank> at, std::remove_const_t<typename Map::value_type>* out) {
  auto& [scratch, tile, barrier] = tma::shared<Room<Map>>();
  auto [block, arrived]          = tma::this_block(barrier);
  if (block.rank() < 32) {
    if constexpr (InPlace) {
      tma::edit(slots, 1, tma::no_copy_uses_it()).address(data).extents(extents.of).strides(strides.of).publish();
    } else {
      auto edit = tma::edit(scratch, pattern);
      edit.address(data).extents(extents.of).strides(strides.of);
      edit.publish(slots, 1, tma::no_copy_uses_it());
    }
  }
  load_slot(block, arrived, slots, 1, tile, at, out);
}

// The same of a descriptor that was one of another kind.
template <class Map, class Source>
__global__ void describe_tensor(const __grid_constant__ Source source, tma::DescriptorSlots<Map> slots,
                                typename Map::value_type* data, Numbers<Map::rank> extents, Numbers<Map::rank> strides,
                                tma::Coord<Map::rank> at, std::remove_const_t<typename Map::value_type>* out) {
  auto& [scratch, tile, barrier] = tma::shared<Room<Map>>();
  auto [block, arrived]          = tma::this_block(barrier);
  if (block.rank() < 32)
    tma::describe(scratch, source, data, extents.of, strides.of).publish(slots, 0, tma::no_copy_uses_it());
  load_slot(block, arrived, slots, 0, tile, at, out);
}

template <class Map, tma::Fill Outside>
__global__ void give_options(const __grid_constant__ Map pattern, tma::DescriptorSlots<Map> slots, Small<Map::rank> every,
                             tma::Coord<Map::rank> at, std::remove_const_t<typename Map::value_type>* out) {
  auto& [scratch, tile, barrier] = tma::shared<Room<Map>>();
  auto [block, arrived]          = tma::this_block(barrier);
  if (block.rank() < 32) {
    auto edit = tma::edit(scratch, pattern);
    edit.element_strides(every.of).template fill<Outside>().publish(slots, 0, tma::no_copy_uses_it());
  }
  load_slot(block, arrived, slots, 0, tile, at, out);
}

template <class Map, tma::Interleave Layout>
__global__ void give_layout(const __grid_constant__ Map pattern, tma::DescriptorSlots<Map> slots) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  tma::edit(scratch, pattern).template interleave<Layout>().publish(slots, 0, tma::no_copy_uses_it());
}

}  // namespace

// --- against the driver ---

namespace {

template <class Tile> void check_tensor(std::uint64_t seed) {
  using T   = typename Tile::value_type;
  using Map = ConstDescriptor<Tile>;
  gpu::Random                         random(seed);
  const reference::Tensor<Tile::rank> first = transfer::tensor_for<Tile>(random);
  const auto                          data  = gpu::random_values<T>(4 * first.span() + 4096, seed);
  gpu::Array<T>                       array(data), out(Tile::size);
  const auto pattern = tma::make_descriptor<Tile>(transfer::view_of(static_cast<const T*>(array.get()), first));
  Slots<Map> slots(2);
  for (int n = 0; n < gpu::scaled(8, 2); ++n) {
    auto t = first;
    for (int d = 0; d < Tile::rank - 1; ++d) t.extent[d] = 2 + random.below(int(first.extent[d]) - 1);
    if (Tile::rank > 1) t.stride[0] += 16 * random.below(4);
    const std::size_t    piece  = 16 / sizeof(T);
    const std::size_t    offset = piece * std::size_t(random.below(64));
    const T* const       begin  = array.get() + offset;
    const auto           at     = transfer::position<Tile>(random, t, false);
    const std::vector<T> tail(data.begin() + std::ptrdiff_t(offset), data.end());
    const auto           made = tma::make_descriptor<Tile>(transfer::view_of(begin, t));
    for (bool in_place : {false, true}) {
      INFO("rank " << Tile::rank << ", seed " << seed << ", in place " << in_place);
      slots.write(1, pattern);
      out.fill(0xee);
      tma::launch(in_place ? give_tensor<Map, true> : give_tensor<Map, false>, {.grid = 1, .block = 64}, pattern,
                  slots.get(), begin, extents_of(t), strides_of(t), at, out.get());
      gpu::finish();
      REQUIRE(transfer::same_bits(out.download(), reference::load<Tile>(tail, t, at)));
      CHECK(slots.holds(1, made));
    }
  }
}

using Pattern = Tile<float, Shape<8, 32>>;

// In the machine's maps they are nothing at all.
#if defined(TMA_MACHINE)
constexpr bool unused_dimensions_are_one_element = false;
#else
constexpr bool unused_dimensions_are_one_element = true;
#endif

// Out of a descriptor of two dimensions of floats, one of anything.
template <class Tile> void check_described(std::uint64_t seed) {
  using T   = typename Tile::value_type;
  using Map = ConstDescriptor<Tile>;
  gpu::Random       random(seed);
  const auto        t    = transfer::tensor_for<Tile>(random);
  const auto        data = gpu::random_values<T>(t.span() + 64, seed);
  gpu::Array<T>     array(data), out(Tile::size);
  gpu::Array<float> other(4096);
  const auto        source = tma::make_descriptor<Pattern>(tma::TensorView{static_cast<const float*>(other.get()), {64, 64}},
                                                           {.fill = tma::Fill::nan, .element_strides = {3, 1}});
  const auto        made   = tma::make_descriptor<Tile>(transfer::view_of(static_cast<const T*>(array.get()), t));
  Slots<Map>        slots(1);
  for (int n = 0; n < gpu::scaled(4, 1); ++n) {
    const auto at = transfer::position<Tile>(random, t, false);
    out.fill(0xee);
    tma::launch(describe_tensor<Map, ConstDescriptor<Pattern>>, {.grid = 1, .block = 64}, source, slots.get(),
                static_cast<const T*>(array.get()), extents_of(t), strides_of(t), at, out.get());
    gpu::finish();
    INFO(tma::element_name(Tile::type) << ", rank " << Tile::rank << ", swizzle " << int(Tile::swizzle));
    REQUIRE(transfer::same_bits(out.download(), reference::load<Tile>(data, t, at)));
    if (unused_dimensions_are_one_element || Tile::rank >= Pattern::rank) CHECK(slots.holds(0, made));
  }
}

}  // namespace

TEST_CASE("address, extents and strides of every rank, in a copy and in place") {
  check_tensor<Tile<float, Shape<64>>>(1);
  check_tensor<Tile<float, Shape<8, 32>>>(2);
  check_tensor<Tile<unsigned short, Shape<5, 3, 24>>>(3);
  check_tensor<Tile<unsigned char, Shape<2, 3, 5, 48>>>(4);
  check_tensor<Tile<double, Shape<2, 1, 3, 2, 6>>>(5);
  check_tensor<Tile<float, Shape<9, 12>, Swizzle::bytes_64>>(6);
  check_tensor<Tile<unsigned short, Shape<4, 6, 64>, Swizzle::bytes_128>>(7);
}

TEST_CASE("a descriptor of another kind: element type, rank, box and swizzle") {
  check_described<Tile<unsigned char, Shape<3, 5, 16>>>(1);
  check_described<Tile<unsigned short, Shape<40>>>(2);
  check_described<Tile<unsigned int, Shape<7, 12>>>(3);
  check_described<Tile<int, Shape<2, 3, 4, 8>, Swizzle::bytes_32>>(4);
  check_described<Tile<unsigned long long, Shape<3, 8>, Swizzle::bytes_64>>(5);
  check_described<Tile<long long, Shape<2, 1, 3, 2, 6>>>(6);
  check_described<Tile<float, Shape<16, 32>, Swizzle::bytes_128>>(7);
  check_described<Tile<double, Shape<5, 4>>>(8);
}

TEST_CASE("element strides widen the box; the tile keeps its shape") {
  using T   = Tile<unsigned short, Shape<4, 3, 64>>;
  using Map = ConstDescriptor<T>;
  const reference::Tensor<3> t{{30, 20, 64}, {20 * 64, 64, 1}};
  const auto                 data = gpu::random_values<unsigned short>(t.span(), 4);
  gpu::Array<unsigned short> in(data), out(T::size);
  const auto                 view    = transfer::view_of(static_cast<const unsigned short*>(in.get()), t);
  const auto                 pattern = tma::make_descriptor<T>(view);
  Slots<Map>                 slots(1);
  for (int a : {1, 2, 8})
    for (int b : {1, 5}) {
      const int strides[] = {a, b, 1};
      for (tma::Coord<3> at : {tma::Coord<3>{0, 0, 0}, tma::Coord<3>{-4, 3, 8}, tma::Coord<3>{20, 15, 0}}) {
        tma::launch(give_options<Map, tma::Fill::zero>, {.grid = 1, .block = 64}, pattern, slots.get(), Small<3>{{a, b, 1}},
                    at, out.get());
        gpu::finish();
        INFO("strides " << a << ", " << b << " at " << at[0]);
        REQUIRE(transfer::same_bits(out.download(), reference::load<T>(data, t, at, strides)));
        CHECK(slots.holds(0, tma::make_descriptor<T>(view, {.element_strides = {a, b, 1}})));
      }
    }
}

TEST_CASE("the NaN fill") {
  using T                = Tile<float, Shape<8, 64>>;
  using Map              = ConstDescriptor<T>;
  const auto        data = gpu::random_values<float>(5 * 64, 4);
  gpu::Array<float> in(data), out(T::size);
  const auto        view    = tma::TensorView{static_cast<const float*>(in.get()), {5, 60}, {64, 1}};
  const auto        pattern = tma::make_descriptor<T>(view);
  Slots<Map>        slots(1);
  tma::launch(give_options<Map, tma::Fill::nan>, {.grid = 1, .block = 64}, pattern, slots.get(), Small<2>{{1, 1}},
              tma::Coord<2>{0, 0}, out.get());
  gpu::finish();
  const auto h = out.download();
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 64; ++c) {
      if (r < 5 && c < 60) REQUIRE(h[r * 64 + c] == data[r * 64 + c]);
      else REQUIRE(h[r * 64 + c] != h[r * 64 + c]);
    }
  CHECK(slots.holds(0, tma::make_descriptor<T>(view, {.fill = tma::Fill::nan})));
}

TEST_CASE("interleaved layouts") {
  gpu::Array<unsigned short> in(std::size_t(1) << 16);
  using T3                         = Tile<unsigned short, Shape<4, 8, 8>>;
  using T5                         = Tile<unsigned short, Shape<1, 16, 2, 2, 16>, Swizzle::bytes_32>;
  const auto                 view3 = tma::TensorView{static_cast<const unsigned short*>(in.get()), {16, 16, 8}};
  const auto                 view5 = tma::TensorView{static_cast<const unsigned short*>(in.get()), {2, 2, 16, 16, 16}};
  Slots<ConstDescriptor<T3>> three(1);
  Slots<ConstDescriptor<T5>> five(1);
  tma::launch(give_layout<ConstDescriptor<T3>, tma::Interleave::bytes_16>, {.grid = 1, .block = 32},
              tma::make_descriptor<T3>(view3), three.get());
  tma::launch(give_layout<ConstDescriptor<T5>, tma::Interleave::bytes_32>, {.grid = 1, .block = 32},
              tma::make_descriptor<T5>(view5), five.get());
  gpu::finish();
  CHECK(three.holds(0, tma::make_descriptor<T3>(view3, {.interleave = tma::Interleave::bytes_16})));
  CHECK(five.holds(0, tma::make_descriptor<T5>(view5, {.interleave = tma::Interleave::bytes_32})));
}

// --- a box that is known at run time ---

namespace {

using Any    = tma::TmaDescriptor<const float, 2>;
using Widest = Tile<float, Shape<32, 16>, Swizzle::bytes_64>;

__global__ void give_box(const __grid_constant__ Any pattern, tma::DescriptorSlots<Any> slots, Small<2> box, int* sizes,
                         float* out) {
  struct Shared {
    tma::DescriptorScratch<Any> scratch;
    Widest                      tile;
    tma::LoadBarrier            barrier;
  };
  auto& [scratch, tile, barrier] = tma::shared<Shared>();
  auto [block, arrived]          = tma::this_block(barrier);
  if (block.rank() < 32)
    tma::edit(scratch, pattern).swizzle<Swizzle::bytes_64>().box(box.of).publish(slots, 0, tma::no_copy_uses_it());
  block.sync();
  const auto& map = tma::acquire<tma::Scope::device>(slots, 0);
  if (auto issuer = block.elect()) issuer.load(map, {3, 16}, tile, arrived);
  arrived.wait();
  if (block.rank() == 0) sizes[0] = map.payload_bytes(), sizes[1] = map.footprint_bytes();
  for (int i = block.rank(); i < box.of[0] * box.of[1]; i += block.size()) out[i] = tile(i / box.of[1], i % box.of[1]);
}

}  // namespace

TEST_CASE("a run-time box and swizzle, and the bytes that barriers count") {
  const auto        data = gpu::random_values<float>(64 * 64, 4);
  gpu::Array<float> in(data), out(1024);
  gpu::Array<int>   sizes(2);
  const auto        view    = tma::TensorView{static_cast<const float*>(in.get()), {64, 64}};
  const auto        pattern = tma::make_descriptor(view, {2, 4});
  Slots<Any>        slots(1);
  for (int rows : {1, 5, 32})
    for (int columns : {4, 12, 16}) {
      tma::launch(give_box, {.grid = 1, .block = 64}, pattern, slots.get(), Small<2>{{rows, columns}}, sizes.get(),
                  out.get());
      gpu::finish();
      CHECK(sizes.download() == std::vector<int>{rows * columns * 4, rows * 64});
      const auto h = out.download();
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) REQUIRE(h[r * columns + c] == data[(3 + r) * 64 + 16 + c]);
      CHECK(slots.holds(0, tma::make_descriptor(view, {rows, columns}, Swizzle::bytes_64)));
    }
}

// --- races: each round another tensor, whose elements say which ---

namespace {

using Raced    = Tile<int, Shape<16, 32>>;
using RacedMap = ConstDescriptor<Raced>;

constexpr int tensors = 12, maps = 8;

// Tensor k is full of k.
std::vector<int> numbered_tensors() {
  std::vector<int> all(tensors * Raced::size);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = int(i) / Raced::size;
  return all;
}

template <class Block> __device__ void count_wrong(const Block& block, const Raced& tile, int expected, int* wrong) {
  int mine = 0;
  for (int x : block.elements(tile)) mine += x != expected;
  if (mine > 0) atomicAdd(wrong, mine);
}

// One warp edits map i, another issues loads through it and its neighbour.
__global__ void edit_beside(const __grid_constant__ RacedMap pattern, tma::DescriptorSlots<RacedMap> slots, const int* data,
                            int rounds, bool in_place, int* wrong) {
  struct Shared {
    tma::DescriptorScratch<RacedMap> scratch;
    Raced                            tile, neighbour;
    tma::LoadBarrier                 barrier;
  };
  auto& [scratch, tile, neighbour, barrier] = tma::shared<Shared>();
  auto [block, arrived]                     = tma::this_block(barrier);
  if (block.rank() >= 32 && block.rank() < 64) {
    auto edit = tma::edit(scratch, pattern);
    for (int i = 0; i < maps; ++i) edit.address(data + i * Raced::size).publish(slots, i, tma::no_copy_uses_it());
  }
  int now[maps];
  for (int i = 0; i < maps; ++i) now[i] = i;
  auto drained = tma::drain(block);
  for (int round = 0; round < rounds; ++round) {
    const int i = round % maps, next = (round + 1) % maps, tensor = (round * 5 + 3) % tensors;
    if (block.rank() >= 32 && block.rank() < 64) {
      if (in_place) {
        tma::edit(slots, i, drained).address(data + tensor * Raced::size).publish();
      } else {
        tma::edit(scratch, pattern).address(data + tensor * Raced::size).publish(slots, i, drained);
      }
    }
    for (int k = 0; k < maps; ++k) now[k] = k == i ? tensor : now[k];
    int beside = 0;
    for (int k = 0; k < maps; ++k) beside = k == next ? now[k] : beside;
    block.sync();
    if (auto issuer = block.elect()) {
      const auto&    map = tma::acquire<tma::Scope::device>(slots, i);
      const auto&    nxt = tma::acquire<tma::Scope::device>(slots, next);
      tma::LoadBatch batch(issuer, arrived);
      batch.load(map, {0, 0}, tile).load(nxt, {0, 0}, neighbour);
    }
    arrived.wait();
    count_wrong(block, tile, tensor, wrong);
    count_wrong(block, neighbour, beside, wrong);
    block.release(tile);
    drained = tma::drain(block);
  }
}

// The slot changes while loads through it are under way whose data nobody has waited for: drained, they have read the old
// map.
__global__ void edit_under_loads(const __grid_constant__ RacedMap pattern, tma::DescriptorSlots<RacedMap> slots,
                                 const int* data, int rounds, int* wrong) {
  struct Shared {
    tma::DescriptorScratch<RacedMap> scratch;
    Raced                            tiles[8];
    tma::LoadBarrier                 barrier;
  };
  auto& [scratch, tiles, barrier] = tma::shared<Shared>();
  auto [block, arrived]           = tma::this_block(barrier);
  if (block.rank() >= 32) tma::edit(scratch, pattern).address(data).publish(slots, 0, tma::no_copy_uses_it());
  block.sync();
  int tensor = 0;
  for (int round = 0; round < rounds; ++round) {
    if (auto issuer = block.elect()) {
      const auto&    map = tma::acquire<tma::Scope::device>(slots, 0);
      tma::LoadBatch batch(issuer, arrived);
      for (Raced& tile : tiles) batch.load(map, {0, 0}, tile);
    }
    const auto drained = tma::drain(block);
    const int  next    = (tensor * 7 + 5) % tensors;
    if (block.rank() >= 32) tma::edit(scratch, pattern).address(data + next * Raced::size).publish(slots, 0, drained);
    arrived.wait();
    for (const Raced& tile : tiles) count_wrong(block, tile, tensor, wrong);
    block.release(tiles);
    tensor = next;
  }
}

// Block 0 edits, block 1 loads; two counters in global memory take turns.
__global__ void edit_in_another_block(const __grid_constant__ RacedMap pattern, tma::DescriptorSlots<RacedMap> slots,
                                      const int* data, int rounds, int* turns, int* wrong) {
  struct Shared {
    tma::DescriptorScratch<RacedMap> scratch;
    Raced                            tile;
    tma::LoadBarrier                 barrier;
  };
  auto& [scratch, tile, barrier] = tma::shared<Shared>();
  auto [block, arrived]          = tma::this_block(barrier);
  if (blockIdx.x == 0) {
    if (block.rank() >= 32) return;
    for (int round = 0; round < rounds; ++round) {
      if (block.rank() == 0) {
        while (atomicAdd(&turns[1], 0) < round) {}
        __threadfence();
      }
      __syncwarp();
      tma::edit(scratch, pattern)
          .address(data + (round * 5 + 3) % tensors * Raced::size)
          .publish(slots, 0, tma::no_copy_uses_it());  // the other block has drained before its turn ended
      if (block.rank() == 0) {
        __threadfence();
        atomicExch(&turns[0], round + 1);
      }
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      if (auto issuer = block.elect()) {
        while (atomicAdd(&turns[0], 0) < round + 1) {}
        __threadfence();
        const auto& map = tma::acquire<tma::Scope::device>(slots, 0);
        issuer.load(map, {0, 0}, tile, arrived);
      }
      arrived.wait();
      count_wrong(block, tile, (round * 5 + 3) % tensors, wrong);
      block.release(tile);
      [[maybe_unused]] const auto drained = tma::drain(block);
      if (block.rank() == 0) {
        __threadfence();
        atomicExch(&turns[1], round + 1);
      }
    }
  }
}

// Each round is stored to another tensor through the one slot.
__global__ void edit_between_stores(const __grid_constant__ Descriptor<Raced> pattern,
                                    tma::DescriptorSlots<Descriptor<Raced>> slots, int* data, int rounds) {
  struct Shared {
    tma::DescriptorScratch<Descriptor<Raced>> scratch;
    Raced                                     tiles[2];
  };
  auto& [scratch, tiles] = tma::shared<Shared>();
  auto block             = tma::this_block();
  for (int round = 0; round < rounds; ++round) {
    const auto drained = tma::drain(block);
    if (block.rank() >= 32)
      tma::edit(scratch, pattern).address(data + round % tensors * Raced::size).publish(slots, 0, drained);
    for (Raced& tile : tiles)
      for (int& x : block.elements(tile)) x = round;
    auto [first, second] = block.publish(tiles[0], tiles[1]);
    if (auto issuer = block.elect()) {
      const auto&     map = tma::acquire<tma::Scope::device>(slots, 0);
      tma::StoreGroup stores(issuer);
      stores.store(map, {0, 0}, first).store(map, {8, 0}, second);  // the second ends outside the tensor
    }
  }
}

struct Race {
  gpu::Array<int> data{numbered_tensors()}, wrong{std::vector<int>{0}}, turns{std::vector<int>{0, 0}};
  RacedMap        pattern =
      tma::make_descriptor<Raced>(tma::TensorView{static_cast<const int*>(data.get()), {Raced::shape::extents[0], 32}});
  Slots<RacedMap> slots{maps};
};

}  // namespace

TEST_CASE(
    "one warp edits the address of one map of eight, another loads through it and its neighbour, every time the newest") {
  for (bool in_place : {false, true}) {
    Race race;
    tma::launch(edit_beside, {.grid = 1, .block = 96}, race.pattern, race.slots.get(),
                static_cast<const int*>(race.data.get()), gpu::scaled(1000, 24), in_place, race.wrong.get());
    gpu::finish();
    INFO("in place " << in_place);
    CHECK(race.wrong.download()[0] == 0);
  }
}

TEST_CASE("an edit under loads whose data nobody has waited for, drained") {
  Race race;
  tma::launch(edit_under_loads, {.grid = 1, .block = 64}, race.pattern, race.slots.get(),
              static_cast<const int*>(race.data.get()), gpu::scaled(1000, 16), race.wrong.get());
  gpu::finish();
  CHECK(race.wrong.download()[0] == 0);
}

TEST_CASE("one block edits, another loads, by turns") {
  Race race;
  tma::launch(edit_in_another_block, {.grid = 2, .block = 64}, race.pattern, race.slots.get(),
              static_cast<const int*>(race.data.get()), gpu::scaled(1000, 12), race.turns.get(), race.wrong.get());
  gpu::finish();
  CHECK(race.wrong.download()[0] == 0);
}

TEST_CASE("stores through a slot go where it points when they are issued") {
  const int                rounds = gpu::scaled(1000, 30);
  gpu::Array<int>          data(std::vector<int>(tensors * Raced::size, -1));
  const auto               pattern = tma::make_descriptor<Raced>(tma::TensorView{data.get(), {16, 32}});
  Slots<Descriptor<Raced>> slots(1);
  tma::launch(edit_between_stores, {.grid = 1, .block = 64}, pattern, slots.get(), data.get(), rounds);
  gpu::finish();
  const auto h     = data.download();
  int        wrong = 0;
  for (int i = 0; i < int(h.size()); ++i) {
    const int tensor = i / Raced::size;
    wrong += h[i] != (rounds - 1 - tensor) / tensors * tensors + tensor;
  }
  CHECK(wrong == 0);
}

// Strides that are written and never used: dimensions of extent 1.
TEST_CASE("the stride of a dimension of extent 1 is anything, in an edit as well") {
  using Row              = Tile<float, Shape<1, 1, 32>>;
  using Map              = ConstDescriptor<Row>;
  const auto        data = gpu::random_values<float>(256, 3);
  gpu::Array<float> array(data), out(Row::size);
  const float*      first   = array.get();
  const auto        pattern = tma::make_descriptor<Row>(tma::TensorView{first, {2, 2, 64}});
  Slots<Map>        slots(2);
  for (const long long stride : {0ll, 64ll, 5ll, 1ll, -4ll, 1ll << 40, -(1ll << 50)})
    for (const bool outer : {false, true})
      for (const int in_place : {0, 1, 2}) {
        const Numbers<3> extents = {{outer ? 1 : 2, outer ? 2 : 1, 64}},
                         strides = {{outer ? stride : 64, outer ? 64 : stride, 1}};
        INFO("stride " << stride << ", outer " << outer << ", way " << in_place);
        out.fill(0xee);
        slots.write(1, pattern);
        const tma::Coord<3> at = {outer ? 0 : 1, outer ? 1 : 0, 32};
        if (in_place == 2)
          tma::launch(describe_tensor<Map, Map>, {.grid = 1, .block = 64}, pattern, slots.get(), first, extents, strides, at,
                      out.get());
        else
          tma::launch(in_place ? give_tensor<Map, true> : give_tensor<Map, false>, {.grid = 1, .block = 64}, pattern,
                      slots.get(), first, extents, strides, at, out.get());
        gpu::finish();
        float found[32];
        gpu::require(cudaMemcpy(found, out.get(), sizeof found, cudaMemcpyDeviceToHost), "read");
        for (int i = 0; i < 32; ++i) REQUIRE(found[i] == data[std::size_t(96 + i)]);
      }
}
