#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "count.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// Elements in shared memory whose number and start are known at run time: what a one-dimensional copy of run-time
/// length has loaded, or is to store.
template <class T> class SharedSpan {
public:
  using value_type = detail::remove_cv_t<T>;

  TMA_HOST_DEVICE SharedSpan(T* data, detail::Int32 size) : data_(data), size_(size) {}

  template <class I> TMA_HOST_DEVICE T& operator[](I i) const {
    TMA_DETAIL_INDEX(i, size_);
    return data_[int(i)];
  }
  TMA_HOST_DEVICE T*  data() const { return data_; }
  TMA_HOST_DEVICE int size() const { return size_; }
  TMA_HOST_DEVICE T*  begin() const { return data_; }
  TMA_HOST_DEVICE T*  end() const { return data_ + size_; }

private:
  T*  data_;
  int size_;
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
