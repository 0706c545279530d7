// Execution-space macros and the library's version. The one place that asks which compiler this is, and whether the CPU
// machine stands in for a device (TMA_MACHINE, from <tma/machine/cuda.hpp>).
#pragma once

#define TMA_VERSION_MAJOR 0
#define TMA_VERSION_MINOR 1
#define TMA_VERSION_PATCH 0

// The inline namespace of everything in `tma`: the version, and the settings that change what an inline function or a type
// of the library is. Files that were compiled with different ones have different symbols: they run side by side, and what
// passes a type of the library from one to the other does not link. docs/toolkits.md
#define TMA_ABI                                                                                                      \
  TMA_DETAIL_ABI(TMA_VERSION_MAJOR, TMA_VERSION_MINOR, TMA_VERSION_PATCH, TMA_DETAIL_ABI_MODE, TMA_DETAIL_ABI_DEBUG, \
                 TMA_DETAIL_ABI_STREAM, TMA_DETAIL_ABI_EXCEPTIONS)
#define TMA_DETAIL_ABI(major, minor, patch, mode, debug, stream, exceptions) \
  TMA_DETAIL_ABI_JOIN(major, minor, patch, mode, debug, stream, exceptions)
#define TMA_DETAIL_ABI_JOIN(major, minor, patch, mode, debug, stream, exceptions) \
  v##major##_##minor##_##patch##mode##debug##stream##exceptions

#if defined(TMA_MACHINE) || defined(TMA_MACHINE_SOURCE)  // one library of the simulator serves all of a program's files
#  define TMA_DETAIL_ABI_MODE _simulator
#elif defined(TMA_CHECKED)
#  define TMA_DETAIL_ABI_MODE _checked
#elif defined(TMA_RACECHECK)
#  define TMA_DETAIL_ABI_MODE _racecheck
#else
#  define TMA_DETAIL_ABI_MODE
#endif
#if defined(__CUDACC_DEBUG__)  // nvcc -G, whose kernels move no registers
#  define TMA_DETAIL_ABI_DEBUG _debug
#else
#  define TMA_DETAIL_ABI_DEBUG
#endif
#if !defined(TMA_MACHINE) && !defined(TMA_MACHINE_SOURCE) && \
    (defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM))
#  define TMA_DETAIL_ABI_STREAM _per_thread_stream
#else
#  define TMA_DETAIL_ABI_STREAM
#endif
#if defined(__CUDACC_RTC__) || defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(TMA_MACHINE) || \
    defined(TMA_MACHINE_SOURCE)
#  define TMA_DETAIL_ABI_EXCEPTIONS
#else
#  define TMA_DETAIL_ABI_EXCEPTIONS _no_exceptions
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#  define TMA_HOST_DEVICE __host__ __device__
#  define TMA_DEVICE      __device__ __forceinline__
#  if defined(__CUDACC_VER_MAJOR__) && \
      (__CUDACC_VER_MAJOR__ < 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ < 8))
#    error "tma needs CUDA toolkit 12.8 or newer: the shared::cta form of the copies came with PTX ISA 8.6"
#  endif
#elif defined(TMA_MACHINE)
// Inlined whatever the optimisation, so that what the library does is seen at the user's own line.
#  define TMA_HOST_DEVICE inline __attribute__((always_inline))
#  define TMA_DEVICE      inline __attribute__((always_inline))
#else
#  define TMA_HOST_DEVICE
#  define TMA_DEVICE inline
#endif

// What the machine replaces: the instructions, how a kernel is known to the launch, and a look at indices that costs nothing
// on a device.
#if !defined(TMA_MACHINE)
#  define TMA_DETAIL_PTX(part)            TMA_DETAIL_PTX_FILE(ptx##part.hpp)
#  define TMA_DETAIL_PTX_FILE(file)       TMA_DETAIL_PTX_TEXT(file)
#  define TMA_DETAIL_PTX_TEXT(file)       #file
#  define TMA_DETAIL_KERNEL_ENTRY(kernel) reinterpret_cast<const void*>(kernel)
#  define TMA_DETAIL_INDEX(index, size)   static_cast<void>(index)
#  define TMA_DETAIL_IN_KERNEL            false  // in text that the host compiler reads
#endif

