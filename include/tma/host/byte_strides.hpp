#pragma once

#include "../core/prologue.hpp"

#include "index64.hpp"

namespace tma::inline TMA_ABI {

template <int Rank> class TMA_PUBLIC ByteStrides;  // nvcc drops the attribute here, which for Clang is a hidden type below

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

template <class... I> constexpr ByteStrides<sizeof...(I)> byte_strides(I... bytes);

/// Strides in bytes, slowest first: a type of its own, because strides are in elements everywhere else. From
/// `tma::byte_strides`; a braced list of numbers is never one.
template <int Rank> class TMA_PUBLIC ByteStrides {
  // What the compiler prints where one is made by hand.
  struct byte_strides_come_from_tma_byte_strides {};

public:
  detail::Index64 stride[Rank];

private:
  template <class... I> friend constexpr ByteStrides<sizeof...(I)> byte_strides(I... bytes);

  template <class... I>
  constexpr ByteStrides(byte_strides_come_from_tma_byte_strides, I... bytes) : stride{detail::Index64(bytes)...} {}
};

/// `tma::byte_strides(6932, 4)`: one stride a dimension, slowest first, the last one the element size.
template <class... I> constexpr ByteStrides<sizeof...(I)> byte_strides(I... bytes) {
  using Strides = ByteStrides<sizeof...(I)>;
  return Strides(typename Strides::byte_strides_come_from_tma_byte_strides(), bytes...);
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
