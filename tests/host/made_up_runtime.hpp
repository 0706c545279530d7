// A CUDA runtime and driver that are made up, for programs that link no other: what each call answers is in the hands of the
// test, and launches are refused for the reasons CUDA has. Several threads may call.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace made_up {

struct Kernel {
  int  fixed = 0, registers = 32, threads = 1024;  // static shared memory; what a thread takes; of a block
  int  limit       = 48 * 1024;                    // of dynamic shared memory, on each device
  int  own[3]      = {0, 0, 0};                    // __cluster_dims__
  bool must_be_set = false, large_clusters = false;
  int  largest_cluster = 8;   // on the device; of kernels that allow large ones
  int  clusters        = 16;  // that fit at once
};

struct Runtime {
  int devices = 2, capability = 90, shared_limit = 232448;
  // One call, by its name, and what it returns; "encode", "encode_im2col", "replace_address" and "address_range" are the
  // driver's. With `once` the first call alone.
  std::string failing  = {};
  int         status   = 0;
  bool        once     = false;
  int         launches = 0, opt_ins = 0, attribute_calls = 0, encoded = 0;
  unsigned    grid_x = 0, shared = 0;  // of the last launch
};
extern Runtime runtime;

// The runtime anew, with no kernel known. The errors that calls left are gone.
void reset(const Runtime& to = {});

// What CUDA knows of a kernel.
Kernel& kernel(const void* address);
// As cudaDeviceReset: the limits are the first ones again.
void forget_limits();

cudaStream_t stream_of_device(int device);
cudaError_t  left();  // the error that nobody has read yet

}  // namespace made_up
