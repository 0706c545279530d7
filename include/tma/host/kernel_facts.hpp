// What the runtime says of a kernel, asked once a process; and its limit of dynamic shared memory, raised once a device.
#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include <new>

#include "../core/meta.hpp"
#include "report.hpp"
#include "status.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

#if TMA_HAS_HOST_TEXT

inline constexpr u64 shared_without_opt_in = 48 * 1024;  // bytes of a block, static and dynamic: every device has them

// The attributes are those of the first device that was asked. A kernel of one program differs little between devices; where
// that decides anything, the current device is asked again.
struct KernelFacts {
  const void*        kernel;
  cudaFuncAttributes attributes;
  u64                raised = 0;        // bit d: on device d its limit is as high as that device allows
  u64                room   = ~u64(0);  // what the raised limits allow, the least of them
  KernelFacts*       next   = nullptr;
};

// Facts are never removed, so that threads read them without a lock. What a library leaves that is unloaded may be wrong of
// another kernel at that address: a launch that fails asks the runtime again, and nothing is refused before that.
inline KernelFacts*& facts_bucket(const void* kernel) {
  static KernelFacts* buckets[256] = {};
  return buckets[(reinterpret_cast<std::size_t>(kernel) >> 4) % 256];
}

inline KernelFacts* find_facts(const KernelFacts* from, const void* kernel) {
  while (from && from->kernel != kernel) from = from->next;
  return const_cast<KernelFacts*>(from);
}

/// The facts of `kernel`. From the second call on without a call of the runtime. Any thread may call.
inline cudaError_t kernel_facts(const void* kernel, KernelFacts*& facts) {
  KernelFacts*& bucket = facts_bucket(kernel);
  KernelFacts*  first  = __atomic_load_n(&bucket, __ATOMIC_ACQUIRE);
  facts                = find_facts(first, kernel);
  if (facts) return cudaSuccess;
  cudaFuncAttributes attributes{};
  const cudaError_t  e = cudaFuncGetAttributes(&attributes, kernel);
  if (e != cudaSuccess) return e;
  facts = new (std::nothrow) KernelFacts{kernel, attributes};
  if (!facts) return cudaErrorMemoryAllocation;
  do {
    if (KernelFacts* const others = find_facts(first, kernel)) {  // another thread was faster
      delete facts;
      facts = others;
      return cudaSuccess;
    }
    facts->next = first;
  } while (!__atomic_compare_exchange_n(&bucket, &first, facts, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return cudaSuccess;
}

// Whether a launch with `shared` bytes of dynamic shared memory needs a higher limit.
inline bool needs_opt_in(const KernelFacts& facts, u64 shared) {
  const u64 fixed = facts.attributes.sharedSizeBytes;
  return fixed >= shared_without_opt_in || shared > shared_without_opt_in - fixed;
}

// L4. `shared` is the dynamic part, `fixed` the kernel's static part.
inline void check_shared(Report& report, u64 shared, u64 fixed, u64 limit) {
  if (static_cast<long long>(shared) < 0)
    report.error("L4",
                 "shared|%lld|the bytes of dynamic shared memory must be at least 0|"
                 "look for a subtraction or a cast that went below zero",
                 static_cast<long long>(shared));
  else if (fixed > limit || shared > limit - fixed)
    report.error(
        "L4",
        "shared|%llu + %llu static = %llu bytes|a block must have at most %llu bytes of shared memory on this device|"
        "use fewer stages or smaller tiles",
        shared, fixed, shared + fixed, limit);
}

// What the current device says of a kernel, and the shared memory that it gives to a block.
inline cudaError_t ask_device(const void* kernel, cudaFuncAttributes& attributes, u64& limit) {
  int         device = 0, most = 0;
  cudaError_t e = cudaFuncGetAttributes(&attributes, kernel);
  if (e == cudaSuccess) e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  limit = u64(most);
  return e;
}

// Lets `kernel` have `shared` bytes of dynamic shared memory on the current device. The limit is raised to all that the device
// allows beside the kernel's static part, and never lowered: threads that launch one kernel with several sizes write the same
// value, in whatever order. A limit takes nothing: how many blocks an SM holds, and how its memory is divided between shared
// memory and L1, goes by what each launch asks for. `again`: whatever is remembered.
inline cudaError_t allow_shared(KernelFacts& facts, u64 shared, bool again, Report& report, const char*& step) {
  int device                = 0;
  step                      = "the look-up of the current device";
  const cudaError_t current = cudaGetDevice(&device);
  if (current != cudaSuccess) return current;
  const u64 bit = device < 64 ? u64(1) << device : 0;
  if (!again && (__atomic_load_n(&facts.raised, __ATOMIC_ACQUIRE) & bit) != 0 &&
      shared <= __atomic_load_n(&facts.room, __ATOMIC_RELAXED))
    return cudaSuccess;
  cudaFuncAttributes now{};
  u64                limit = 0;
  step                     = "the look-up of the kernel";
  cudaError_t e            = ask_device(facts.kernel, now, limit);
  if (e != cudaSuccess) return e;
  check_shared(report, shared, now.sharedSizeBytes, limit);
  if (!report.ok()) return cudaSuccess;
  const u64 most = limit - now.sharedSizeBytes;
  if (u64(now.maxDynamicSharedSizeBytes) < most) {
    step = "the shared-memory opt-in";
    e    = cudaFuncSetAttribute(facts.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(most));
    if (e != cudaSuccess) return e;
  }
  u64 room = __atomic_load_n(&facts.room, __ATOMIC_RELAXED);
  while (most < room && !__atomic_compare_exchange_n(&facts.room, &room, most, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  __atomic_fetch_or(&facts.raised, bit, __ATOMIC_ACQ_REL);
  return cudaSuccess;
}

#endif  // TMA_HAS_HOST_TEXT

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
