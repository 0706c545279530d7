#include "made_up_runtime.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

namespace made_up {

Runtime runtime;

namespace {

std::recursive_mutex          mutex;
std::map<const void*, Kernel> kernels;
thread_local int              current    = 0;
thread_local cudaError_t      last_error = cudaSuccess;
char                          streams[8];

cudaError_t answer(cudaError_t e) {
  if (e != cudaSuccess) last_error = e;
  return e;
}

// What the test wants of this call: success where it says nothing.
cudaError_t wanted(const char* call) {
  const std::lock_guard lock(mutex);
  if (runtime.failing != call) return cudaSuccess;
  if (runtime.once) runtime.failing.clear();
  return static_cast<cudaError_t>(runtime.status);
}
int wanted_of_driver(const char* call) { return int(wanted(call)); }

int largest(const Kernel& k) { return k.large_clusters || k.largest_cluster < 8 ? k.largest_cluster : 8; }

int made(void* map) {
  std::memset(map, 0x11, 128);
  ++runtime.encoded;
  return 0;
}
int encode(void* map, int, unsigned, void*, const unsigned long long*, const unsigned long long*, const unsigned*,
           const unsigned*, int, int, int, int) {
  const int e = wanted_of_driver("encode");
  return e ? e : made(map);
}
int encode_im2col(void* map, int, unsigned, void*, const unsigned long long*, const unsigned long long*, const int*,
                  const int*, unsigned, unsigned, const unsigned*, int, int, int, int) {
  const int e = wanted_of_driver("encode_im2col");
  return e ? e : made(map);
}
int replace_address(void*, void*) { return wanted_of_driver("replace_address"); }
int address_range(void** first, std::size_t* bytes, void* pointer) {
  *first = pointer;
  *bytes = std::size_t(1) << 30;
  return wanted_of_driver("address_range");
}

}  // namespace

void reset(const Runtime& to) {
  const std::lock_guard lock(mutex);
  runtime    = to;
  last_error = cudaSuccess;
  current    = 0;
}
Kernel& kernel(const void* address) {
  const std::lock_guard lock(mutex);
  return kernels[address];
}
void forget_limits() {
  const std::lock_guard lock(mutex);
  for (auto& [address, k] : kernels) k.limit = 48 * 1024;
}
cudaStream_t stream_of_device(int device) { return reinterpret_cast<cudaStream_t>(&streams[device]); }
cudaError_t  left() { return last_error; }

}  // namespace made_up

using namespace made_up;

