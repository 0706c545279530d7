// What a device says of itself: part of CUDA's driver_types.h.
#pragma once

#include <cstddef>

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock                     = 1,
  cudaDevAttrMaxBlockDimX                           = 2,
  cudaDevAttrMaxBlockDimY                           = 3,
  cudaDevAttrMaxBlockDimZ                           = 4,
  cudaDevAttrMaxGridDimX                            = 5,
  cudaDevAttrMaxGridDimY                            = 6,
  cudaDevAttrMaxGridDimZ                            = 7,
  cudaDevAttrMaxSharedMemoryPerBlock                = 8,
  cudaDevAttrTotalConstantMemory                    = 9,
  cudaDevAttrWarpSize                               = 10,
  cudaDevAttrMaxPitch                               = 11,
  cudaDevAttrMaxRegistersPerBlock                   = 12,
  cudaDevAttrClockRate                              = 13,
  cudaDevAttrTextureAlignment                       = 14,
  cudaDevAttrGpuOverlap                             = 15,
  cudaDevAttrMultiProcessorCount                    = 16,
  cudaDevAttrKernelExecTimeout                      = 17,
  cudaDevAttrIntegrated                             = 18,
  cudaDevAttrCanMapHostMemory                       = 19,
  cudaDevAttrComputeMode                            = 20,
  cudaDevAttrConcurrentKernels                      = 31,
  cudaDevAttrEccEnabled                             = 32,
  cudaDevAttrPciBusId                               = 33,
  cudaDevAttrPciDeviceId                            = 34,
  cudaDevAttrTccDriver                              = 35,
  cudaDevAttrMemoryClockRate                        = 36,
  cudaDevAttrGlobalMemoryBusWidth                   = 37,
  cudaDevAttrL2CacheSize                            = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor            = 39,
  cudaDevAttrAsyncEngineCount                       = 40,
  cudaDevAttrUnifiedAddressing                      = 41,
  cudaDevAttrPciDomainId                            = 50,
  cudaDevAttrComputeCapabilityMajor                 = 75,
  cudaDevAttrComputeCapabilityMinor                 = 76,
  cudaDevAttrStreamPrioritiesSupported              = 78,
  cudaDevAttrGlobalL1CacheSupported                 = 79,
  cudaDevAttrLocalL1CacheSupported                  = 80,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor       = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor          = 82,
  cudaDevAttrManagedMemory                          = 83,
  cudaDevAttrIsMultiGpuBoard                        = 84,
  cudaDevAttrHostNativeAtomicSupported              = 86,
  cudaDevAttrPageableMemoryAccess                   = 88,
  cudaDevAttrConcurrentManagedAccess                = 89,
  cudaDevAttrComputePreemptionSupported             = 90,
  cudaDevAttrCanUseHostPointerForRegisteredMem      = 91,
  cudaDevAttrCooperativeLaunch                      = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin           = 97,
  cudaDevAttrHostRegisterSupported                  = 99,
  cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
  cudaDevAttrDirectManagedMemAccessFromHost         = 101,
  cudaDevAttrMaxBlocksPerMultiprocessor             = 106,
  cudaDevAttrReservedSharedMemoryPerBlock           = 111,
  cudaDevAttrMemoryPoolsSupported                   = 115,
  cudaDevAttrClusterLaunch                          = 120,
};

struct cudaDeviceProp {
  char        name[256];
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int         regsPerBlock, warpSize;
  std::size_t memPitch;
  int         maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  std::size_t totalConstMem;
  int         major, minor;
  int         multiProcessorCount, integrated, canMapHostMemory, concurrentKernels, ECCEnabled;
  int         pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
  int         memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor;
  std::size_t sharedMemPerMultiprocessor;
  int         regsPerMultiprocessor, managedMemory, isMultiGpuBoard, pageableMemoryAccess;
  int         concurrentManagedAccess, cooperativeLaunch;
  std::size_t sharedMemPerBlockOptin;
  int         maxBlocksPerMultiProcessor;
  std::size_t reservedSharedMemPerBlock;
  int         memoryPoolsSupported, clusterLaunch;
};
