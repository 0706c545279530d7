// CUDA's errors: name, number, what it says.
#pragma once

// clang-format off
#define TMA_DETAIL_CUDA_ERRORS(X)                                                                                       \
  X(cudaSuccess, 0, "no error")                                                                                         \
  X(cudaErrorInvalidValue, 1, "an argument is not valid")                                                               \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                                      \
  X(cudaErrorInitializationError, 3, "initialisation failed")                                                           \
  X(cudaErrorCudartUnloading, 4, "the runtime is shutting down")                                                        \
  X(cudaErrorInvalidConfiguration, 9, "the launch configuration is not valid")                                          \
  X(cudaErrorInvalidPitchValue, 12, "a pitch is not valid")                                                             \
  X(cudaErrorInvalidSymbol, 13, "no such device symbol")                                                                \
  X(cudaErrorInvalidHostPointer, 16, "a host pointer is not valid")                                                     \
  X(cudaErrorInvalidDevicePointer, 17, "a device pointer is not valid")                                                 \
  X(cudaErrorInvalidMemcpyDirection, 21, "no such direction of a copy")                                                 \
  X(cudaErrorNotYetImplemented, 31, "not yet implemented")                                                              \
  X(cudaErrorStubLibrary, 34, "the driver is a stub")                                                                   \
  X(cudaErrorInsufficientDriver, 35, "the driver is older than the runtime needs")                                      \
  X(cudaErrorCallRequiresNewerDriver, 36, "the call needs a newer driver")                                              \
  X(cudaErrorDevicesUnavailable, 46, "all devices are busy or unavailable")                                             \
  X(cudaErrorMissingConfiguration, 52, "a launch without a configuration")                                              \
  X(cudaErrorPriorLaunchFailure, 53, "an earlier launch failed")                                                        \
  X(cudaErrorLaunchMaxDepthExceeded, 65, "launches are nested too deep")                                                \
  X(cudaErrorSyncDepthExceeded, 68, "synchronisations are nested too deep")                                             \
  X(cudaErrorLaunchPendingCountExceeded, 69, "too many pending launches")                                               \
  X(cudaErrorInvalidDeviceFunction, 98, "no such kernel on this device")                                                \
  X(cudaErrorNoDevice, 100, "no CUDA device")                                                                           \
  X(cudaErrorInvalidDevice, 101, "no such device")                                                                      \
  X(cudaErrorStartupFailure, 127, "start-up of the runtime failed")                                                     \
  X(cudaErrorInvalidKernelImage, 200, "the kernel image is not valid")                                                  \
  X(cudaErrorDeviceUninitialized, 201, "no context, or one that is not valid")                                          \
  X(cudaErrorNoKernelImageForDevice, 209, "no code for this device")                                                    \
  X(cudaErrorECCUncorrectable, 214, "a memory error that cannot be corrected")                                          \
  X(cudaErrorUnsupportedLimit, 215, "no such limit on this device")                                                     \
  X(cudaErrorDeviceAlreadyInUse, 216, "another thread uses the device exclusively")                                     \
  X(cudaErrorPeerAccessUnsupported, 217, "no peer access between these devices")                                        \
  X(cudaErrorInvalidPtx, 218, "PTX that does not compile")                                                              \
  X(cudaErrorNvlinkUncorrectable, 220, "an NVLink error that cannot be corrected")                                      \
  X(cudaErrorJitCompilerNotFound, 221, "no PTX compiler found")                                                         \
  X(cudaErrorUnsupportedPtxVersion, 222, "PTX newer than the driver")                                                   \
  X(cudaErrorJitCompilationDisabled, 223, "PTX compilation is disabled")                                                \
  X(cudaErrorInvalidSource, 300, "the kernel source is not valid")                                                      \
  X(cudaErrorFileNotFound, 301, "file not found")                                                                       \
  X(cudaErrorSharedObjectSymbolNotFound, 302, "a symbol of a shared library is missing")                                \
  X(cudaErrorSharedObjectInitFailed, 303, "a shared library did not initialise")                                        \
  X(cudaErrorOperatingSystem, 304, "a call of the operating system failed")                                             \
  X(cudaErrorInvalidResourceHandle, 400, "no such stream, event or other handle")                                       \
  X(cudaErrorIllegalState, 401, "something needed is not in a valid state")                                             \
  X(cudaErrorSymbolNotFound, 500, "no such symbol")                                                                     \
  X(cudaErrorNotReady, 600, "not finished yet")                                                                         \
  X(cudaErrorIllegalAddress, 700, "a kernel accessed memory that is not its own")                                       \
  X(cudaErrorLaunchOutOfResources, 701, "the launch asks for more than the device has")                                 \
  X(cudaErrorLaunchTimeout, 702, "the kernel did not finish in time")                                                   \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is enabled already")                                           \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access is not enabled")                                                   \
  X(cudaErrorSetOnActiveProcess, 708, "too late: the device is in use")                                                 \
  X(cudaErrorContextIsDestroyed, 709, "the context is destroyed")                                                       \
  X(cudaErrorAssert, 710, "an assertion of a kernel failed")                                                            \
  X(cudaErrorTooManyPeers, 711, "too many peers")                                                                       \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "the host memory is registered already")                                 \
  X(cudaErrorHostMemoryNotRegistered, 713, "the host memory is not registered")                                         \
  X(cudaErrorHardwareStackError, 714, "a kernel's call stack is broken or overran")                                     \
  X(cudaErrorIllegalInstruction, 715, "a kernel ran an illegal instruction")                                            \
  X(cudaErrorMisalignedAddress, 716, "a kernel accessed memory at a misaligned address")                                \
  X(cudaErrorInvalidAddressSpace, 717, "a kernel used an address of the wrong space")                                   \
  X(cudaErrorInvalidPc, 718, "a kernel jumped out of its code")                                                         \
  X(cudaErrorLaunchFailure, 719, "a kernel failed")                                                                     \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "a cooperative grid that is not resident at once")                         \
  X(cudaErrorNotPermitted, 800, "not permitted")                                                                        \
  X(cudaErrorNotSupported, 801, "not supported")                                                                        \
  X(cudaErrorSystemNotReady, 802, "the system is not ready for CUDA")                                                   \
  X(cudaErrorSystemDriverMismatch, 803, "driver and library do not fit each other")                                     \
  X(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility is not supported here")                            \
  X(cudaErrorStreamCaptureUnsupported, 900, "not possible while a stream is captured")                                  \
  X(cudaErrorStreamCaptureInvalidated, 901, "an earlier error ended the capture")                                       \
  X(cudaErrorStreamCaptureMerge, 902, "the capture would merge two")                                                    \
  X(cudaErrorStreamCaptureUnmatched, 903, "the capture did not begin in this stream")                                   \
  X(cudaErrorStreamCaptureUnjoined, 904, "the capture has a fork that is not joined")                                   \
  X(cudaErrorStreamCaptureIsolation, 905, "a dependency would leave the capture")                                       \
  X(cudaErrorStreamCaptureImplicit, 906, "the legacy stream cannot wait for a capture")                                 \
  X(cudaErrorCapturedEvent, 907, "the event belongs to a capture")                                                      \
  X(cudaErrorStreamCaptureWrongThread, 908, "another thread began the capture")                                         \
  X(cudaErrorTimeout, 909, "a wait ran out of time")                                                                    \
  X(cudaErrorGraphExecUpdateFailure, 910, "the graph cannot be updated this way")                                       \
  X(cudaErrorExternalDevice, 911, "an external device failed")                                                          \
  X(cudaErrorInvalidClusterSize, 912, "the cluster size is not valid")                                                  \
  X(cudaErrorUnknown, 999, "unknown error")
// clang-format on
