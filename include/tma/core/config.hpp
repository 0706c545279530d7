// Execution-space macros and the library's version. The one place that asks which compiler this is.
#pragma once

#define TMA_VERSION_MAJOR 0
#define TMA_VERSION_MINOR 1
#define TMA_VERSION_PATCH 0

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#  define TMA_HOST_DEVICE __host__ __device__
#  define TMA_DEVICE      __device__ __forceinline__
#  if defined(__CUDACC_VER_MAJOR__) && \
    (__CUDACC_VER_MAJOR__ < 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ < 8))
#    error "tma needs CUDA toolkit 12.8 or newer: the shared::cta form of the copies came with PTX ISA 8.6"
#  endif
#else
#  define TMA_HOST_DEVICE
#  define TMA_DEVICE inline
#endif

// Host code that runs once for each descriptor or launch, or when something is wrong. The host compiler is told to spend
// no time on it: optimised, the rule book alone would cost every file that includes it a third of a second.
#if defined(__clang__)
#  define TMA_DETAIL_COLD __attribute__((cold, noinline, optnone))
#elif defined(__GNUC__)
#  define TMA_DETAIL_COLD __attribute__((cold, noinline, optimize("O0")))
#else
#  define TMA_DETAIL_COLD
#endif

#if defined(__CUDACC_RTC__)
#  define TMA_HAS_HOST 0
#else
#  define TMA_HAS_HOST 1
#endif

#if !defined(__cplusplus) || (__cplusplus < 202002L && !defined(_MSVC_LANG))
#  error "tma needs C++20: compile with -std=c++20"
#endif
