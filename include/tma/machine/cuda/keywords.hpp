// The words that nvcc adds to C++.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__      thread_local  // each resident block runs on a system thread of its own
#define __forceinline__ inline __attribute__((always_inline))
// Nothing, since the standard library writes __attribute__((__noinline__)).
#define __noinline__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)

// For what reads or writes memory on behalf of the machine, not of the kernel: such accesses are not reported to it. Not
// inlined, because an inlined body is instrumented with its caller.
#if defined(__clang__) && __has_attribute(disable_sanitizer_instrumentation)
#  define TMA_DETAIL_RAW __attribute__((noinline, no_sanitize("thread"), disable_sanitizer_instrumentation))
#else
#  define TMA_DETAIL_RAW __attribute__((noinline, no_sanitize("thread")))
#endif
