// One tile in, one tile out, compared with the reference: the body of the tests over ranks, types and swizzles.
#pragma once

#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"
#include "../support/reference.hpp"

namespace transfer {

template <class Tile> using Descriptor      = tma::TmaDescriptor<typename Tile::value_type, Tile::rank, Tile>;
template <class Tile> using ConstDescriptor = tma::TmaDescriptor<const typename Tile::value_type, Tile::rank, Tile>;

// The tile as the threads see it, and every byte of shared memory it occupies.
template <class Tile>
__global__ void load_tile(const __grid_constant__ ConstDescriptor<Tile> from, tma::Coord<Tile::rank> at,
                          typename Tile::value_type* elements) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, at, tile, arrived);
  arrived.wait();
  for (int i = block.rank(); i < Tile::size; i += block.size()) elements[i] = tile[i];
}

template <class Tile>
__global__ void store_tile(const __grid_constant__ Descriptor<Tile> to, tma::Coord<Tile::rank> at,
                           const typename Tile::value_type* elements) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (int i = block.rank(); i < Tile::size; i += block.size()) tile[i] = elements[i];
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, at, ready).wait_visible();
}

// A tensor a little larger than three tiles a dimension, padded at the end of each row and between planes; extents and
// pitch of the innermost dimension are whole 16-byte pieces, as a store needs.
template <class Tile> reference::Tensor<Tile::rank> tensor_for(gpu::Random& random) {
  constexpr int        R     = Tile::rank;
  constexpr int        piece = 16 / int(sizeof(typename Tile::value_type));
  reference::Tensor<R> t;
  std::int64_t         stride = 1;
  for (int d = R - 1; d >= 0; --d) {
    const int e = Tile::shape::extents[d];
    t.extent[d] = d == R - 1 ? (2 * e + piece - 1) / piece * piece + piece : 2 * e + 1 + random.below(2);
    t.stride[d] = stride;
    stride *= t.extent[d];
    stride = (stride + piece - 1) / piece * piece + (d == R - 1 ? piece : 0);
  }
  return t;
}

// A position of a tile: inside, over an edge or outside; for stores not negative.
template <class Tile>
tma::Coord<Tile::rank> position(gpu::Random& random, const reference::Tensor<Tile::rank>& t, bool store) {
  constexpr int          R     = Tile::rank;
  constexpr int          piece = 16 / int(sizeof(typename Tile::value_type));
  tma::Coord<Tile::rank> at;
  for (int d = 0; d < R; ++d) {
    const int e     = Tile::shape::extents[d];
    const int low   = store ? 0 : -e;
    const int range = int(t.extent[d]) + 1 - low;
    int       x     = low + random.below(range);
    if (d == R - 1) x = (x >= 0 ? x / piece : -((-x) / piece)) * piece;
    at[d] = x;
  }
  return at;
}

template <int R> auto view_of(auto* data, const reference::Tensor<R>& t) {
  using T = std::remove_pointer_t<decltype(data)>;
  tma::detail::Index64 extents[R], strides[R];
  for (int d = 0; d < R; ++d) extents[d] = t.extent[d], strides[d] = t.stride[d];
  return tma::TensorView<T, R>(data, extents, strides);
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class Tile> void check(std::uint64_t seed, int positions = 12, int threads = 128) {
  using T = typename Tile::value_type;
  gpu::Random   random(seed);
  const auto    t    = tensor_for<Tile>(random);
  const auto    data = gpu::random_values<T>(t.span() + 64, seed);
  gpu::Array<T> tensor(data), out(Tile::size);
  const auto    from = tma::make_descriptor<Tile>(view_of(static_cast<const T*>(tensor.get()), t));
  const auto    to   = tma::make_descriptor<Tile>(view_of(tensor.get(), t));
  for (int n = 0; n < positions; ++n) {
    const auto at = n == 0 ? tma::Coord<Tile::rank>() : position<Tile>(random, t, false);
    out.fill(0xee);
    tma::launch(load_tile<Tile>, {.grid = 1, .block = threads}, from, at, out.get());
    gpu::finish();
    REQUIRE(same_bits(out.download(), reference::load<Tile>(data, t, at)));
  }
  auto expected = data;
  for (int n = 0; n < positions; ++n) {
    const auto at   = n == 0 ? tma::Coord<Tile::rank>() : position<Tile>(random, t, true);
    const auto tile = gpu::random_values<T>(Tile::size, seed + 1000 + n);
    out.upload(tile);
    tma::launch(store_tile<Tile>, {.grid = 1, .block = threads}, to, at, static_cast<const T*>(out.get()));
    gpu::finish();
    reference::store<Tile>(expected, t, at, tile);
    REQUIRE(same_bits(tensor.download(), expected));
  }
}

}  // namespace transfer
