// A list of objects that a structured binding takes apart: `auto [block, arrived] = ...`. Its elements are built in
// place and need not be movable.
#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

#if TMA_HAS_HOST
#  include <utility>
#else
namespace std {
template <class> struct tuple_size;
template <decltype(sizeof(0)), class> struct tuple_element;
}  // namespace std
#endif

namespace tma::inline TMA_ABI::detail {

template <int I, class T> struct PackElement {
  T value;
};

template <class Positions, class... Ts> struct PackOf;
template <int... I, class... Ts> struct PackOf<Indices<I...>, Ts...> : PackElement<I, Ts>... {
  template <int N> TMA_HOST_DEVICE constexpr auto& get() {
    return static_cast<PackElement<N, type_at<N, Ts...>>&>(*this).value;
  }
  template <int N> TMA_HOST_DEVICE constexpr const auto& get() const {
    return static_cast<const PackElement<N, type_at<N, Ts...>>&>(*this).value;
  }
};

// Each element in braces of its own: `Pack<A, B>{{make_a()}, {make_b()}}`.
template <class... Ts> using Pack = PackOf<make_indices<int(sizeof...(Ts))>, Ts...>;

}  // namespace tma::inline TMA_ABI::detail

template <class Positions, class... Ts> struct std::tuple_size<tma::detail::PackOf<Positions, Ts...>> {
  static constexpr decltype(sizeof(0)) value = sizeof...(Ts);
};
template <decltype(sizeof(0)) I, class Positions, class... Ts>
struct std::tuple_element<I, tma::detail::PackOf<Positions, Ts...>> {
  using type = tma::detail::type_at<int(I), Ts...>;
};

#include "epilogue.hpp"