extern "C" {

// Begins every call: what the test wants goes before what the call would do.
#define MADE_UP(name) \
  if (const cudaError_t e = wanted(name); e != cudaSuccess) return answer(e)

cudaError_t cudaDriverGetVersion(int* version) {
  MADE_UP("cudaDriverGetVersion");
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  MADE_UP("cudaGetDeviceCount");
  *count = runtime.devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  MADE_UP("cudaGetDevice");
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  MADE_UP("cudaSetDevice");
  current = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  MADE_UP("cudaDeviceGetAttribute");
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = runtime.capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = runtime.capability % 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = runtime.shared_limit; break;
    default: *value = 1;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** found, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  MADE_UP("cudaGetDriverEntryPointByVersion");
  const auto is = [symbol](const char* name) { return std::strcmp(symbol, name) == 0; };
  *found        = is("cuTensorMapEncodeTiled")      ? reinterpret_cast<void*>(&encode)
                  : is("cuTensorMapEncodeIm2col")   ? reinterpret_cast<void*>(&encode_im2col)
                  : is("cuTensorMapReplaceAddress") ? reinterpret_cast<void*>(&replace_address)
                  : is("cuMemGetAddressRange")      ? reinterpret_cast<void*>(&address_range)
                                                    : nullptr;
  *result       = *found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void*) {
  MADE_UP("cudaPointerGetAttributes");
  *attributes      = {};
  attributes->type = cudaMemoryTypeDevice;
  return cudaSuccess;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
cudaError_t cudaGetLastError() {
  const cudaError_t e = last_error;
  last_error          = cudaSuccess;
  return e;
}
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorMadeUp"; }
const char* cudaGetErrorString(cudaError_t) { return "made up"; }

// --- memory and streams ---

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  MADE_UP("cudaMalloc");
  *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}
cudaError_t cudaFree(void* pointer) {
  MADE_UP("cudaFree");
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  MADE_UP("cudaMemcpyAsync");
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* context) {
  function(context);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = stream_of_device(current);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  MADE_UP("cudaStreamIsCapturing");
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  MADE_UP("cudaStreamSynchronize");
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  MADE_UP("cudaStreamGetDevice");
  *device = int(reinterpret_cast<char*>(stream) - streams);
  return cudaSuccess;
}

// --- kernels ---

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* address) {
  MADE_UP("cudaFuncGetAttributes");
  const std::lock_guard lock(mutex);
  const Kernel&         k = kernels[address];
  ++runtime.attribute_calls;
  *attributes                               = {};
  attributes->sharedSizeBytes               = std::size_t(k.fixed);
  attributes->numRegs                       = k.registers;
  attributes->maxThreadsPerBlock            = k.threads;
  attributes->maxDynamicSharedSizeBytes     = k.limit;
  attributes->requiredClusterWidth          = k.own[0];
  attributes->requiredClusterHeight         = k.own[1];
  attributes->requiredClusterDepth          = k.own[2];
  attributes->clusterDimMustBeSet           = k.must_be_set || k.own[0] > 0;
  attributes->nonPortableClusterSizeAllowed = k.large_clusters;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* address, cudaFuncAttribute attribute, int value) {
  MADE_UP("cudaFuncSetAttribute");
  std::this_thread::yield();  // others go on between what was asked and what is written
  const std::lock_guard lock(mutex);
  Kernel&               k = kernels[address];
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) k.large_clusters = value != 0;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value + k.fixed > runtime.shared_limit) return answer(cudaErrorInvalidValue);
  k.limit = value;
  ++runtime.opt_ins;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* address, const cudaLaunchConfig_t*) {
  MADE_UP("cudaOccupancyMaxPotentialClusterSize");
  const Kernel& k = kernel(address);
  *blocks         = largest(k);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* address, const cudaLaunchConfig_t*) {
  MADE_UP("cudaOccupancyMaxActiveClusters");
  *clusters = kernel(address).clusters;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* address, void**) {
  MADE_UP("cudaLaunchKernelExC");
  std::this_thread::yield();
  const std::lock_guard lock(mutex);
  const Kernel&         k    = kernels[address];
  dim3                  c    = {1, 1, 1};
  bool                  said = false;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (const auto& a = config->attrs[i]; a.id == cudaLaunchAttributeClusterDimension)
      c = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z}, said = true;
  const bool has_own = k.own[0] > 0;
  const dim3 own(unsigned(k.own[0]), unsigned(k.own[1]), unsigned(k.own[2]));
  if (has_own && said && (c.x != own.x || c.y != own.y || c.z != own.z)) return answer(cudaErrorInvalidClusterSize);
  if (has_own) c = own;
  if (k.must_be_set && !has_own && !said) return answer(cudaErrorInvalidClusterSize);
  const dim3&       g    = config->gridDim;
  const std::size_t most = std::size_t(largest(k));
  if (g.x % c.x || g.y % c.y || g.z % c.z || c.x * c.y * c.z > most || (c.x * c.y * c.z > 1 && k.clusters == 0))
    return answer(cudaErrorInvalidClusterSize);
  if (config->dynamicSmemBytes > std::size_t(k.limit)) return answer(cudaErrorInvalidValue);
  if (config->dynamicSmemBytes + std::size_t(k.fixed) > std::size_t(runtime.shared_limit))
    return answer(cudaErrorInvalidValue);
  if (config->blockDim.x * config->blockDim.y * config->blockDim.z > unsigned(k.threads))
    return answer(cudaErrorLaunchOutOfResources);
  const auto offset = reinterpret_cast<char*>(config->stream) - streams;
  if (offset >= 0 && offset < long(sizeof streams) && offset != current) return answer(cudaErrorInvalidResourceHandle);
  ++runtime.launches;
  runtime.grid_x = g.x;
  runtime.shared = unsigned(config->dynamicSmemBytes);
  return cudaSuccess;
}
}
