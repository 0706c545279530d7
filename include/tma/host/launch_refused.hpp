// Why the runtime refuses a launch: what was asked for, against what the kernel and the device allow. Asked only when a launch
// has failed, so that a launch that goes well pays nothing, and nothing is refused that CUDA takes.
#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include "driver.hpp"
#include "kernel_facts.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

#if TMA_HAS_HOST_TEXT

// Of a grid, a block, a cluster: x first.
struct Dimensions {
  u64 axis[3];
  u64 count() const { return axis[0] * axis[1] * axis[2]; }
};

// L3. `whose` names the clusters.
inline void check_whole_clusters(Report& report, const Dimensions& grid, const Dimensions& cluster, const char* whose) {
  for (int i = 0; i < 3; ++i) {
    const u64 g = grid.axis[i], k = cluster.axis[i];
    if (g % k != 0)
      report.error("L3",
                   "grid.%c|%llu blocks, clusters of %llu%s|the grid must hold whole clusters|"
                   "launch %llu blocks and let the last ones find no work",
                   "xyz"[i], g, k, whose, (g + k - 1) / k * k);
  }
}

// L3. The cluster of a launch, and the one that the kernel was compiled for. `cluster` becomes the one that counts.
inline void check_own_cluster(Report& report, const Dimensions& grid, Dimensions& cluster, const cudaFuncAttributes& a) {
  const Dimensions own = {{u64(a.requiredClusterWidth), u64(a.requiredClusterHeight), u64(a.requiredClusterDepth)}};
  if (own.count() == 0) {
    if (a.clusterDimMustBeSet && cluster.count() == 1)
      report.error("L3", "cluster|none|a kernel with `__cluster_dims__()` must be launched in clusters|"
                         "set .cluster to the blocks of a cluster");
    return;
  }
  const bool given = cluster.count() > 1;
  const bool same  = cluster.axis[0] == own.axis[0] && cluster.axis[1] == own.axis[1] && cluster.axis[2] == own.axis[2];
  if (given && !same)
    report.error(
        "L3",
        "cluster|%llu x %llu x %llu|the cluster must be that of the kernel's own `__cluster_dims__`: %llu x %llu x %llu|"
        "leave .cluster out, or change one of the two",
        cluster.axis[0], cluster.axis[1], cluster.axis[2], own.axis[0], own.axis[1], own.axis[2]);
  if (!given) check_whole_clusters(report, grid, own, " (__cluster_dims__)");
  cluster = own;
}

// L3. The largest cluster of such blocks that the device has.
inline void check_cluster_fits(Report& report, const void* kernel, const cudaLaunchConfig_t& config, u64 blocks) {
  cudaLaunchConfig_t one = config;  // a launch without clusters: what it could have is the question
  one.attrs              = nullptr;
  one.numAttrs           = 0;
  int         most       = 0;
  cudaError_t e          = cudaOccupancyMaxPotentialClusterSize(&most, kernel, &one);
  if (e != cudaSuccess) take_back(e);
  const u64 threads = u64(config.blockDim.x) * config.blockDim.y * config.blockDim.z;
  if (e == cudaSuccess && u64(most) < blocks) {
    report.error(
        "L3",
        "cluster|%llu blocks|a cluster of this kernel must have at most %d blocks on this device, with %llu threads and "
        "%llu bytes of dynamic shared memory a block|use a smaller cluster, or blocks that need less",
        blocks, most, threads, u64(config.dynamicSmemBytes));
    return;
  }
  int together = 1;
  e            = cudaOccupancyMaxActiveClusters(&together, kernel, &config);
  if (e != cudaSuccess) take_back(e);
  else if (together == 0)
    report.error(
        "L3",
        "cluster|%llu blocks|a cluster must fit the SMs of one group (GPC) of the device: none of this shape does, with "
        "%llu threads and %llu bytes of dynamic shared memory a block|use a smaller cluster, or blocks that need less",
        blocks, threads, u64(config.dynamicSmemBytes));
}

// L6. Threads of a block, against the kernel's own limit.
inline void check_threads_of_kernel(Report& report, u64 threads, const cudaFuncAttributes& a) {
  if (a.maxThreadsPerBlock > 0 && threads > u64(a.maxThreadsPerBlock))
    report.error(
        "L6",
        "block|%llu threads|a block of this kernel must have at most %d threads: it takes %d registers a thread, or its "
        "__launch_bounds__ or __block_size__ says so|use a smaller block, or compile the kernel with "
        "__launch_bounds__(%llu)",
        threads, a.maxThreadsPerBlock, a.numRegs, threads);
}

// L7. A stream belongs to a device.
inline void check_stream(Report& report, cudaStream_t stream) {
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return;
  int               device = 0, current = 0;
  const cudaError_t e = cudaStreamGetDevice(stream, &device), c = cudaGetDevice(&current);
  take_back(e);
  take_back(c);
  if (e == cudaSuccess && c == cudaSuccess && device != current)
    report.error(
        "L7",
        "stream|of device %d, and device %d is current|the stream must be of the current device|call cudaSetDevice(%d) "
        "before the launch, or use a stream of device %d",
        device, current, device, current);
}

// The error of a launch that ended in `step` with `e`.
inline Error launch_refused(const char* step, cudaError_t e, const void* kernel, const cudaLaunchConfig_t& config,
                            Dimensions cluster) {
  take_back(e);
  if (const Error before = failed_before(e)) return before;
  Driver      driver;
  const Error none = system_driver(driver);
  if (none) return none;
  if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction)
    return Error(ErrorKind::launch_failed,
                 "tma: %s failed: %s (%s). The program holds no code for this device. Fix: compile with "
                 "-gencode=arch=compute_%d,code=sm_%d\n",
                 step, cudaGetErrorName(e), cudaGetErrorString(e), driver.compute_capability, driver.compute_capability);

  const dim3&        g    = config.gridDim;
  const dim3&        b    = config.blockDim;
  const Dimensions   grid = {{g.x, g.y, g.z}}, block = {{b.x, b.y, b.z}};
  cudaFuncAttributes a{};
  u64                limit = 0;
  Report             report;
  const cudaError_t  asked = ask_device(kernel, a, limit);
  take_back(asked);
  if (const Error before = failed_before(asked)) return before;
  if (asked == cudaSuccess) {
    check_shared(report, config.dynamicSmemBytes, a.sharedSizeBytes, limit);
    check_threads_of_kernel(report, block.count(), a);
    check_own_cluster(report, grid, cluster, a);
    if (report.ok() && cluster.count() > 1) check_cluster_fits(report, kernel, config, cluster.count());
  }
  check_stream(report, config.stream);
  if (!report.ok()) return Error("this launch is not possible", report);
  return Error(
      ErrorKind::launch_failed,
      "tma: %s failed: %s (%s). It breaks no rule that is known here. Asked for: grid %u x %u x %u, block %u x %u x %u, "
      "cluster %llu x %llu x %llu, %llu bytes of dynamic shared memory, stream %p. The kernel has %d registers a thread "
      "and %llu bytes of static shared memory, and runs with up to %d threads a block\n",
      step, cudaGetErrorName(e), cudaGetErrorString(e), g.x, g.y, g.z, b.x, b.y, b.z, cluster.axis[0], cluster.axis[1],
      cluster.axis[2], u64(config.dynamicSmemBytes), static_cast<void*>(config.stream), a.numRegs, u64(a.sharedSizeBytes),
      a.maxThreadsPerBlock);
}

#endif  // TMA_HAS_HOST_TEXT

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
