#pragma once

#include "../core/prologue.hpp"

#include "../core/shared_bytes.hpp"
#include "instructions.hpp"

namespace tma::inline TMA_ABI {

/// The block's one object of type `T` in shared memory, uninitialised, aligned as `T` asks. Every thread gets the same
/// object, at every call.
///
/// Up to 48 KiB it is static shared memory. A larger one lies in dynamic shared memory, at its start, rounded up by
/// hand because the hardware promises 16 bytes there only; launch such a kernel with `.shared = tma::shared_bytes<T>`
/// (which is 0 for the small ones), and use one such `T` a kernel.
template <class T> TMA_DEVICE T& shared() {
  static_assert(sizeof(T) <= 227 * 1024, "tma::shared: the object does not fit the 227 KiB of shared memory that a block "
                                         "can have. Use fewer stages or smaller tiles");
  static_assert(__is_trivially_constructible(T),
                "tma::shared: the object lies uninitialised in shared memory: it has no constructor and no member "
                "initialiser, which nobody would run. Assign its members by one thread, then block.sync()");
  if constexpr (sizeof(T) <= detail::static_shared_limit) {
    return ptx::static_shared<T>();
  } else {
    unsigned char* const first   = ptx::dynamic_shared();
    const detail::u32    address = ptx::shared_address(first);
    T&                   object  = *reinterpret_cast<T*>(first + (detail::u32(-address) & (alignof(T) - 1)));
    ptx::describe_object(object);
    return object;
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
