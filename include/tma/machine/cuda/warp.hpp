// Threads of a block and of a warp that meet: barriers, votes, shuffles, reductions.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "../include/vector_types.h"
#include "keywords.hpp"

// --- barriers ------------------------------------------------------------------------------------------------------

inline void __syncthreads() { ::tma::machine::rt::sync_block(); }
inline int  __syncthreads_count(int value) { return int(::tma::machine::rt::sync_block_count(value) & 0xffff); }
inline int  __syncthreads_and(int value) { return int(::tma::machine::rt::sync_block_count(value) >> 16 & 1); }
inline int  __syncthreads_or(int value) { return __syncthreads_count(value) != 0; }
inline void __syncwarp(unsigned mask = ~0u) { ::tma::machine::rt::sync_warp(mask); }

namespace tma::machine::detail {

inline unsigned lane() { return rt::thread_rank() % 32; }

// A value of at most eight bytes, as the bits that lanes exchange.
template <class T> constexpr std::uint64_t to_bits(T value) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<std::uint64_t>(value);
  else if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  else if constexpr (sizeof(T) == 2) return std::bit_cast<std::uint16_t>(value);
  else return std::bit_cast<std::uint8_t>(value);
}
template <class T> constexpr T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4) return std::bit_cast<T>(std::uint32_t(bits));
  else if constexpr (sizeof(T) == 2) return std::bit_cast<T>(std::uint16_t(bits));
  else return std::bit_cast<T>(std::uint8_t(bits));
}

// What lane `from` brought.
TMA_DETAIL_RAW inline std::uint64_t exchanged(unsigned mask, std::uint64_t value, unsigned from, const char* what) {
  return rt::exchange(mask, value, what)[from];
}

// The lanes of `mask` whose value is not zero.
TMA_DETAIL_RAW inline unsigned vote(unsigned mask, bool value, const char* what) {
  const std::uint64_t* values = rt::exchange(mask, value, what);
  unsigned             votes  = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1 && values[lane]) votes |= 1u << lane;
  return votes;
}

// The lanes of `mask` that brought the same as this one.
TMA_DETAIL_RAW inline unsigned matching(unsigned mask, std::uint64_t value, const char* what) {
  const std::uint64_t* values = rt::exchange(mask, value, what);
  unsigned             same   = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1 && values[lane] == value) same |= 1u << lane;
  return same;
}

template <class T> TMA_DETAIL_RAW T reduced(unsigned mask, T value, T (*combine)(T, T), const char* what) {
  const std::uint64_t* values = rt::exchange(mask, to_bits(value), what);
  T                    all    = value;
  bool                 first  = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const T other = from_bits<T>(values[lane]);
    all           = first ? other : combine(all, other);
    first         = false;
  }
  return all;
}

// A warp is cut into segments of `width` lanes, a power of two; a lane outside its segment is not read.
template <class T> T shuffle(unsigned mask, T value, int lane, int width) {
  const unsigned first = detail::lane() & ~unsigned(width - 1);
  return from_bits<T>(exchanged(mask, to_bits(value), first | (unsigned(lane) & unsigned(width - 1)), "__shfl_sync"));
}
// The distance of the next three is taken modulo 32, as the instruction takes it.
template <class T> T shuffle_up(unsigned mask, T value, unsigned delta, int width) {
  const unsigned own = lane(), at = own & unsigned(width - 1);
  delta %= 32;
  return from_bits<T>(exchanged(mask, to_bits(value), at >= delta ? own - delta : own, "__shfl_up_sync"));
}
template <class T> T shuffle_down(unsigned mask, T value, unsigned delta, int width) {
  const unsigned own = lane(), at = own & unsigned(width - 1);
  delta %= 32;
  const bool inside = delta < unsigned(width) - at;
  return from_bits<T>(exchanged(mask, to_bits(value), inside ? own + delta : own, "__shfl_down_sync"));
}
template <class T> T shuffle_xor(unsigned mask, T value, int lanes, int width) {
  // Unlike the others, a lane may read from the segments before its own.
  const unsigned own = lane(), from = own ^ (unsigned(lanes) % 32);
  const bool     inside = from <= (own | unsigned(width - 1));
  return from_bits<T>(exchanged(mask, to_bits(value), inside ? from : own, "__shfl_xor_sync"));
}

}  // namespace tma::machine::detail

