// Prefetches move nothing that anybody sees: what is loaded after them, and what is around, is as it was.
#include <tma/device/prefetch.hpp>

#include "transfer.hpp"

using tma::Shape;
using tma::Swizzle;
using tma::Tile;

namespace {

// Every thread asks, one prefetches; then the tile itself.
template <class Tile>
__global__ void prefetch_and_load(const __grid_constant__ transfer::ConstDescriptor<Tile> from, tma::Coord<Tile::rank> ahead,
                                  tma::Coord<Tile::rank> at, typename Tile::value_type* elements) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const auto& issuer    = block.elect();
  issuer.prefetch_descriptor(from);
  issuer.prefetch(from, ahead);
  issuer.prefetch(from, at);
  issuer.load(from, at, tile, arrived);
  arrived.wait();
  for (int i = block.rank(); i < Tile::size; i += block.size()) elements[i] = tile[i];
}

template <class Tile> void check(std::uint64_t seed) {
  using T = typename Tile::value_type;
  gpu::Random   random(seed);
  const auto    t    = transfer::tensor_for<Tile>(random);
  const auto    data = gpu::random_values<T>(t.span() + 64, seed);
  gpu::Array<T> tensor(data), out(Tile::size);
  const auto    from = tma::make_descriptor<Tile>(transfer::view_of(static_cast<const T*>(tensor.get()), t));
  for (int n = 0; n < 6; ++n) {
    const auto ahead = transfer::position<Tile>(random, t, false), at = transfer::position<Tile>(random, t, false);
    out.fill(0xee);
    tma::launch(prefetch_and_load<Tile>, {.grid = 1, .block = 64}, from, ahead, at, out.get());
    gpu::finish();
    REQUIRE(transfer::same_bits(out.download(), reference::load<Tile>(data, t, at)));
  }
  REQUIRE(transfer::same_bits(tensor.download(), data));
}

__global__ void prefetch_chunks(tma::AlignedPointer<const float> from, float* out) {
  struct Shared {
    tma::Buffer<float, 252> buffer;
    tma::LoadBarrier        barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
    for (int i = 0; i < 4; ++i) issuer.prefetch(from.chunk<252>(i));
    issuer.load(from.chunk<252>(blockIdx.x), buffer, arrived);
  }
  arrived.wait();
  for (int i = block.rank(); i < 252; i += block.size()) out[252 * blockIdx.x + i] = buffer[i];
}

}  // namespace

TEST_CASE("tiles of every rank, inside and outside of the tensor") {
  check<Tile<float, Shape<64>>>(1);
  check<Tile<float, Shape<33, 20>>>(2);
  check<Tile<short, Shape<17, 64>, Swizzle::bytes_128>>(3);
  check<Tile<float, Shape<3, 5, 12>>>(4);
  check<Tile<double, Shape<2, 3, 4, 4>, Swizzle::bytes_32>>(5);
  check<Tile<float, Shape<2, 1, 3, 2, 16>, Swizzle::bytes_64>>(6);
}

TEST_CASE("elements in a row") {
  const auto        data = gpu::random_values<float>(4 * 252, 1);
  gpu::Array<float> from(data), out(4 * 252);
  tma::launch(prefetch_chunks, {.grid = 4, .block = 64}, tma::aligned(static_cast<const float*>(from.get())), out.get());
  gpu::finish();
  REQUIRE(transfer::same_bits(out.download(), data));
  REQUIRE(transfer::same_bits(from.download(), data));
}
