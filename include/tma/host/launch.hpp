#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include "../core/shared_bytes.hpp"
#include "driver.hpp"
#if defined(TMA_DETAIL_WATCHED)
#  include "kernel_channel.hpp"
#endif
#include "stream_order.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// One to three extents, x first, as CUDA has them. Takes any integer; what does not fit is refused at the launch.
struct TMA_PUBLIC Extent3 {
  detail::Index64 x = 1, y = 1, z = 1;

  constexpr Extent3() = default;
  template <class X>
    requires(detail::is_integer_v<detail::remove_cvref_t<X>>)
  constexpr Extent3(X x_) : x(x_) {}
  constexpr Extent3(detail::Index64::an_extent_stride_or_block_count_is_an_integer__convert_it) = delete;
  constexpr Extent3(detail::Index64 x_, detail::Index64 y_, detail::Index64 z_ = 1) : x(x_), y(y_), z(z_) {}
};

/// How a kernel is launched: `{.grid = {columns / 32, rows / 32}, .block = 256}`.
struct TMA_PUBLIC LaunchConfig {
  Extent3 grid;
  Extent3 block;
  /// Dynamic shared memory in bytes: `tma::shared_bytes<Shared>`. The opt-in above 48 KiB is made here.
  detail::u64 shared = 0;
  /// Blocks in a cluster; leave out for none.
  Extent3      cluster = {};
  cudaStream_t stream  = nullptr;
  /// Whether it may start before the kernel before it has ended.
  StreamOrder order = StreamOrder::after_previous;
};

namespace detail {

#if TMA_HAS_HOST_TEXT

struct Dimensions {
  u64 axis[3];
  u64 count() const { return axis[0] * axis[1] * axis[2]; }
};

inline void check_extent(Report& report, const char* name, const Extent3& e, const u64 (&most)[3], Dimensions& out) {
  const Index64* axes[] = {&e.x, &e.y, &e.z};
  for (int i = 0; i < 3; ++i) {
    const i64 n = axes[i]->value;
    out.axis[i] = u64(n);
    if (axes[i]->fits && n >= 1 && u64(n) <= most[i]) continue;
    report.error("L1", "%s.%c|%lld|a %s is 1 to %llu in %c|%s", name, "xyz"[i], n, name, most[i], "xyz"[i],
                 n == 0  ? "there is no work: do not launch, or round up: (n + tile - 1) / tile"
                 : n < 0 ? "look for a subtraction or a cast that went below zero"
                         : "move part of it to another dimension, or loop inside the kernel");
    out.axis[i] = 1;
  }
}

inline void check_launch(Report& report, const LaunchConfig& c, Dimensions& grid, Dimensions& block, Dimensions& cluster) {
  check_extent(report, "grid", c.grid, {0x7fffffff, 65535, 65535}, grid);
  check_extent(report, "block", c.block, {1024, 1024, 64}, block);
  check_extent(report, "cluster", c.cluster, {16, 16, 16}, cluster);
  if (block.count() > 1024)
    report.error(
        "L2",
        "block|%llu x %llu x %llu = %llu threads|a block has at most 1024 threads|use a smaller block and more of them",
        block.axis[0], block.axis[1], block.axis[2], block.count());
  for (int i = 0; i < 3; ++i) {
    const u64 g = grid.axis[i], k = cluster.axis[i];
    if (g % k != 0)
      report.error("L3",
                   "grid.%c|%llu blocks, clusters of %llu|the grid holds whole clusters|"
                   "launch %llu blocks and let the last ones find no work",
                   "xyz"[i], g, k, (g + k - 1) / k * k);
  }
  if (cluster.count() > 16)
    report.error(
        "L3",
        "cluster|%llu blocks|a cluster has at most 8 blocks, 16 where the device allows it|use a cluster of 8 or fewer",
        cluster.count());
}

// `shared` is the dynamic part, `fixed` the kernel's static part.
inline void check_shared(Report& report, u64 shared, u64 fixed, u64 limit) {
  if (static_cast<long long>(shared) < 0)
    report.error("L4",
                 "shared|%lld|the bytes of dynamic shared memory must be at least 0|"
                 "look for a subtraction or a cast that went below zero",
                 static_cast<long long>(shared));
  else if (fixed > limit || shared > limit - fixed)
    report.error("L4",
                 "shared|%llu + %llu static = %llu bytes|a block has at most %llu bytes of shared memory on this device|"
                 "use fewer stages or smaller tiles",
                 shared, fixed, shared + fixed, limit);
}

inline Error launch_error(const char* what, cudaError_t e, const void* kernel, u64 threads, u64 shared) {
  cudaGetLastError();
  if (is_sticky(e)) return context_error(e);
  Driver      driver;
  const Error none = system_driver(driver);
  if (none) return none;
  if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction)
    return Error(ErrorKind::launch_failed,
                 "tma: %s failed: %s (%s). The program holds no code for this device: compile with "
                 "-gencode=arch=compute_%d,code=sm_%d\n",
                 what, cudaGetErrorName(e), cudaGetErrorString(e), driver.compute_capability, driver.compute_capability);
  cudaFuncAttributes a{};
  if (cudaFuncGetAttributes(&a, kernel) != cudaSuccess) cudaGetLastError();
  return Error(ErrorKind::launch_failed,
               "tma: %s failed: %s (%s). The kernel has %d registers a thread and %llu bytes of static shared memory, and "
               "runs with up "
               "to %d threads; asked for: %llu threads, %llu bytes of dynamic shared memory\n",
               what, cudaGetErrorName(e), cudaGetErrorString(e), a.numRegs, u64(a.sharedSizeBytes), a.maxThreadsPerBlock,
               threads, shared);
}

