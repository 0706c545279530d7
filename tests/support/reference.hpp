// What a tensor copy does, element by element, on the host.
#pragma once

#include <tma/core/coord.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

namespace reference {

// A dense or strided tensor in an array of elements, slowest dimension first; strides in elements.
template <int R> struct Tensor {
  std::int64_t extent[R];
  std::int64_t stride[R];

  std::size_t span() const {
    std::int64_t last = 0;
    for (int d = 0; d < R; ++d) last += (extent[d] - 1) * stride[d];
    return std::size_t(last) + 1;
  }
};

template <class Tile, class Visit>
void for_each_element(const tma::Coord<Tile::rank>& at, const int* element_stride, Visit visit) {
  constexpr int R = Tile::rank;
  for (int i = 0; i < Tile::size; ++i) {
    std::int64_t index[R];
    int          rest = i;
    for (int d = R - 1; d >= 0; --d) {
      index[d] =
          std::int64_t(at[d]) + std::int64_t(rest % Tile::shape::extents[d]) * (element_stride ? element_stride[d] : 1);
      rest /= Tile::shape::extents[d];
    }
    visit(i, index);
  }
}

template <int R> bool inside(const Tensor<R>& t, const std::int64_t* index, std::size_t& offset) {
  std::int64_t o = 0;
  for (int d = 0; d < R; ++d) {
    if (index[d] < 0 || index[d] >= t.extent[d]) return false;
    o += index[d] * t.stride[d];
  }
  offset = std::size_t(o);
  return true;
}

// The tile in C order, zeros outside.
template <class Tile, class T>
std::vector<T> load(const std::vector<T>& data, const Tensor<Tile::rank>& t, const tma::Coord<Tile::rank>& at,
                    const int* element_stride = nullptr) {
  std::vector<T> tile(Tile::size);
  std::memset(static_cast<void*>(tile.data()), 0, tile.size() * sizeof(T));
  for_each_element<Tile>(at, element_stride, [&](int i, const std::int64_t* index) {
    std::size_t offset;
    if (inside(t, index, offset)) tile[std::size_t(i)] = data[offset];
  });
  return tile;
}

// The array after the tile has been stored into it.
template <class Tile, class T>
void store(std::vector<T>& data, const Tensor<Tile::rank>& t, const tma::Coord<Tile::rank>& at, const std::vector<T>& tile) {
  for_each_element<Tile>(at, nullptr, [&](int i, const std::int64_t* index) {
    std::size_t offset;
    if (inside(t, index, offset)) data[offset] = tile[std::size_t(i)];
  });
}

}  // namespace reference
