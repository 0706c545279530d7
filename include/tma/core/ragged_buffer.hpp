#pragma once

#include "prologue.hpp"

#include "storage_1d.hpp"

namespace tma::inline TMA_ABI {

/// Room for up to `Count` elements from any pointer, aligned or not: 16 bytes of slack let the engine move the
/// aligned body. Where element 0 lies is only known after the load, which returns it.
template <class T, int Count>
class RaggedBuffer : public detail::Storage1D<T, Count, alignof(T) % 16 == 0 ? 0 : 16 + (16 - Count * sizeof(T) % 16) % 16> {
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