// --- votes ---------------------------------------------------------------------------------------------------------

inline unsigned __activemask() { return ::tma::machine::rt::active_mask(); }
inline unsigned __ballot_sync(unsigned mask, int value) {
  return ::tma::machine::detail::vote(mask, value != 0, "__ballot_sync");
}
inline int __any_sync(unsigned mask, int value) { return ::tma::machine::detail::vote(mask, value != 0, "__any_sync") != 0; }
// A lane of the mask that has returned has no say.
inline int __all_sync(unsigned mask, int value) { return ::tma::machine::detail::vote(mask, value == 0, "__all_sync") == 0; }

template <class T>
  requires(std::is_arithmetic_v<T> && sizeof(T) >= 4 && sizeof(T) <= 8)
unsigned __match_any_sync(unsigned mask, T value) {
  return ::tma::machine::detail::matching(mask, ::tma::machine::detail::to_bits(value), "__match_any_sync");
}

// `mask` where all lanes brought the same, else 0; `*same` says which it is.
template <class T>
  requires(std::is_arithmetic_v<T> && sizeof(T) >= 4 && sizeof(T) <= 8)
unsigned __match_all_sync(unsigned mask, T value, int* same) {
  const unsigned found = ::tma::machine::detail::matching(mask, ::tma::machine::detail::to_bits(value), "__match_all_sync");
  *same                = found == mask;
  return *same ? mask : 0;
}

// --- shuffles ------------------------------------------------------------------------------------------------------

// Overloads, not templates: smaller types then convert as they do on CUDA.
#define TMA_DETAIL_SHUFFLES(T)                                                        \
  inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {            \
    return ::tma::machine::detail::shuffle(mask, value, lane, width);                 \
  }                                                                                   \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {   \
    return ::tma::machine::detail::shuffle_up(mask, value, delta, width);             \
  }                                                                                   \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) { \
    return ::tma::machine::detail::shuffle_down(mask, value, delta, width);           \
  }                                                                                   \
  inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {       \
    return ::tma::machine::detail::shuffle_xor(mask, value, lanes, width);            \
  }

TMA_DETAIL_SHUFFLES(int)
TMA_DETAIL_SHUFFLES(unsigned)
TMA_DETAIL_SHUFFLES(long)
TMA_DETAIL_SHUFFLES(unsigned long)
TMA_DETAIL_SHUFFLES(long long)
TMA_DETAIL_SHUFFLES(unsigned long long)
TMA_DETAIL_SHUFFLES(float)
TMA_DETAIL_SHUFFLES(double)

// --- reductions ----------------------------------------------------------------------------------------------------

#define TMA_DETAIL_REDUCTION(name, T, expression)                                                            \
  inline T name(unsigned mask, T value) {                                                                    \
    return ::tma::machine::detail::reduced<T>(mask, value, [](T a, T b) -> T { return expression; }, #name); \
  }

// Sums wrap around; unsigned arithmetic says so to the compiler.
TMA_DETAIL_REDUCTION(__reduce_add_sync, unsigned, a + b)
TMA_DETAIL_REDUCTION(__reduce_add_sync, int, int(unsigned(a) + unsigned(b)))
TMA_DETAIL_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
TMA_DETAIL_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
TMA_DETAIL_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
TMA_DETAIL_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
TMA_DETAIL_REDUCTION(__reduce_and_sync, unsigned, a& b)
TMA_DETAIL_REDUCTION(__reduce_or_sync, unsigned, a | b)
TMA_DETAIL_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
#undef TMA_DETAIL_REDUCTION
