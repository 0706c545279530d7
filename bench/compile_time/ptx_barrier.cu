// scale_2d on what the toolkit has: the instructions of <cuda/ptx>, the barrier of <cuda/barrier>, the driver's call.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_runtime.h>

#include <utility>

namespace ptx = cuda::ptx;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ __forceinline__ bool elect_sync() {  // this toolkit's cuda::ptx may have none
  unsigned elected;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(elected));
  return elected != 0;
}

__global__ void scale(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, float factor) {
  __shared__ alignas(128) float tile[32 * 32];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;

  const int rank = int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  const int size = int(blockDim.x * blockDim.y * blockDim.z);
  if (rank == 0) {
    init(&barrier, size);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();

  const int32_t          at[] = {int(blockIdx.x) * 32, int(blockIdx.y) * 32};
  Barrier::arrival_token token;
  if (elect_sync() & (rank < 32)) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, at,
                              cuda::device::barrier_native_handle(barrier));
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = rank; i < 32 * 32; i += size) tile[i] *= factor;

  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (elect_sync() & (rank < 32)) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

static CUresult encode(CUtensorMap* map, float* data, int rows, int columns) {
  void*                           entry  = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &result) != cudaSuccess)
    return CUDA_ERROR_NOT_INITIALIZED;
  const cuuint64_t extents[] = {cuuint64_t(columns), cuuint64_t(rows)}, strides[] = {cuuint64_t(columns) * sizeof(float)};
  const cuuint32_t box[] = {32, 32}, ones[] = {1, 1};
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(
      map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, extents, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

int run(float* a, float* b, int rows, int columns) {
  CUtensorMap in, out;
  if (encode(&in, a, rows, columns) != CUDA_SUCCESS || encode(&out, b, rows, columns) != CUDA_SUCCESS) return 1;
  scale<<<dim3(unsigned(columns) / 32, unsigned(rows) / 32), 256>>>(in, out, 2.f);
  return cudaGetLastError() != cudaSuccess;
}
