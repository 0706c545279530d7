// Copies by threads on the machine: stands in for device/ptx_async.hpp.
#pragma once

#include "../core/prologue.hpp"

#include "ptx_base.hpp"

namespace tma::inline TMA_ABI::ptx {

template <int Bytes> TMA_DEVICE void cp_async(u32 shared, const void* global, u32 source_bytes) {
  machine::rt::cp_async_at(shared, global, Bytes, source_bytes);
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
