#pragma once

#include "../core/prologue.hpp"

#include "error.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// A value, or the error that kept it from being made. The functions that return one are [[nodiscard]], not this class: nvcc
/// would warn of every assignment to a Result.
template <class T> class TMA_PUBLIC Result {
public:
  Result(const T& value) : value_(value) {}
  Result(const Error& error) : error_(error) {}

  explicit     operator bool() const { return !error_; }
  const Error& error() const { return error_; }

  /// The value; throws the error if there is none.
  const T& value() const {
    if (error_) detail::raise(error_);
    return value_;
  }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }

private:
  T     value_{};
  Error error_;
};

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
