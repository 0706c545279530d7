#pragma once

#include "../core/prologue.hpp"

#include "../core/meta.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

// Any integer, taken as signed 64-bit without a silent change.
struct Index64 {
  i64  value = 0;
  bool fits  = true;

  constexpr Index64() = default;
  template <class I>
    requires(is_integer_v<remove_cvref_t<I>>)
  constexpr Index64(I i) : value(static_cast<i64>(i)) {
    if constexpr (!is_signed_integer_v<remove_cvref_t<I>> && sizeof(I) == 8) {
      if (static_cast<u64>(i) > (~u64(0) >> 1)) {
        value = static_cast<i64>(~u64(0) >> 1);
        fits  = false;
      }
    }
  }

  // What the compiler prints of a float, a bool or an enumerator.
  using an_extent_stride_or_block_count_is_an_integer__convert_it              = double;
  constexpr Index64(an_extent_stride_or_block_count_is_an_integer__convert_it) = delete;
};

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
