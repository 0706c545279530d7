// What a kernel file needs to be a C++ program for the machine: force-included (`-include tma/machine/cuda.hpp`), it stands
// in for what nvcc knows by itself. include/ beside it holds stand-ins for CUDA's own headers.
//
// Not to be had: `kernel<<<...>>>(...)`, which is no C++ (tma::launch or cudaLaunchKernelEx launch instead); `extern
// __shared__` (tma::shared); inline PTX; `__shared__ alignas(16) float x[4]` (write alignas first, or __align__).
#pragma once

#define TMA_MACHINE 1
// The library's own device-side checks cost nothing that matters here.
#if !defined(TMA_CHECKED)
#  define TMA_CHECKED
#endif

// What core/config.hpp includes as the instructions.
#define TMA_DETAIL_PTX(part) <tma/machine/ptx.hpp>

// The address of a kernel, as void*, known to the runtime with its type.
#define TMA_DETAIL_KERNEL_ENTRY(kernel) (::tma_machine_kernel(kernel))

#include "cuda/arithmetic.hpp"
#include "cuda/atomics.hpp"
#include "cuda/bits.hpp"
#include "cuda/conversions.hpp"
#include "cuda/keywords.hpp"
#include "cuda/memory_access.hpp"
#include "cuda/warp.hpp"
#include "include/cuda_runtime.h"