// Host code that runs once for each descriptor or launch, or when something is wrong, stands between these two. The host
// compiler is told to spend no time on it: optimised, the rule book alone would cost every file that includes it a third of
// a second. (An attribute on each function does the same and costs half of what it saves.)
// Its functions are hidden: each shared library of a process has its own, with its own statics, and calls its own CUDA
// runtime, which alone knows the kernels of that library. Types that programs name are TMA_PUBLIC.
#if defined(__GNUC__) && !defined(__CUDACC_RTC__)
#  define TMA_PUBLIC              __attribute__((visibility("default")))
#  define TMA_DETAIL_HIDDEN_BEGIN _Pragma("GCC visibility push(hidden)")
#  define TMA_DETAIL_HIDDEN_END   _Pragma("GCC visibility pop")
#else
#  define TMA_PUBLIC
#  define TMA_DETAIL_HIDDEN_BEGIN
#  define TMA_DETAIL_HIDDEN_END
#endif
#if defined(__CUDACC_RTC__)  // device code alone
#  define TMA_DETAIL_COLD_BEGIN
#  define TMA_DETAIL_COLD_END
#elif defined(__clang__)
#  define TMA_DETAIL_COLD_BEGIN TMA_DETAIL_HIDDEN_BEGIN _Pragma("clang optimize off")
#  define TMA_DETAIL_COLD_END   _Pragma("clang optimize on") TMA_DETAIL_HIDDEN_END
#elif defined(__NVCC__) && defined(__CUDACC__)  // a .cpp that nvcc hands to the host compiler has only the first
#  define TMA_DETAIL_COLD_BEGIN                                                                                        \
    TMA_DETAIL_HIDDEN_BEGIN _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1675") _Pragma("GCC push_options") \
        _Pragma("GCC optimize(\"O0\", \"omit-frame-pointer\")")
#  define TMA_DETAIL_COLD_END _Pragma("GCC pop_options") _Pragma("nv_diagnostic pop") TMA_DETAIL_HIDDEN_END
#elif defined(__GNUC__)
#  define TMA_DETAIL_COLD_BEGIN TMA_DETAIL_HIDDEN_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\")")
#  define TMA_DETAIL_COLD_END   _Pragma("GCC pop_options") TMA_DETAIL_HIDDEN_END
#else
#  define TMA_DETAIL_COLD_BEGIN
#  define TMA_DETAIL_COLD_END
#endif

#if defined(__CUDACC_RTC__)
#  define TMA_HAS_HOST 0
#else
#  define TMA_HAS_HOST 1
#endif
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(TMA_MACHINE)
#  define TMA_HAS_DEVICE 1
#else
#  define TMA_HAS_DEVICE 0
#endif

// nvcc reads a file once for the host and once more for each device. There, what only the host runs has declarations and no
// text.
#if defined(__CUDA_ARCH__)
#  define TMA_HAS_HOST_TEXT 0
#else
#  define TMA_HAS_HOST_TEXT TMA_HAS_HOST
#endif

// A checked build whose device keeps notes of barriers and bounds every wait. The machine has its own.
#if defined(TMA_CHECKED) && !defined(TMA_MACHINE)
#  define TMA_DETAIL_WATCHED
#  if !defined(TMA_CHECKED_SECONDS)
#    define TMA_CHECKED_SECONDS 10  // a wait that takes longer is reported, and ends the kernel
#  endif
#  if !defined(TMA_CHECKED_BARRIERS)
#    define TMA_CHECKED_BARRIERS 64  // of a block, of which notes are kept: 88 bytes of shared memory each
#  endif
#endif

// A build to be run under compute-sanitizer's racecheck (docs/checked-mode.md).
#if defined(TMA_RACECHECK) && !defined(TMA_MACHINE)
#  define TMA_DETAIL_RACECHECK
#  if defined(TMA_CHECKED)
#    error "tma: TMA_RACECHECK and TMA_CHECKED count the arrivals at a barrier in different ways: define one of them"
#  endif
#endif

// What is not supported says so in one sentence. A compiler that goes on behind an #error stops at a file that is not there.
#if defined(_MSC_VER) && !defined(__CUDACC_RTC__)
#  error "tma: MSVC is not supported: host code must be compiled by GCC 12 or newer or by Clang, on Linux"
#  define TMA_DETAIL_REFUSED
#elif defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__)
#  error \
      "tma: Clang as the CUDA compiler is not supported: .cu files must be compiled by nvcc, which may have Clang as its host compiler (-ccbin clang++)"
#  define TMA_DETAIL_REFUSED
#elif !defined(__cplusplus) || __cplusplus < 202002L
#  error "tma needs C++20: compile with -std=c++20"
#  define TMA_DETAIL_REFUSED
#endif
#if defined(TMA_DETAIL_REFUSED)
#  include "the error above says why tma does not compile here"
#endif
