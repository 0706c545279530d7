#pragma once

#include "../core/prologue.hpp"

#include "../core/element.hpp"
#include "../core/meta.hpp"
#include "byte_strides.hpp"
#include "index64.hpp"
#include "source_line.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// A tensor in global memory: pointer, extents, and strides where it is not dense. Slowest dimension first, as in C.
///
///     tma::TensorView{a, {rows, columns}}                     // dense
///     tma::TensorView{a, {rows, columns}, {pitch, 1}}         // strides in elements
///     tma::TensorView{a, {rows, columns}, tma::byte_strides(pitch_bytes, sizeof(float))}
///
/// Holds whatever it is given, without judging: `tma::check` and `tma::make_descriptor` judge. Arithmetic is 64-bit
/// and checked. Of packed elements (`tma::u4x16` and its kin) extents and strides count units of 16, and the pointer is a place:
/// a unit takes `tma::global_bytes<T>` there. A view of `const T` makes a descriptor that can only be loaded from.
///
/// The stride of a dimension of extent 1 is never used: it may be any number, also one that does not fit 64 bits.
///
/// A view keeps the line of its construction, which errors name. Where a function makes all views of a program, they tell
/// nothing: `tma::TensorView{...}.named("weights")` adds a name. The text is not copied and must live as long as the view.
template <class T, int Rank> class TMA_PUBLIC TensorView {
public:
  static_assert(Rank >= 1 && Rank <= 5, "tma::TensorView: a tensor map has rank 1 to 5");
  static_assert(is_element<T>, "tma::TensorView: the copy engine has no type for this element; view it as an integer of "
                               "its width");

  using value_type = T;

  static constexpr int rank = Rank;

  TensorView(T* data, const detail::Index64 (&extents)[Rank], detail::SourceLine line = detail::SourceLine::here())
      : data_(data),
        line_(line) {
    take_extents(extents);
    detail::i64 stride = global_bytes<T>;
    for (int d = Rank - 1; d >= 0; --d) {
      stride_[d] = stride;
      stride     = extent_[d] < 1 ? 0 : times(stride, extent_[d]);
    }
  }

  TensorView(T*                 data, const detail::Index64 (&extents)[Rank], const detail::Index64 (&strides)[Rank],
             detail::SourceLine line = detail::SourceLine::here())
      : data_(data),
        line_(line) {
    take_extents(extents);
    take_strides(strides, global_bytes<T>);
  }

  TensorView(T* data, const detail::Index64 (&extents)[Rank], const ByteStrides<Rank>& strides,
             detail::SourceLine line = detail::SourceLine::here())
      : data_(data),
        line_(line) {
    take_extents(extents);
    take_strides(strides.stride, 1);
  }

  template <int Other>
    requires(Other != Rank)
  TensorView(T*, const detail::Index64 (&)[Rank], const detail::Index64 (&)[Other]) {
    refuse_strides<Other>();
  }
  template <int Other>
    requires(Other != Rank)
  TensorView(T*, const detail::Index64 (&)[Rank], const ByteStrides<Other>&) {
    refuse_strides<Other>();
  }

  T*          data() const { return data_; }
  detail::i64 extent(int dimension) const { return extent_[dimension]; }
  /// In bytes; in elements it may not be whole.
  detail::i64 stride_bytes(int dimension) const { return stride_[dimension]; }
  /// Whether an extent, or a stride that is used, did not fit 64 bits.
  bool overflowed() const { return overflow_; }

  /// The same view with a name, which errors say.
  TensorView named(const char* name) const {
    TensorView view = *this;
    view.line_.name = name;
    return view;
  }
  /// Where the view was made, and its name.
  const detail::SourceLine& line() const { return line_; }

private:
  template <int Strides> static constexpr void refuse_strides() {
    static_assert(Strides == Rank, "tma::TensorView: one stride for each extent, slowest first; the last is 1 (in bytes: "
                                   "the element size)");
  }

  // A product that does not fit becomes the largest number of its sign, so that nothing takes it for a small one.
  detail::i64 times(detail::i64 a, detail::i64 b) {
    detail::i64 product;
    if (!__builtin_mul_overflow(a, b, &product)) return product;
    overflow_                  = true;
    constexpr detail::i64 most = detail::i64(~detail::u64(0) >> 1);
    return (a < 0) == (b < 0) ? most : -most;
  }

  // Strides of dimensions of extent 1 take no part in anything.
  void take_strides(const detail::Index64 (&strides)[Rank], detail::i64 unit) {
    for (int d = 0; d < Rank; ++d) {
      const bool before = overflow_;
      overflow_ |= !strides[d].fits;
      stride_[d] = times(strides[d].value, unit);
      if (extent_[d] == 1) overflow_ = before;
    }
  }

  void take_extents(const detail::Index64 (&extents)[Rank]) {
    for (int d = 0; d < Rank; ++d) {
      extent_[d] = extents[d].value;
      overflow_ |= !extents[d].fits;
    }
  }

  T*          data_;
  detail::i64 extent_[Rank];
  detail::i64 stride_[Rank];
  bool        overflow_ = false;

  detail::SourceLine line_;
};

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
