#pragma once

#include <cuda_runtime_api.h>

#include "../core/shared_bytes.hpp"
#include "driver.hpp"

namespace tma {

/// One to three extents, x first, as CUDA has them. Takes any integer; what does not fit is refused at the launch.
struct Extent3 {
  detail::Index64 x = 1, y = 1, z = 1;

  constexpr Extent3() = default;
  template <class X>
    requires(detail::is_integer_v<detail::remove_cvref_t<X>>)
  constexpr Extent3(X x_) : x(x_) {}
  constexpr Extent3(detail::Index64 x_, detail::Index64 y_, detail::Index64 z_ = 1) : x(x_), y(y_), z(z_) {}
};

/// How a kernel is launched: `{.grid = {columns / 32, rows / 32}, .block = 256}`.
struct LaunchConfig {
  Extent3      grid;
  Extent3      block;
  /// Dynamic shared memory in bytes: `tma::shared_bytes<Shared>`. The opt-in above 48 KiB is made here.
  detail::u64  shared  = 0;
  /// Blocks in a cluster; leave out for none.
  Extent3      cluster = {};
  cudaStream_t stream  = nullptr;
};

namespace detail {

struct Dimensions {
  u64 x, y, z;
  u64 count() const { return x * y * z; }
};

inline Dimensions check_extent(Report& report, const char* name, const Extent3& e, const u64 (&most)[3]) {
  const Index64* axes[] = {&e.x, &e.y, &e.z};
  u64            out[3];
  for (int i = 0; i < 3; ++i) {
    out[i] = axes[i]->value < 0 ? 0 : u64(axes[i]->value);
    if (axes[i]->fits && out[i] >= 1 && out[i] <= most[i]) continue;
    auto& v = report.add("L1", Severity::error);
    print_to(v.field, "%s.%c", name, "xyz"[i]);
    print_to(v.value, "%lld", axes[i]->value);
    print_to(v.rule, "a %s is 1 to %llu in %c", name, most[i], "xyz"[i]);
    if (axes[i]->value == 0) print_to(v.fix, "there is no work: do not launch, or round up (n + tile - 1) / tile");
    else print_to(v.fix, "move part of it to another dimension, or loop inside the kernel");
    out[i] = 1;
  }
  return {out[0], out[1], out[2]};
}

inline void check_launch(Report& report, const LaunchConfig& c, Dimensions& grid, Dimensions& block, Dimensions& cluster) {
  grid    = check_extent(report, "grid", c.grid, {0x7fffffff, 65535, 65535});
  block   = check_extent(report, "block", c.block, {1024, 1024, 64});
  cluster = check_extent(report, "cluster", c.cluster, {16, 16, 16});
  if (block.count() > 1024) {
    auto& v = report.add("L2", Severity::error);
    print_to(v.field, "block");
    print_to(v.value, "%llu x %llu x %llu = %llu threads", block.x, block.y, block.z, block.count());
    print_to(v.rule, "a block has at most 1024 threads");
    print_to(v.fix, "use a smaller block and more of them");
  }
  const u64 g[] = {grid.x, grid.y, grid.z}, k[] = {cluster.x, cluster.y, cluster.z};
  for (int i = 0; i < 3; ++i) {
    if (g[i] % k[i] == 0) continue;
    auto& v = report.add("L3", Severity::error);
    print_to(v.field, "grid.%c", "xyz"[i]);
    print_to(v.value, "%llu blocks, clusters of %llu", g[i], k[i]);
    print_to(v.rule, "the grid holds whole clusters");
    print_to(v.fix, "launch %llu blocks and let the last ones find no work", (g[i] + k[i] - 1) / k[i] * k[i]);
  }
  if (cluster.count() > 16) {
    auto& v = report.add("L3", Severity::error);
    print_to(v.field, "cluster");
    print_to(v.value, "%llu blocks", cluster.count());
    print_to(v.rule, "a cluster has at most 8 blocks, 16 where the device allows it");
    print_to(v.fix, "use a cluster of 8 or fewer");
  }
}

// `shared` is the dynamic part, `fixed` the kernel's static part.
inline void check_shared(Report& report, u64 shared, u64 fixed, u64 limit) {
  if (shared + fixed <= limit) return;
  auto& v = report.add("L4", Severity::error);
  print_to(v.field, "shared");
  print_to(v.value, "%llu + %llu static = %llu bytes", shared, fixed, shared + fixed);
  print_to(v.rule, "a block has at most %llu bytes of shared memory on this device", limit);
  print_to(v.fix, "use fewer stages or smaller tiles");
}

inline Error launch_kernel(const void* kernel, const LaunchConfig& config, void** arguments) {
  Report     report;
  Dimensions grid, block, cluster;
  check_launch(report, config, grid, block, cluster);
  if (!report.ok()) return Error("this launch is not possible", report);

  const auto failed = [&](const char* what, cudaError_t e) -> Error {
    cudaGetLastError();
    if (is_sticky(e)) return context_error(e);
    Driver driver;
    if (const Error none = system_driver(driver)) return none;
    Text text;
    text.append("tma: %s failed: %s (%s)", what, cudaGetErrorName(e), cudaGetErrorString(e));
    cudaFuncAttributes a{};
    if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction)
      text.append(". The program holds no code for this device (compute capability %d.%d): compile with "
                  "-gencode=arch=compute_%d,code=sm_%d",
                  driver.compute_capability / 10, driver.compute_capability % 10, driver.compute_capability,
                  driver.compute_capability);
    else if (cudaFuncGetAttributes(&a, kernel) == cudaSuccess)
      text.append(". The kernel has %d registers a thread and %llu bytes of static shared memory, and runs with up to %d "
                  "threads; asked for: %llu threads, %llu bytes of dynamic shared memory, clusters of %llu",
                  a.numRegs, u64(a.sharedSizeBytes), a.maxThreadsPerBlock, block.count(), config.shared, cluster.count());
    cudaGetLastError();
    return {ErrorKind::launch_failed, text.append("\n")};
  };

