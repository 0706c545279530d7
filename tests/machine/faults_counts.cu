// Counts that are wrong, and counts of 64 bits that are right: what 32 bits would have cut.
#include "faults.hpp"

#include <tma/core/grouped_raster.hpp>
#include <tma/pipeline/in_place.hpp>
#include <tma/pipeline/static_tiles.hpp>

using namespace faults;

namespace {

// A loop of 2^32 + 3 steps reaches its sixth, which ends it here.
constexpr long long large = (1ll << 32) + 3;

namespace for_each_of_64_bits {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(
      Faulty ? large : 3ll, [&](auto load, auto i) { load(from, {int(i % 8) * 4, 0}); },
      [&](const Tile& tile, auto i) {
        tma::detail::check(i < 5, "a step was reached", i);
        out[i * 64 + threadIdx.x] = tile[threadIdx.x];
      });
}
}  // namespace for_each_of_64_bits

FAULT(for_each_of_64_bits, "2^32 + 3 steps are more than 3",
      .run = run<for_each_of_64_bits::kernel<true>, for_each_of_64_bits::kernel<false>>, .kind = Kind::rule,
      .says = {"a step was reached", "found 5"})

namespace in_place_of_64_bits {
using Pipe = tma::InPlacePipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, const __grid_constant__ Out to) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(
      Faulty ? large : 3ll, [&](auto load, auto i) { load(from, {int(i % 8) * 4, 0}); },
      [&](Tile& tile, auto i) {
        tma::detail::check(i < 5, "a step was reached", i);
        ++tile[threadIdx.x];
      },
      [&](auto store, auto i) { store(to, {int(i % 8) * 4, 0}); });
}
}  // namespace in_place_of_64_bits

FAULT(in_place_of_64_bits, "2^32 + 3 steps in place are more than 3",
      .run = run<in_place_of_64_bits::kernel<true>, in_place_of_64_bits::kernel<false>>, .kind = Kind::rule,
      .says = {"a step was reached", "found 5"})

template <class Count, Count N> __global__ void tiles_of(int* out) {
  for (const auto tile : tma::StaticTiles(N)) out[tile % 8 * 64 + threadIdx.x] = 1;
}

FAULT(tiles_without_sign, "a 32-bit count that went below zero", .run = run<tiles_of<unsigned, ~0u>, tiles_of<unsigned, 5>>,
      .kind = Kind::rule, .says = {"a count without sign must be at most 2^31 - 1", "found 4294967295"})

FAULT(tiles_without_sign_of_64_bits, "a 64-bit count that went below zero",
      .run = run<tiles_of<unsigned long, ~0ul>, tiles_of<unsigned long, 5>>, .kind = Kind::rule,
      .says = {"at most 2^63 - 1", "found -1"})

template <int Steps> __global__ void skips(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 2; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        consumer.skip(Steps);
        for (int i = Steps; i < 2; ++i)
          consumer.next([&](const Tile& tile) { out[consumer.rank()] = tile[consumer.rank()]; });
      });
}

FAULT(skips_back, "a consumer goes past a negative number of stages", .run = run<skips<-1>, skips<1>>, .kind = Kind::rule,
      .says = {"the number of stages that a consumer goes past must be 0 or more", "found -1"})

// Extents that are numbers of 32 bits, and a product that is none; a number without sign in the place of an int.
template <auto Rows, auto Columns, auto Batches> __global__ void raster_of(int* out) {
  out[threadIdx.x] = tma::GroupedRaster<8>(Rows, Columns, Batches).size();
}

FAULT(raster_too_large, "a raster of more than 2^31 - 1 tiles",
      .run = run<raster_of<70000, 70000, 1>, raster_of<46340, 46340, 1>>, .kind = Kind::rule,
      .says = {"must be at most 2^31 - 1", "found 4900000000"})
FAULT(raster_of_batches_too_large, "a raster that its batches make too large",
      .run = run<raster_of<46340, 46340, 2>, raster_of<23170, 46340, 2>>, .kind = Kind::rule,
      .says = {"must be at most 2^31 - 1", "found 2147395600"})
FAULT(raster_below_0, "a raster with a negative extent", .run = run<raster_of<4, -2, 1>, raster_of<4, 0, 1>>,
      .kind = Kind::rule, .says = {"extents of a tma::GroupedRaster must be 0 or more", "found -2"})
FAULT(raster_without_sign, "an extent without sign above 2^31 - 1",
      .run = run<raster_of<3000000000u, 5, 1>, raster_of<3000u, 5, 1>>, .kind = Kind::rule,
      .says = {"a count or an index without sign must be at most 2^31 - 1", "found 3000000000"})

// An index of 64 bits is judged before it is cut.
namespace index_of_64_bits {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);
  arrived.wait();
  out[threadIdx.x] = tile[threadIdx.x + (Faulty ? 1ul << 32 : 0ul)];  // <index_of_64_bits>
}
}  // namespace index_of_64_bits

FAULT(index_of_64_bits, "an element 2^32 behind the tile's end",
      .run = run<index_of_64_bits::kernel<true>, index_of_64_bits::kernel<false>>, .kind = Kind::outside_tile,
      .says = {"uses index 42949673", "whose extent there is 128"}, .lines = {"index_of_64_bits"})

}  // namespace
