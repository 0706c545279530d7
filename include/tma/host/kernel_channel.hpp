// The host's end of what a checked build's kernels say (core/kernel_page.hpp): a page of pinned memory, of which a module is
// told before one of its kernels is launched. Where that fails, the kernel prints its report and nothing else.
#pragma once

#include "../core/prologue.hpp"

#include <cuda_runtime_api.h>

#include <cstring>

#include "../core/kernel_page.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

#if defined(TMA_DETAIL_WATCHED) && TMA_HAS_HOST_TEXT

// The page, and which channels know of it.
struct KernelReports {
  KernelPage* page = nullptr;
  void*       told[256];
  int         count = 0;
  char        busy  = 0;
};

inline KernelReports& kernel_reports() {
  static KernelReports reports;
  return reports;
}

// A page goes with the contexts of the process (cudaDeviceReset).
inline bool is_pinned(const void* page) {
  cudaPointerAttributes a{};
  return cudaPointerGetAttributes(&a, page) == cudaSuccess && a.type == cudaMemoryTypeHost;
}

template <class Function> Function find_driver_call(const char* name) {
  void*                           found  = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t               e      = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
  return e == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(found) : nullptr;
}

// Where the driver does not find the name: the channel of a file that launches kernels, which is mostly theirs.
inline void* find_channel_here() {
  void* channel = nullptr;
#  if TMA_HAS_DEVICE
  if (cudaGetSymbolAddress(&channel, &TMA_DETAIL_KERNEL_CHANNEL) != cudaSuccess) return nullptr;
#  endif
  return channel;
}

// The channel of the module that a kernel is in; null where there is none, for no kernel of the module checks anything.
inline void* find_channel(const void* kernel) {
  using FuncGetModule          = int (*)(void** module, void* function);
  using ModuleGetGlobal        = int (*)(void** address, std::size_t* bytes, void* module, const char* name);
  static const auto get_module = find_driver_call<FuncGetModule>("cuFuncGetModule");
  static const auto get_global = find_driver_call<ModuleGetGlobal>("cuModuleGetGlobal");
  cudaFunction_t    function   = nullptr;
  void *            module = nullptr, *channel = nullptr;
  std::size_t       bytes = 0;
  if (!get_module || !get_global || cudaGetFuncBySymbol(&function, kernel) != cudaSuccess) return nullptr;
  if (get_module(&module, function) != 0 || get_global(&channel, &bytes, module, TMA_DETAIL_KERNEL_CHANNEL_NAME) != 0)
    return nullptr;
  return bytes == sizeof(KernelChannel) ? channel : nullptr;
}

inline void tell_channel(KernelReports& r, const void* kernel) {
  if (r.page && !is_pinned(r.page)) r.page = nullptr, r.count = 0;
  if (!r.page) {
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, sizeof(KernelPage), cudaHostAllocMapped | cudaHostAllocPortable) != cudaSuccess) return;
    std::memset(memory, 0, sizeof(KernelPage));
    r.page = static_cast<KernelPage*>(memory);
  }
  void* channel = find_channel(kernel);
  if (!channel) channel = find_channel_here();
  for (int i = 0; i < r.count && channel; ++i)
    if (r.told[i] == channel) return;
  // A stream of its own: others may be captured, or wait for what never ends.
  void*        page   = nullptr;
  cudaStream_t stream = nullptr;
  if (!channel || cudaHostGetDevicePointer(&page, r.page, 0) != cudaSuccess ||
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
    return;
  const bool told = cudaMemcpyAsync(channel, &page, sizeof page, cudaMemcpyHostToDevice, stream) == cudaSuccess &&
                    cudaStreamSynchronize(stream) == cudaSuccess;
  cudaStreamDestroy(stream);
  if (told && r.count < int(sizeof r.told / sizeof *r.told)) r.told[r.count++] = channel;
}

// Before a launch. Leaves no error of its own behind.
inline void open_kernel_channel(const void* kernel) {
  if (cudaPeekAtLastError() != cudaSuccess) return;  // an error of others, which is not to be lost
  KernelReports&        r    = kernel_reports();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  while (__atomic_test_and_set(&r.busy, __ATOMIC_ACQUIRE)) {}
  if (cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess) {
    tell_channel(r, kernel);
    cudaThreadExchangeStreamCaptureMode(&mode);
  }
  __atomic_clear(&r.busy, __ATOMIC_RELEASE);
  cudaGetLastError();
}

// What stopped a kernel, null where none was stopped by a check.
inline const char* kernel_report() {
  const KernelPage* const page = kernel_reports().page;
  return page && __atomic_load_n(&page->ready, __ATOMIC_ACQUIRE) != 0 ? page->text : nullptr;
}

// While all is well: a page that is gone is not looked at when something fails.
inline void look_after_kernel_page() {
  cudaPointerAttributes a{};
  KernelReports&        r = kernel_reports();
  if (!r.page || cudaPeekAtLastError() != cudaSuccess) return;
  if (cudaPointerGetAttributes(&a, r.page) != cudaSuccess) cudaGetLastError();
  else if (a.type != cudaMemoryTypeHost) r.page = nullptr, r.count = 0;
}

#else

inline void        open_kernel_channel(const void*) {}
inline const char* kernel_report() { return nullptr; }
inline void        look_after_kernel_page() {}

#endif

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