  if (config.shared > 0) {
    cudaFuncAttributes a{};
    int                device = 0, limit = 0;
    cudaError_t        e = cudaFuncGetAttributes(&a, kernel);
    if (e == cudaSuccess) e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e != cudaSuccess) return failed("the look-up of the kernel", e);
    check_shared(report, config.shared, a.sharedSizeBytes, u64(limit));
    if (!report.ok()) return Error("this launch is not possible", report);
    if (config.shared + a.sharedSizeBytes > static_shared_limit && int(config.shared) > a.maxDynamicSharedSizeBytes) {
      e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(config.shared));
      if (e != cudaSuccess) return failed("the shared-memory opt-in", e);
    }
  }
  cudaLaunchAttribute attributes[1]{};
  cudaLaunchConfig_t  launch{};
  launch.gridDim          = dim3(unsigned(grid.x), unsigned(grid.y), unsigned(grid.z));
  launch.blockDim         = dim3(unsigned(block.x), unsigned(block.y), unsigned(block.z));
  launch.dynamicSmemBytes = config.shared;
  launch.stream           = config.stream;
  launch.attrs            = attributes;
  if (cluster.count() > 1) {
    attributes[launch.numAttrs].id               = cudaLaunchAttributeClusterDimension;
    attributes[launch.numAttrs].val.clusterDim.x = unsigned(cluster.x);
    attributes[launch.numAttrs].val.clusterDim.y = unsigned(cluster.y);
    attributes[launch.numAttrs].val.clusterDim.z = unsigned(cluster.z);
    ++launch.numAttrs;
    if (cluster.count() > 8) {
      const cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (e != cudaSuccess) return failed("the opt-in to clusters of more than 8 blocks", e);
    }
  }
  const cudaError_t e = cudaLaunchKernelExC(&launch, kernel, arguments);
  if (e != cudaSuccess) return failed("the launch", e);
  return {};
}

}  // namespace detail

/// Launches `kernel` with `arguments`, each converted to the parameter's type. Returns the error, if any: a broken rule,
/// no machine, or the runtime's refusal with the kernel's needs. Asynchronous: what the kernel does wrong shows up at the
/// next synchronisation.
template <class... P, class... A>
Error try_launch(void (*kernel)(P...), const LaunchConfig& config, A&&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "tma::launch: one argument for each parameter of the kernel");
  const auto run = [&](P... parameters) {
    void* pointers[sizeof...(P) + 1] = {const_cast<void*>(static_cast<const void*>(&parameters))..., nullptr};
    return detail::launch_kernel(reinterpret_cast<const void*>(kernel), config, pointers);
  };
  if constexpr (sizeof...(P) == sizeof...(A)) return run(static_cast<A&&>(arguments)...);
}

/// The same, throwing `tma::Error`.
template <class... P, class... A> void launch(void (*kernel)(P...), const LaunchConfig& config, A&&... arguments) {
  if (const Error error = try_launch(kernel, config, static_cast<A&&>(arguments)...)) throw error;
}

}  // namespace tma
