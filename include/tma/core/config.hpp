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

// Host code that runs once for each descriptor or launch, or when something is wrong, stands between these two. The host
// compiler is told to spend no time on it: optimised, the rule book alone would cost every file that includes it a third of
// a second. (An attribute on each function does the same and costs half of what it saves.)
#if defined(__clang__)
#  define TMA_DETAIL_COLD_BEGIN _Pragma("clang optimize off")
#  define TMA_DETAIL_COLD_END   _Pragma("clang optimize on")
#elif defined(__CUDACC__)
#  define TMA_DETAIL_COLD_BEGIN                                                                \
    _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1675") _Pragma("GCC push_options") \
        _Pragma("GCC optimize(\"O0\")")
#  define TMA_DETAIL_COLD_END _Pragma("GCC pop_options") _Pragma("nv_diagnostic pop")
#elif defined(__GNUC__)
#  define TMA_DETAIL_COLD_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\")")
#  define TMA_DETAIL_COLD_END   _Pragma("GCC pop_options")
#else
#  define TMA_DETAIL_COLD_BEGIN
#  define TMA_DETAIL_COLD_END
#endif

#if defined(__CUDACC_RTC__)
#  define TMA_HAS_HOST 0
#else
#  define TMA_HAS_HOST 1
#endif

#if !defined(__cplusplus) || (__cplusplus < 202002L && !defined(_MSVC_LANG))
#  error "tma needs C++20: compile with -std=c++20"
#endif
