// Faults of a tile and of what is copied into it: where it lies, and how the box of the descriptor lies in it.
#include "faults.hpp"

#include <tma/device/reduce.hpp>

using namespace faults;

namespace {

// --- a swizzled tile, placed by hand ---------------------------------------------------------------------------------

// Under the 128-byte swizzle the pattern repeats every 1024 bytes.
using Swizzled    = tma::Tile<int, tma::Shape<4, 32>, tma::Swizzle::bytes_128>;
using SwizzledMap = tma::TmaDescriptor<const int, 2, Swizzled>;
using SwizzledOut = tma::TmaDescriptor<int, 2, Swizzled>;

namespace by_hand {
struct Shared {
  Swizzled first;  // so that the bytes behind it begin at a multiple of 1024
  alignas(1024) unsigned char bytes[4096];
  tma::LoadBarrier barrier;
};

template <int Offset> __global__ void load(const __grid_constant__ SwizzledMap from, int* out) {
  auto& s               = tma::shared<Shared>();
  auto& tile            = *reinterpret_cast<Swizzled*>(s.bytes + Offset);
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);  // <by_hand.load>
  arrived.wait();
  for (int i = block.rank(); i < Swizzled::size; i += block.size()) out[i] = tile[i];
}

enum class How { store, reduce, batch };

template <int Offset, How What>
__global__ void other(const __grid_constant__ SwizzledMap from, const __grid_constant__ SwizzledOut to) {
  auto& s               = tma::shared<Shared>();
  auto& tile            = *reinterpret_cast<Swizzled*>(s.bytes + Offset);
  auto [block, arrived] = tma::this_block(s.barrier);
  if constexpr (What == How::batch) {
    if (auto issuer = block.elect()) {
      tma::LoadBatch batch(issuer, arrived);
      batch.load(from, {0, 0}, tile);  // <by_hand.batch>
    }
    arrived.wait();
  } else {
    for (auto& x : block.elements(tile)) x = 1;
    auto ready = block.publish(tile);
    if (auto issuer = block.elect()) {
      if constexpr (What == How::store) issuer.store(to, {0, 0}, ready);    // <by_hand.store>
      else issuer.template reduce<tma::Reduction::add>(to, {0, 0}, ready);  // <by_hand.reduce>
    }
  }
}

template <int Wrong> void launch_load(bool faulty) {
  Data       d;
  const auto from = tma::make_descriptor<Swizzled>(tma::TensorView{static_cast<const int*>(d.in.get()), {rows, columns}});
  tma::launch(faulty ? load<Wrong> : load<1024>, {.grid = 1, .block = 64}, from, d.out.get());
  if (faulty) return;
  gpu::finish();
  const auto in = d.in.download(), h = d.out.download();
  for (int i = 0; i < Swizzled::size; ++i) REQUIRE(h[std::size_t(i)] == in[std::size_t(i)]);
}
template <How What> void launch_other(bool faulty) {
  Data       d;
  const auto from = tma::make_descriptor<Swizzled>(tma::TensorView{static_cast<const int*>(d.in.get()), {rows, columns}});
  const auto to   = tma::make_descriptor<Swizzled>(tma::TensorView{d.out.get(), {rows, columns}});
  tma::launch(faulty ? other<512, What> : other<1024, What>, {.grid = 1, .block = 64}, from, to);
}
}  // namespace by_hand

#define TMA_TEST_SAYS "its swizzle repeats", "the tile does not lie as its type asks", "Fix: take it from tma::shared<T>()"

FAULT(by_hand_128, "a swizzled tile, placed by hand one row after a multiple of its pattern",
      .run = by_hand::launch_load<128>, .kind = Kind::rule, .says = {TMA_TEST_SAYS, "modulo alignof(Tile) (found 128)"},
      .lines = {"by_hand.load"})

FAULT(by_hand_512, "a swizzled tile, placed by hand in the middle of its pattern", .run = by_hand::launch_load<512>,
      .kind = Kind::rule, .says = {TMA_TEST_SAYS, "modulo alignof(Tile) (found 512)"}, .lines = {"by_hand.load"})

FAULT(by_hand_batch, "the same in a batch", .run = by_hand::launch_other<by_hand::How::batch>, .kind = Kind::rule,
      .says = {TMA_TEST_SAYS, "(found 512)"}, .lines = {"by_hand.batch"})

FAULT(by_hand_store, "a swizzled tile, placed by hand and stored", .run = by_hand::launch_other<by_hand::How::store>,
      .kind = Kind::rule, .says = {TMA_TEST_SAYS, "(found 512)"}, .lines = {"by_hand.store"})

