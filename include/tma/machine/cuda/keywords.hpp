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
// The numbers are kept with the function: as many instructions that do nothing before its first one, of which the compiler
// writes a list (kernel_entry.hpp reads it). A compiler needs constants there: GCC takes template parameters as well, Clang
// does not.
#define __cluster_dims__(...) \
  __attribute__((patchable_function_entry(TMA_DETAIL_CLUSTER(__VA_ARGS__), TMA_DETAIL_CLUSTER(__VA_ARGS__))))
#define TMA_DETAIL_CLUSTER(...) (::tma::machine::cluster_code(__VA_ARGS__))
// The block alone. With a cluster behind it the grid counts clusters, which the simulator does not do.
#define __block_size__(...) TMA_DETAIL_BLOCK_SIZE(__VA_ARGS__, TMA_DETAIL_SIZE_OF_BOTH, TMA_DETAIL_SIZE_OF_BLOCK, )
#define TMA_DETAIL_BLOCK_SIZE(block, cluster, which, ...) which
#define TMA_DETAIL_SIZE_OF_BLOCK
#define TMA_DETAIL_SIZE_OF_BOTH \
  __attribute__((aligned(       \
      ::tma::machine::__block_size___takes_no_cluster_on_the_simulator__write___cluster_dims___and_a_grid_of_blocks)))

namespace tma::machine {

// What __cluster_dims__ says as one number above 0. Without sizes the launch must say them.
inline constexpr unsigned cluster_of_the_launch = 0x1001;
consteval unsigned        cluster_code() { return cluster_of_the_launch; }
consteval unsigned        cluster_code(unsigned x, unsigned y = 1, unsigned z = 1) {
  const bool in_range = x >= 1 && x <= 16 && y >= 1 && y <= 16 && z >= 1 && z <= 16;
  return in_range ? 1 + (x - 1) + (y - 1) * 16 + (z - 1) * 256 : throw "__cluster_dims__ must be 1 to 16 in every dimension";
}

}  // namespace tma::machine

// For what reads or writes memory on behalf of the machine, not of the kernel: such accesses are not reported to it. Not
// inlined, because an inlined body is instrumented with its caller.
#if defined(__clang__) && __has_attribute(disable_sanitizer_instrumentation)
#  define TMA_DETAIL_RAW __attribute__((noinline, no_sanitize("thread"), disable_sanitizer_instrumentation))
#else
#  define TMA_DETAIL_RAW __attribute__((noinline, no_sanitize("thread")))
#endif
