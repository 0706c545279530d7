#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include "../core/shared_bytes.hpp"
#include "rules/registers.hpp"
#if defined(TMA_DETAIL_WATCHED)
#  include "kernel_channel.hpp"
#endif
#include "launch_refused.hpp"
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
  /// What the kernel's roles move of registers: `tma::registers_of(producers, consumers)`. Where it is given, a block or a
  /// kernel in which they would wait forever is refused (rules R1, R2). Leave it out for a target without a letter (sm_90),
  /// where no registers move.
  RoleRegisters registers = {};
};

namespace detail {

#if TMA_HAS_HOST_TEXT

inline void check_extent(Report& report, const char* name, const Extent3& e, const u64 (&most)[3], Dimensions& out) {
  const Index64* axes[] = {&e.x, &e.y, &e.z};
  for (int i = 0; i < 3; ++i) {
    const i64 n = axes[i]->value;
    out.axis[i] = u64(n);
    if (axes[i]->fits && n >= 1 && u64(n) <= most[i]) continue;
    report.error("L1", "%s.%c|%lld|a %s must be 1 to %llu in %c|%s", name, "xyz"[i], n, name, most[i], "xyz"[i],
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
    report.error("L2",
                 "block|%llu x %llu x %llu = %llu threads|a block must have at most 1024 threads|use a smaller block and "
                 "more of them",
                 block.axis[0], block.axis[1], block.axis[2], block.count());
  check_whole_clusters(report, grid, cluster, "");
  if (cluster.count() > 16)
    report.error("L3",
                 "cluster|%llu blocks|a cluster must have at most 8 blocks, 16 where the device allows it|use a cluster of "
                 "8 or fewer",
                 cluster.count());
}

// Registers that a thread of the kernel begins with. A checked build moves none, and its kernels are compiled with as many as
// they happen to need: there the most that their bound on threads leaves to each.
inline int registers_at_launch(const cudaFuncAttributes& a) {
#  if defined(TMA_DETAIL_WATCHED)
  const int share = a.maxThreadsPerBlock > 0 ? 65536 / a.maxThreadsPerBlock / 8 * 8 : 0;
  return share < 256 ? share : 256;
#  else
  return a.numRegs;
#  endif
}

// What the runtime is asked for.
struct LaunchRequest {
  cudaLaunchConfig_t  config{};
  cudaLaunchAttribute attributes[2];
};

inline void fill_request(LaunchRequest& r, const LaunchConfig& c, const Dimensions& grid, const Dimensions& block,
                         const Dimensions& cluster) {
  r.config.gridDim.x        = unsigned(grid.axis[0]);
  r.config.gridDim.y        = unsigned(grid.axis[1]);
  r.config.gridDim.z        = unsigned(grid.axis[2]);
  r.config.blockDim.x       = unsigned(block.axis[0]);
  r.config.blockDim.y       = unsigned(block.axis[1]);
  r.config.blockDim.z       = unsigned(block.axis[2]);
  r.config.dynamicSmemBytes = c.shared;
  r.config.stream           = c.stream;
  r.config.attrs            = r.attributes;
  if (cluster.count() > 1) {
    cudaLaunchAttribute& in_clusters = r.attributes[r.config.numAttrs++];
    in_clusters.id                   = cudaLaunchAttributeClusterDimension;
    in_clusters.val.clusterDim.x     = unsigned(cluster.axis[0]);
    in_clusters.val.clusterDim.y     = unsigned(cluster.axis[1]);
    in_clusters.val.clusterDim.z     = unsigned(cluster.axis[2]);
  }
  if (c.order == StreamOrder::programmatic) {
    cudaLaunchAttribute& early                       = r.attributes[r.config.numAttrs++];
    early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
}

// Launches, up to the first refusal: `step` is what was tried last. What needs an answer of the runtime before it can be judged
// is added to the report, and ends here as well.
inline cudaError_t ask_for_launch(const void* kernel, const LaunchRequest& request, void** arguments, u64 cluster_blocks,
                                  const RoleRegisters& registers, Report& report, const char*& step) {
  cudaError_t  e      = cudaSuccess;
  const u64    shared = request.config.dynamicSmemBytes;
  KernelFacts* facts  = nullptr;
  if (shared > 0 || registers.registers > 0) {
    step = "the look-up of the kernel";
    e    = kernel_facts(kernel, facts);
    if (e == cudaSuccess && registers.registers > 0) {
      // Of the current device: what is remembered may be another's, whose code is another.
      cudaFuncAttributes now{};
      const dim3         block = request.config.blockDim;
      e                        = cudaFuncGetAttributes(&now, kernel);
      if (e == cudaSuccess) check_registers(report, registers, u64(block.x) * block.y * block.z, registers_at_launch(now));
    }
    if (e == cudaSuccess && needs_opt_in(*facts, shared)) e = allow_shared(*facts, shared, false, report, step);
    if (e != cudaSuccess || !report.ok()) return e;
  }
  if (cluster_blocks > 8) {
    step = "the opt-in to clusters of more than 8 blocks";
    e    = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (e != cudaSuccess) return e;
  }
#  if defined(TMA_DETAIL_WATCHED)
  open_kernel_channel(kernel);
#  endif
  step = "the launch";
  e    = cudaLaunchKernelExC(&request.config, kernel, arguments);
  if (e == cudaSuccess || !facts || is_sticky(e)) return e;
  // The limit of shared memory goes with the context (cudaDeviceReset), and others may have written it.
  cudaFuncAttributes now{};
  if (cudaFuncGetAttributes(&now, kernel) != cudaSuccess || u64(now.maxDynamicSharedSizeBytes) >= shared) return e;
  cudaGetLastError();
  const cudaError_t raised = allow_shared(*facts, shared, true, report, step);
  if (raised != cudaSuccess || !report.ok()) return raised;
  step = "the launch";
  return cudaLaunchKernelExC(&request.config, kernel, arguments);
}

inline Error launch_kernel(const void* kernel, const LaunchConfig& config, void** arguments) {
  Report        report;
  LaunchRequest request;
  Dimensions    grid, block, cluster;
  const char*   step = nullptr;
  cudaError_t   e    = cudaSuccess;
  check_launch(report, config, grid, block, cluster);
  if (report.ok()) {
    fill_request(request, config, grid, block, cluster);
    e = ask_for_launch(kernel, request, arguments, cluster.count(), config.registers, report, step);
    if (e != cudaSuccess && report.ok()) return launch_refused(step, e, kernel, request.config, cluster);
  }
  if (!report.ok()) return Error("this launch is not possible", report);
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
  constexpr bool values = !(is_reference_v<P> || ...);
  static_assert(values,
                "tma::launch: a kernel must take its parameters by value: a reference is an address in host memory. Take "
                "the value, a descriptor as const __grid_constant__ Map map, or a pointer to device memory");
  static_assert(as_many, "tma::launch: one argument for each parameter of the kernel");
  static_assert(!as_many || convert, "tma::launch: an argument does not convert to the kernel's parameter at its place. "
                                     "Compare P, the parameters, with A, the arguments");
  return values && as_many && convert;
}

}  // namespace detail

/// Launches `kernel` with `arguments`, each converted to the parameter's type, on the current device. Any thread may call. The
/// kernel's limit of dynamic shared memory is raised to all that the device allows, once, where a launch needs more than 48 KiB.
/// Asynchronous: what the kernel does wrong shows up at the next synchronisation.
///
/// Returns the error, if any: rules L1 to L3 broken, before CUDA is asked; L3, L4, L6 and L7 where the kernel or the device is the
/// reason that CUDA refuses; no machine; `context_failed` after an earlier kernel's failure; `launch_failed` with all that was
/// asked for.
template <class... P, class... A>
[[nodiscard]] Error try_launch(void (*kernel)(P...), const LaunchConfig& config, A&&... arguments) {
  if constexpr (detail::takes<A...>(static_cast<void (*)(P...)>(nullptr)))
    return detail::launch_with<P...>(kernel, config, static_cast<A&&>(arguments)...);
  else return {};  // what is wrong is said
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
