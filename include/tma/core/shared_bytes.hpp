#pragma once

#include "prologue.hpp"

#include "meta.hpp"

namespace tma::inline TMA_ABI {

namespace detail {
#if defined(TMA_DETAIL_WATCHED)
inline constexpr u32 notes_bytes = 88 * TMA_CHECKED_BARRIERS + 1024;  // device/barrier_notes.hpp
#else
inline constexpr u32 notes_bytes = 0;
#endif
inline constexpr u32 static_shared_limit =
    48 * 1024 - notes_bytes;                  // what a kernel may declare; more is asked for at launch
inline constexpr u32 dynamic_alignment = 16;  // all that is promised of the dynamic base
}  // namespace detail

/// Dynamic shared memory in bytes that a kernel using `tma::shared<T>()` is launched with: 0 where T fits in static
/// shared memory, else its size and the slack to align it by hand. For `LaunchConfig::shared`.
template <class T>
inline constexpr detail::u32 shared_bytes =
    sizeof(T) <= detail::static_shared_limit
        ? 0
        : detail::u32(sizeof(T)) +
              (alignof(T) > detail::dynamic_alignment ? detail::u32(alignof(T)) - detail::dynamic_alignment : 0);

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
