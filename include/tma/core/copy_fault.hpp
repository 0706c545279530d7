#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "element.hpp"
#include "meta.hpp"
#include "tensor_box.hpp"

namespace tma::inline TMA_ABI {

/// What is wrong with a copy as it is issued. The tensor map itself is another matter: the driver has judged it.
enum class CopyFault : int {
  none,
  illegal_instruction,  ///< stops the kernel
  misaligned_address,   ///< stops the kernel
  undefined,            ///< the hardware says nothing and does something; PTX does not say what
};

/// The fault of a tensor copy at `at`, slowest dimension first, from or to `shared` in the shared window: rules M8 and M9,
/// and a tile lies at a multiple of 128.
///
/// Of several faults one that stops the kernel is told.
TMA_HOST_DEVICE constexpr CopyFault check_tensor_copy(const TensorBox& box, const int* at, detail::u32 shared, bool store) {
  if (detail::i64(at[box.inner()]) * element_bytes(box.type) % 16 != 0) return CopyFault::illegal_instruction;
  for (int d = 0; store && d < box.rank; ++d)
    if (at[d] < 0) return CopyFault::illegal_instruction;
  return shared % 128 != 0 ? CopyFault::misaligned_address : CopyFault::none;
}

/// The fault of a one-dimensional copy: both addresses are multiples of 16, and so is the size (rule M11; the hardware then
/// moves `bulk_bytes`).
TMA_HOST_DEVICE constexpr CopyFault check_bulk_copy(detail::u64 global, detail::u32 shared, detail::u32 bytes) {
  if (global % 16 != 0 || shared % 16 != 0) return CopyFault::misaligned_address;
  return bytes % 16 != 0 ? CopyFault::undefined : CopyFault::none;
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
