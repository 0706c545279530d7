#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "coord.hpp"
#include "element.hpp"
#include "meta.hpp"
#include "shape.hpp"
#include "swizzle.hpp"
#include "vec.hpp"

namespace tma::inline TMA_ABI {

/// A box of a tensor as it lies in shared memory: what one tensor copy writes or reads.
///
/// `Tile<float, Shape<32, 32>>` is 32 rows of 32 floats, slowest dimension first. The type owns everything that
/// follows from it, so that no number is typed twice:
///   - alignment: 128 bytes; 256, 512, 1024 with the 32, 64, 128-byte swizzle, so that the pattern starts at row 0;
///   - payload_bytes: what the copy moves and the barrier counts;
///   - footprint_bytes: what it occupies. A swizzled row narrower than the swizzle span is padded to the span;
///   - element access that undoes the swizzle.
///
/// What does not compile: an element type, rank, extent, row width or swizzle that the engine refuses.
///
/// A tile lives in shared memory, in a struct handed to `tma::shared`. It is never copied. There is no raw
/// pointer to a swizzled or padded tile: `data()` exists only where the elements lie in plain C order.
template <class T, class ShapeT, Swizzle Mode = Swizzle::none> class Tile {
  static_assert(detail::always_false<ShapeT>, "tma::Tile: the second argument is a tma::Shape: "
                                              "tma::Tile<float, tma::Shape<rows, columns>>");
};

template <class T, int... Extents, Swizzle Mode> class alignas(swizzle_repeat(Mode)) Tile<T, Shape<Extents...>, Mode> {
  using a_tile_is_a_place_in_shared_memory__take_it_by_reference = Tile;  // what the compiler prints of a copy

public:
  using value_type = T;
  using shape      = Shape<Extents...>;

  static constexpr int         rank         = shape::rank;
  static constexpr Swizzle     swizzle      = Mode;
  static constexpr ElementType type         = element_type<T>;
  static constexpr int         size         = int(shape::count);
  static constexpr int         row_elements = shape::inner;
  static constexpr int         row_bytes    = row_elements * int(sizeof(T));
  static constexpr int         rows         = size / row_elements;
  static constexpr int         pitch_bytes =
      swizzle_span(Mode) > row_bytes ? swizzle_span(Mode) : row_bytes;  // from one row to the next
  static constexpr int payload_bytes   = rows * row_bytes;
  static constexpr int footprint_bytes = rows * pitch_bytes;
  static constexpr int alignment       = swizzle_repeat(Mode);

  /// True where element i of the tile is element i of an array: no padding, no permutation.
  static constexpr bool is_plain = Mode == Swizzle::none && pitch_bytes == row_bytes;

  // Asks for the element type, which refuses what the engine has none for: the initialiser of a static member waits for
  // its first use, which may never come.
  static_assert(int(type) >= 0);
  static_assert(detail::is_complete_v<T>, "tma::Tile: the element type is only declared here. Include its header: "
                                          "<cuda_fp16.h>, <cuda_bf16.h> or <cuda_fp8.h>");
  static_assert(detail::is_same_v<T, detail::remove_cv_t<T>>, "tma::Tile: the element type is not const or volatile");
  static_assert(rank >= 1 && rank <= 5, "tma::Tile: a tensor map has rank 1 to 5");
  // 1024 pixels of an im2col copy; a box of the tensor itself is at most 256 high, which its descriptor says.
  static_assert((((Extents <= 256) && ...) || (rank == 2 && shape::extents[0] <= 1024 && row_elements <= 256)) &&
                    row_elements * elements_per_unit<T> <= 256,
                "tma::Tile: a box is at most 256 elements in each dimension. Split the tile, or view the row as two "
                "dimensions");
  static_assert(row_bytes % 16 == 0,
                "tma::Tile: a row (the last extent x the element size) is a multiple of 16 bytes. Widen the row, or "
                "move it with tma::BulkCopy1D or by threads");
  static_assert((type != ElementType::u4_align16 && type != ElementType::u6_align16) || row_elements == 8,
                "tma::Tile: a row of padded packed elements is exactly 8 units, 128 elements");
  static_assert(swizzle_span(Mode) == 0 || row_bytes <= swizzle_span(Mode),
                "tma::Tile: a row is at most as wide as the swizzle: 32, 64 or 128 bytes. Make the row narrower and "
                "load several tiles, or choose a wider swizzle or none");
  static_assert(shape::count <= (1u << 20) && footprint_bytes <= 227 * 1024,
                "tma::Tile: the tile does not fit the 227 KiB of shared memory that a block can have");

  Tile()                                                                           = default;
  Tile(const a_tile_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  Tile& operator=(const a_tile_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  /// Byte offset of an element from the start of the tile. One index a dimension, slowest first.
  template <class... I> static TMA_HOST_DEVICE constexpr detail::u32 offset_of(I... index) {
    static_assert(sizeof...(I) == rank, "tma::Tile: one index for each dimension of the tile, slowest first");
    detail::u32 row = 0, column = 0;
    int         d = 0;
    ((row = d == rank - 1 ? row : row * Extents + detail::u32(index), column = detail::u32(index), ++d), ...);
    return offset_in_row(row, column);
  }

  /// Byte offset of the i-th element in C order.
  static TMA_HOST_DEVICE constexpr detail::u32 offset_at(int i) { return detail::u32(place_of(i)) * detail::u32(sizeof(T)); }

  /// The element at an index a dimension, slowest first: `tile(row, column)`.
  template <class... I> TMA_HOST_DEVICE T& operator()(I... index) {
    static_assert(sizeof...(I) == rank, "tma::Tile: one index for each dimension of the tile, slowest first");
    if constexpr (sizeof...(I) == rank) {
      [[maybe_unused]] int d = 0;
      (TMA_DETAIL_INDEX(index, shape::extents[d++]), ...);
    }
    if constexpr (is_plain && sizeof...(I) == rank) {
      int i = 0;
      ((i = i * Extents + int(index)), ...);
      return element_[i];
    } else {
      return *reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(element_) + offset_of(index...));
    }
  }
  template <class... I> TMA_HOST_DEVICE const T& operator()(I... index) const {
    return (*const_cast<Tile*>(this))(index...);
  }

  /// The i-th element in C order, whatever the swizzle: `tile[row * columns + column]`.
  template <class I> TMA_HOST_DEVICE T& operator[](I i) {
    TMA_DETAIL_INDEX(i, size);
    return element_[place_of(int(i))];
  }
  template <class I> TMA_HOST_DEVICE const T& operator[](I i) const {
    TMA_DETAIL_INDEX(i, size);
    return element_[place_of(int(i))];
  }

  /// The i-th group of `N` neighbouring elements of a row, at most 16 bytes (8 where a swizzle flips halves):
  /// groups are never torn by the swizzle.
  template <int N, class I> TMA_HOST_DEVICE Vec<T, N>& vector(I i) {
    static_assert(Mode != Swizzle::bytes_128_atom_32_flip_8 || N * sizeof(T) <= 8,
                  "tma::Tile: this swizzle flips the halves of a 16-byte chunk; vectors of 8 bytes stay whole");
    return reinterpret_cast<Vec<T, N>&>((*this)[i * N]);
  }
  template <int N, class I> TMA_HOST_DEVICE const Vec<T, N>& vector(I i) const {
    return const_cast<Tile*>(this)->template vector<N>(i);
  }

  /// The elements as an array. Only where they lie in plain C order: a swizzled or padded tile has no such array.
  TMA_HOST_DEVICE T* data() {
    static_assert(is_plain, "tma::Tile: a swizzled tile is not an array; use tile(row, column) or tile[i]");
    return element_;
  }
  TMA_HOST_DEVICE const T* data() const { return const_cast<Tile*>(this)->data(); }

  /// The first byte, for what takes shared memory as a place: the copies, matrix descriptors. Not for element
  /// access.
  TMA_HOST_DEVICE void*       storage() { return element_; }
  TMA_HOST_DEVICE const void* storage() const { return element_; }

private:
  // The swizzle permutes within a row. Row and column stay apart, so that whichever the compiler knows folds into the
  // address: half the instructions of an unrolled loop over either.
  static TMA_HOST_DEVICE constexpr detail::u32 offset_in_row(detail::u32 row, detail::u32 column) {
    const detail::u32 start = row * pitch_bytes, offset = column * detail::u32(sizeof(T));
    if constexpr (Mode == Swizzle::bytes_96) return swizzle_address(Mode, start + offset);
    else return start + (offset ^ swizzle_mask(Mode, row));
  }

  // Where the i-th element in C order lies in element_. Signed, and not by way of bytes: a compiler steps through it.
  static TMA_HOST_DEVICE constexpr int place_of(int i) {
    const detail::u32 n = detail::u32(i);
    if constexpr (is_plain) return i;
    else if constexpr (pitch_bytes == row_bytes && Mode != Swizzle::bytes_96)
      return i ^ int(swizzle_mask(Mode, n / row_elements) / sizeof(T));
    else return int(offset_in_row(n / row_elements, n % row_elements) / sizeof(T));
  }

  T element_[footprint_bytes / sizeof(T)];
};

namespace detail {

template <class T> inline constexpr bool                     is_tile_v                      = false;
template <class T, class S, Swizzle M> inline constexpr bool is_tile_v<Tile<T, S, M>>       = true;
template <class T, class S, Swizzle M> inline constexpr bool is_tile_v<const Tile<T, S, M>> = true;

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