FAULT(by_hand_reduce, "a swizzled tile, placed by hand and reduced from", .run = by_hand::launch_other<by_hand::How::reduce>,
      .kind = Kind::rule, .says = {TMA_TEST_SAYS, "(found 512)"}, .lines = {"by_hand.reduce"})

// --- a box of run time -------------------------------------------------------------------------------------------------

namespace any_box {
template <int Rank> using Any = tma::TmaDescriptor<const int, Rank>;

template <class TileT, int Rank> __global__ void load(const __grid_constant__ Any<Rank> from, int* out) {
  struct Shared {
    TileT            tile, behind;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(from, tma::Coord<Rank>{}, s.tile, arrived);  // <any_box.load>
  arrived.wait();
  if (block.rank() == 0) out[0] = s.tile[0];
}

template <class TileT, tma::Swizzle Mode, int... Box> void launch(bool faulty) {
  constexpr int Rank = sizeof...(Box);
  Data          d;
  const auto    make = [&](tma::Swizzle swizzle, auto... box) {
    if constexpr (Rank == 2)
      return tma::make_descriptor(tma::TensorView{static_cast<const int*>(d.in.get()), {rows, columns}}, {box...}, swizzle);
    else
      return tma::make_descriptor(tma::TensorView{static_cast<const int*>(d.in.get()), {4, rows / 4, columns}}, {box...},
                                  swizzle);
  };
  // The right box is the tile, or part of it.
  const auto right = [&] {
    if constexpr (Rank == 2) return make(TileT::swizzle, TileT::shape::extents[0] / 2, TileT::row_elements);
    else return make(TileT::swizzle, 1, TileT::shape::extents[1], TileT::row_elements);
  };
  tma::launch(load<TileT, Rank>, {.grid = 1, .block = 64}, faulty ? make(Mode, Box...) : right(), d.out.get());
}
}  // namespace any_box

FAULT(shorter_rows, "a box of run time with shorter rows than the tile's",
      .run = any_box::launch<Tile, tma::Swizzle::none, 4, 16>, .kind = Kind::rule,
      .says = {"a row of the descriptor's box must be as long as a row of the tile", "Fix: make the descriptor with rows of",
               "bytes of the box's row (found 64)"},
      .lines = {"any_box.load"})

using Narrow = tma::Tile<int, tma::Shape<8, 16>>;
FAULT(longer_rows, "a box of run time with longer rows than the tile's",
      .run = any_box::launch<Narrow, tma::Swizzle::none, 4, 32>, .kind = Kind::rule,
      .says  = {"a row of the descriptor's box must be as long as a row of the tile", "(found 128)"},
      .lines = {"any_box.load"})

using Cube = tma::Tile<int, tma::Shape<2, 4, 32>>;
FAULT(other_planes, "a box of run time with other planes than the tile's",
      .run = any_box::launch<Cube, tma::Swizzle::none, 2, 2, 32>, .kind = Kind::rule,
      .says  = {"the tile's extents in every dimension but the first", "in the dimension that differs (found 2)"},
      .lines = {"any_box.load"})

FAULT(other_swizzle, "a box of run time with another swizzle than the tile's",
      .run = any_box::launch<Tile, tma::Swizzle::bytes_128, 4, 32>, .kind = Kind::rule,
      .says  = {"the descriptor's swizzle must be the tile's", "Fix: tma::make_descriptor(view, box, Tile::swizzle)",
                "(found 3)"},
      .lines = {"any_box.load"})

FAULT(more_rows, "a box of run time with more rows than the tile's", .run = any_box::launch<Tile, tma::Swizzle::none, 8, 32>,
      .kind  = Kind::rule,
      .says  = {"the box must fit the tile", "Fix: use a larger tile", "bytes the box needs (found 1024)"},
      .lines = {"any_box.load"})

// A row narrower than the swizzle is as long in shared memory as a whole one.
TEST_CASE("boxes of run time that the tile takes") {
  const auto clean = [](auto launch) {
    const auto result = tma::machine::explore({.schedules = 5}, [&] { launch(true); });
    INFO(result.text());
    CHECK(result.clean());
  };
  clean(any_box::launch<Swizzled, tma::Swizzle::bytes_128, 4, 16>);
  clean(any_box::launch<Tile, tma::Swizzle::none, 1, 16>);                                     // one row of a tile
  clean(any_box::launch<tma::Tile<int, tma::Shape<256>>, tma::Swizzle::none, 4, 16>);          // room for any
  clean(any_box::launch<tma::Tile<int, tma::Shape<1, 4, 32>>, tma::Swizzle::none, 4, 16>);     // so is another rank
  clean(any_box::launch<tma::Tile<int, tma::Shape<2, 4, 32>>, tma::Swizzle::none, 1, 2, 32>);  // one plane
}

}  // namespace
