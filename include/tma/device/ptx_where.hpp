// Who a thread is and where a pointer points: what the other instructions, and the notes of a checked build, are written with.
#pragma once

#include "../core/prologue.hpp"

#include "../core/config.hpp"
#include "../core/meta.hpp"
#include "device_code.hpp"
#include "ptx_text.hpp"

// What a checked build notes of a barrier before an instruction: device/barrier_notes.hpp.
#if defined(TMA_DETAIL_WATCHED)
#  define TMA_DETAIL_NOTE(what) ::tma::detail::notes::what
#else
#  define TMA_DETAIL_NOTE(what) static_cast<void>(0)
#endif

namespace tma::inline TMA_ABI::ptx {

/// This thread's rank in its block, counted as the hardware forms warps: x fastest. With a fixed block shape
/// (`__block_size__((256, 1, 1))`) the assembler folds the unused terms.
TMA_DEVICE u32 thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

TMA_DEVICE u32 block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

/// True where `pointer` points into the thread's own local memory.
TMA_DEVICE bool is_local(const void* pointer) { return __isLocal(pointer) != 0; }

/// True where `pointer` points into this block's shared memory.
TMA_DEVICE bool is_shared(const void* pointer) { return __isShared(pointer) != 0; }

TMA_DEVICE u32 shared_address(const void* pointer) { return static_cast<u32>(__cvta_generic_to_shared(pointer)); }

/// The block's one object of type T in static shared memory.
template <class T> TMA_DEVICE T& static_shared() {
  __shared__ T object;
  return object;
}

/// The start of dynamic shared memory.
TMA_DEVICE unsigned char* dynamic_shared() {
  extern __shared__ unsigned char tma_dynamic_shared[];
  return tma_dynamic_shared;
}

#if !defined(TMA_DETAIL_WATCHED)
/// What a place in shared memory is called, `format` with one or two numbers in it, and whose it is; which role a thread has;
/// and that it is done with a ring: for the reports of checked builds and of the CPU machine. Of a ring's barriers the first
/// number is the stage and the second how many stages there are: those that say full[%d] lie in a row, and the others behind.
TMA_DEVICE void describe(const void*, u32, const char*, int = 0, int = 0, const char* = nullptr) {}
TMA_DEVICE void enter_role(const char*) {}
TMA_DEVICE void leave_ring(const void*, const void*, int) {}
/// What lies in dynamic shared memory.
template <class T> TMA_DEVICE void describe_object(const T&) {}
#endif

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
