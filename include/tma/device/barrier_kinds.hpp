#pragma once

#include "../core/prologue.hpp"

#include "../core/meta.hpp"

namespace tma::inline TMA_ABI::detail {

template <class T> inline constexpr bool is_barrier_v      = false;
template <class T> inline constexpr bool is_load_barrier_v = false;
template <class T> inline constexpr bool is_peer_v         = false;

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