// What the runtime is asked, up to the first refusal: `step` is what was tried last. What needs an answer of the runtime
// before it can be judged is added to the report, and ends here as well.
inline cudaError_t ask_for_launch(const void* kernel, const LaunchConfig& config, void** arguments, const Dimensions& grid,
                                  const Dimensions& block, const Dimensions& cluster, Report& report, const char*& step) {
  cudaError_t e = cudaSuccess;
  if (config.shared > 0) {
    cudaFuncAttributes a;
    int                device = 0, limit = 0;
    step = "the look-up of the kernel";
    e    = cudaFuncGetAttributes(&a, kernel);
    if (e == cudaSuccess) e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e != cudaSuccess) return e;
    check_shared(report, config.shared, a.sharedSizeBytes, u64(limit));
    if (!report.ok()) return e;
    if (config.shared + a.sharedSizeBytes > static_shared_limit && int(config.shared) > a.maxDynamicSharedSizeBytes) {
      step = "the shared-memory opt-in";
      e    = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(config.shared));
      if (e != cudaSuccess) return e;
    }
  }
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t  launch{};
  launch.gridDim.x        = unsigned(grid.axis[0]);
  launch.gridDim.y        = unsigned(grid.axis[1]);
  launch.gridDim.z        = unsigned(grid.axis[2]);
  launch.blockDim.x       = unsigned(block.axis[0]);
  launch.blockDim.y       = unsigned(block.axis[1]);
  launch.blockDim.z       = unsigned(block.axis[2]);
  launch.dynamicSmemBytes = config.shared;
  launch.stream           = config.stream;
  launch.attrs            = attributes;
  if (cluster.count() > 1) {
    cudaLaunchAttribute& in_clusters = attributes[launch.numAttrs++];
    in_clusters.id                   = cudaLaunchAttributeClusterDimension;
    in_clusters.val.clusterDim.x     = unsigned(cluster.axis[0]);
    in_clusters.val.clusterDim.y     = unsigned(cluster.axis[1]);
    in_clusters.val.clusterDim.z     = unsigned(cluster.axis[2]);
    if (cluster.count() > 8) {
      step = "the opt-in to clusters of more than 8 blocks";
      e    = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (e != cudaSuccess) return e;
    }
  }
  if (config.order == StreamOrder::programmatic) {
    cudaLaunchAttribute& early                       = attributes[launch.numAttrs++];
    early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
#  if defined(TMA_DETAIL_WATCHED)
  open_kernel_channel(kernel);
#  endif
  step = "the launch";
  return cudaLaunchKernelExC(&launch, kernel, arguments);
}

inline Error launch_kernel(const void* kernel, const LaunchConfig& config, void** arguments) {
  Report      report;
  Dimensions  grid, block, cluster;
  const char* step = nullptr;
  cudaError_t e    = cudaSuccess;
  check_launch(report, config, grid, block, cluster);
  if (report.ok()) e = ask_for_launch(kernel, config, arguments, grid, block, cluster, report, step);
  if (!report.ok()) return Error("this launch is not possible", report);
  if (e != cudaSuccess) return launch_error(step, e, kernel, block.count(), config.shared);
  return {};
}

#else
Error launch_kernel(const void* kernel, const LaunchConfig& config, void** arguments);
#endif  // TMA_HAS_HOST_TEXT

// Each argument is converted where the call stands, and lives until it is over; what has the parameter's type is not copied.
template <class... P> Error launch_with(void (*kernel)(P...), const LaunchConfig& config, const P&... parameters) {
  void* pointers[sizeof...(P) + 1] = {const_cast<void*>(static_cast<const void*>(&parameters))..., nullptr};
  return launch_kernel(TMA_DETAIL_KERNEL_ENTRY(kernel), config, pointers);
}

// Whether a kernel with parameters P can be launched with arguments A. The pointer only names P.
template <class... A, class... P> constexpr bool takes(void (*)(P...)) {
  constexpr bool as_many = sizeof...(P) == sizeof...(A), convert = is_callable<void(P...), A...>(0);
  static_assert(as_many, "tma::launch: one argument for each parameter of the kernel");
  static_assert(!as_many || convert, "tma::launch: an argument does not convert to the kernel's parameter at its place. "
                                     "Compare P, the parameters, with A, the arguments");
  return as_many && convert;
}

}  // namespace detail

/// Launches `kernel` with `arguments`, each converted to the parameter's type. Returns the error, if any: a broken rule,
/// no machine, or the runtime's refusal with the kernel's needs. Asynchronous: what the kernel does wrong shows up at the
/// next synchronisation.
template <class... P, class... A>
[[nodiscard]] Error try_launch(void (*kernel)(P...), const LaunchConfig& config, A&&... arguments) {
  if constexpr (detail::takes<A...>(static_cast<void (*)(P...)>(nullptr)))
    return detail::launch_with<P...>(kernel, config, static_cast<A&&>(arguments)...);
}

/// The same, throwing `tma::Error`.
template <class... P, class... A> void launch(void (*kernel)(P...), const LaunchConfig& config, A&&... arguments) {
  if constexpr (detail::takes<A...>(static_cast<void (*)(P...)>(nullptr))) {
    const Error error = detail::launch_with<P...>(kernel, config, static_cast<A&&>(arguments)...);
    if (error) detail::raise(error);
  }
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
