// More words of instructions' names, as ptx_text.hpp has them: scopes, orders and operations.
#pragma once

#include "../core/prologue.hpp"

#include "../core/reduction.hpp"
#include "../core/scope.hpp"
#include "ptx_text.hpp"

#if !defined(TMA_DETAIL_NO_WORDS)
namespace tma::inline TMA_ABI::ptx {

template <Scope S> struct ScopeText {
  static constexpr const char value[] = ".cta";
};
template <> struct ScopeText<Scope::cluster> {
  static constexpr const char value[] = ".cluster";
};
template <> struct ScopeText<Scope::device> {
  static constexpr const char value[] = ".gpu";
};
template <> struct ScopeText<Scope::system> {
  static constexpr const char value[] = ".sys";
};
template <Order O> struct ReleaseText {
  static constexpr const char value[] = ".release";
};
template <> struct ReleaseText<Order::relaxed> {
  static constexpr const char value[] = ".relaxed";
};
template <Order O> struct AcquireText {
  static constexpr const char value[] = ".acquire";
};
template <> struct AcquireText<Order::relaxed> {
  static constexpr const char value[] = ".relaxed";
};
template <Reduction Op> struct ReductionText {
  static constexpr const char value[] = ".add";
};
template <> struct ReductionText<Reduction::min> {
  static constexpr const char value[] = ".min";
};
template <> struct ReductionText<Reduction::max> {
  static constexpr const char value[] = ".max";
};
template <> struct ReductionText<Reduction::inc> {
  static constexpr const char value[] = ".inc";
};
template <> struct ReductionText<Reduction::dec> {
  static constexpr const char value[] = ".dec";
};
template <> struct ReductionText<Reduction::bit_and> {
  static constexpr const char value[] = ".and";
};
template <> struct ReductionText<Reduction::bit_or> {
  static constexpr const char value[] = ".or";
};
template <> struct ReductionText<Reduction::bit_xor> {
  static constexpr const char value[] = ".xor";
};

}  // namespace tma::inline TMA_ABI::ptx
#endif

#include "../core/epilogue.hpp"
