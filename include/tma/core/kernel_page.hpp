// What a kernel of a checked build and the host say to one another.
#pragma once

#include "prologue.hpp"

#include "meta.hpp"

namespace tma::inline TMA_ABI::detail {

// Host memory that the device writes: what stopped a kernel. It stays readable where the device's memory does not.
struct KernelPage {
  u32  ready;
  char text[4092];
};

// The same on the device, one a module: the host looks for it by this name and sets `page`.
struct KernelChannel {
  KernelPage* page;
  u32         claimed;  // by the first thread that has something to report
  u32         length;
  char        text[3072];
};

#define TMA_DETAIL_KERNEL_CHANNEL             TMA_DETAIL_KERNEL_CHANNEL_OF(TMA_ABI)
#define TMA_DETAIL_KERNEL_CHANNEL_OF(abi)     TMA_DETAIL_KERNEL_CHANNEL_JOIN(abi)
#define TMA_DETAIL_KERNEL_CHANNEL_JOIN(abi)   tma_kernel_channel_##abi
#define TMA_DETAIL_KERNEL_CHANNEL_NAME        TMA_DETAIL_KERNEL_CHANNEL_TEXT(TMA_DETAIL_KERNEL_CHANNEL)
#define TMA_DETAIL_KERNEL_CHANNEL_TEXT(name)  TMA_DETAIL_KERNEL_CHANNEL_QUOTE(name)
#define TMA_DETAIL_KERNEL_CHANNEL_QUOTE(name) #name

}  // namespace tma::inline TMA_ABI::detail

#if defined(TMA_DETAIL_WATCHED) && TMA_HAS_DEVICE
extern "C" {
#  if defined(__CUDACC_RDC__)
inline __device__ ::tma::detail::KernelChannel TMA_DETAIL_KERNEL_CHANNEL;
#  else  // nvcc has it so where each file is a module of its own
[[maybe_unused]] static __device__ ::tma::detail::KernelChannel TMA_DETAIL_KERNEL_CHANNEL;
#  endif
}
#endif

#include "epilogue.hpp"
