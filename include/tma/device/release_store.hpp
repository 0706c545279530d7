#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#include TMA_DETAIL_PTX(_launch)

namespace tma::inline TMA_ABI {

/// Writes a flag in global memory of 4 or 8 bytes, after what the calling thread did before: whoever acquires it at scope
/// `S` (device or system) sees that. As an atomic store with release, but the thread goes on at once; nothing tells when it
/// is done. What the copy engine stored needs `StoreGroup::wait_visible` first. sm_100 and newer (st.async.release.global).
template <Scope S = Scope::device, class T> TMA_DEVICE void release_store(T* flag, detail::type_identity_t<T> value) {
  static_assert(
      S == Scope::device || S == Scope::system,
      "tma::release_store: a flag in global memory is for the device or the system: Scope::device or Scope::system");
  static_assert(__is_trivially_copyable(T) && (sizeof(T) == 4 || sizeof(T) == 8),
                "tma::release_store: a flag is a value of 4 "
                "or 8 bytes");
  if constexpr ((S == Scope::device || S == Scope::system) && (sizeof(T) == 4 || sizeof(T) == 8)) {
    using Bits = typename detail::TypeAt<sizeof(T) == 8, detail::u32, detail::u64>::type;
    ptx::release_store<S>(flag, __builtin_bit_cast(Bits, value));  // NVRTC has no __builtin_memcpy
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
