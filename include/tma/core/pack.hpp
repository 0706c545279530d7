// A list of objects that a structured binding takes apart: `auto [block, arrived] = ...`. Its elements are built in
// place and need not be movable.
#pragma once

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

namespace tma::detail {

template <class... Ts> struct Pack;
template <> struct Pack<> {};
template <class Head, class... Tail> struct Pack<Head, Tail...> {
  Head          head;
  Pack<Tail...> tail{};

  template <int I> TMA_HOST_DEVICE constexpr auto& get() {
    if constexpr (I == 0) return head;
    else return tail.template get<I - 1>();
  }
  template <int I> TMA_HOST_DEVICE constexpr const auto& get() const {
    if constexpr (I == 0) return head;
    else return tail.template get<I - 1>();
  }
};

}  // namespace tma::detail

template <class... Ts> struct std::tuple_size<tma::detail::Pack<Ts...>> {
  static constexpr decltype(sizeof(0)) value = sizeof...(Ts);
};
template <decltype(sizeof(0)) I, class... Ts> struct std::tuple_element<I, tma::detail::Pack<Ts...>> {
  using type = tma::detail::type_at<int(I), Ts...>;
};
