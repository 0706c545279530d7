#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// The position of a tile's first element in a tensor, slowest dimension first: `Coord<2>{row, column}`.
///
/// Signed 32-bit element indices, as the instruction takes them: negative and past-the-end positions are
/// legal for loads (such elements are filled). The innermost index times the element size must be a multiple
/// of 16 bytes; the hardware stops the kernel with an illegal instruction otherwise, and nothing on the
/// host can know (`tma::check_coord` tells).
///
/// A 64-bit index does not convert: it would be cut silently.
template <int Rank> struct Coord {
  static_assert(Rank >= 1 && Rank <= 5, "tma::Coord: a tensor has rank 1 to 5");

  int index[Rank] = {};

  constexpr Coord() = default;

  template <class... I>
    requires(sizeof...(I) > 0)
  TMA_HOST_DEVICE constexpr Coord(I... i) {
    constexpr bool one_each = sizeof...(I) == Rank, integers = (detail::is_integer_v<I> && ...);
    static_assert(one_each, "tma::Coord: one index for each dimension of the tensor, slowest first");
    static_assert(integers, "tma::Coord: an index is an integer");
    static_assert(!integers || ((sizeof(I) <= sizeof(int)) && ...),
                  "tma::Coord: an index is a signed 32-bit number; a 64-bit one (size_t, long) would be cut. "
                  "Compute it in int, or convert it with int(...) where it is known to fit");
    if constexpr (one_each && integers) {
      int d = 0;
      ((index[d++] = static_cast<int>(i)), ...);
    }
  }

  template <int Other> TMA_HOST_DEVICE constexpr Coord(const Coord<Other>&) {
    static_assert(Other == Rank, "tma::Coord: this coordinate has another rank than the tensor. Give one index for each "
                                 "dimension of the tensor, slowest first");
  }

  TMA_HOST_DEVICE constexpr int  operator[](int dimension) const { return index[dimension]; }
  TMA_HOST_DEVICE constexpr int& operator[](int dimension) { return index[dimension]; }

  friend TMA_HOST_DEVICE constexpr bool operator==(const Coord& a, const Coord& b) {
    for (int d = 0; d < Rank; ++d)
      if (a.index[d] != b.index[d]) return false;
    return true;
  }
};

template <class... I> Coord(I...) -> Coord<sizeof...(I)>;

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
