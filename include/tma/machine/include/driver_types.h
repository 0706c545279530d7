// Stand-in for CUDA's header of this name: the types of the runtime API.
#pragma once

#include <cstddef>

#include "../cuda/error_list.hpp"
#include "cuda_device_attributes.h"
#include "vector_types.h"

#define TMA_DETAIL_ENUMERATOR(name, number, text) name = number,
enum cudaError { TMA_DETAIL_CUDA_ERRORS(TMA_DETAIL_ENUMERATOR) };
#undef TMA_DETAIL_ENUMERATOR
typedef enum cudaError cudaError_t;

typedef struct CUstream_st*    cudaStream_t;
typedef struct CUevent_st*     cudaEvent_t;
typedef struct CUgraph_st*     cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef void (*cudaHostFn_t)(void* context);

// Both are the one stream of the machine.
#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

#define cudaStreamDefault          0x00
#define cudaStreamNonBlocking      0x01
#define cudaEventDefault           0x00
#define cudaEventBlockingSync      0x01
#define cudaEventDisableTiming     0x02
#define cudaEventInterprocess      0x04
#define cudaEventRecordDefault     0x00
#define cudaEventRecordExternal    0x01
#define cudaEventWaitDefault       0x00
#define cudaEventWaitExternal      0x01
#define cudaHostAllocDefault       0x00
#define cudaHostAllocPortable      0x01
#define cudaHostAllocMapped        0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaMemAttachGlobal        0x01
#define cudaMemAttachHost          0x02
#define cudaMemAttachSingle        0x04
#define cudaOccupancyDefault       0x00

#define cudaDeviceScheduleAuto         0x00
#define cudaDeviceScheduleSpin         0x01
#define cudaDeviceScheduleYield        0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceMapHost              0x08

#define cudaEnableDefault                0x0
#define cudaEnableLegacyStream           0x1
#define cudaEnablePerThreadDefaultStream 0x2

enum cudaMemcpyKind {
  cudaMemcpyHostToHost     = 0,
  cudaMemcpyHostToDevice   = 1,
  cudaMemcpyDeviceToHost   = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault        = 4,
};

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost         = 1,
  cudaMemoryTypeDevice       = 2,
  cudaMemoryTypeManaged      = 3,
};

struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int                 device;
  void*               devicePointer;
  void*               hostPointer;
};

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess             = 0,
  cudaDriverEntryPointSymbolNotFound      = 1,
  cudaDriverEntryPointVersionNotSufficent = 2,  // spelled as CUDA spells it
};

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal      = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed     = 2,
};

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone        = 0,
  cudaStreamCaptureStatusActive      = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};

// --- kernels -------------------------------------------------------------------------------------------------------

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize        = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout     = 9,
  cudaFuncAttributeClusterDimMustBeSet               = 10,
  cudaFuncAttributeRequiredClusterWidth              = 11,
  cudaFuncAttributeRequiredClusterHeight             = 12,
  cudaFuncAttributeRequiredClusterDepth              = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed     = 14,
  cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
};

enum cudaFuncCache {
  cudaFuncCachePreferNone   = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1     = 2,
  cudaFuncCachePreferEqual  = 3,
};

enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault   = -1,
  cudaSharedmemCarveoutMaxL1     = 0,
  cudaSharedmemCarveoutMaxShared = 100,
};

enum cudaLimit {
  cudaLimitStackSize      = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
};

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int         maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int         maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
  int         requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int         clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};

typedef enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore                            = 0,
  cudaLaunchAttributeAccessPolicyWindow                = 1,
  cudaLaunchAttributeCooperative                       = 2,
  cudaLaunchAttributeSynchronizationPolicy             = 3,
  cudaLaunchAttributeClusterDimension                  = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization   = 6,
  cudaLaunchAttributeProgrammaticEvent                 = 7,
  cudaLaunchAttributePriority                          = 8,
  cudaLaunchAttributeMemSyncDomainMap                  = 9,
  cudaLaunchAttributeMemSyncDomain                     = 10,
  cudaLaunchAttributePreferredClusterDimension         = 11,
  cudaLaunchAttributeLaunchCompletionEvent             = 12,
  cudaLaunchAttributeDeviceUpdatableKernelNode         = 13,
  cudaLaunchAttributePreferredSharedMemoryCarveout     = 14,
} cudaLaunchAttributeID;

typedef union cudaLaunchAttributeValue {
  char pad[64];
  int  cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim, preferredClusterDim;
  int programmaticStreamSerializationAllowed;
  struct {
    cudaEvent_t event;
    int         flags, triggerAtBlockStart;
  } programmaticEvent;
  struct {
    cudaEvent_t event;
    int         flags;
  } launchCompletionEvent;
  int      priority;
  unsigned sharedMemCarveout;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute_st {
  cudaLaunchAttributeID    id;
  char                     pad[8 - sizeof(cudaLaunchAttributeID)];
  cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
  dim3                 gridDim, blockDim;
  std::size_t          dynamicSmemBytes;
  cudaStream_t         stream;
  cudaLaunchAttribute* attrs;
  unsigned             numAttrs;
} cudaLaunchConfig_t;
