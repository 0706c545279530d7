// scale_2d in CuTe: copies made of layouts, a ClusterTransactionBarrier of CUTLASS's.
#include <cute/tensor.hpp>

#include <cute/arch/copy_sm90_desc.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cute/atom/copy_traits_sm90_tma.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

using Box = Layout<Shape<_32, _32>, Stride<_32, _1>>;

template <class Load, class Store>
__global__ void scale(const __grid_constant__ Load in, const __grid_constant__ Store out, int rows, int columns,
                      float factor) {
  __shared__ alignas(128) float memory[32 * 32];
  __shared__ uint64_t           word;
  auto&                         barrier = reinterpret_cast<cutlass::arch::ClusterTransactionBarrier&>(word);

  const int rank = int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  const int size = int(blockDim.x * blockDim.y * blockDim.z);
  if (rank == 0) barrier.init(1);
  cutlass::arch::fence_barrier_init();
  __syncthreads();

  auto tile = make_tensor(make_smem_ptr(memory), Box{});
  // This block's tile of a matrix, as the engine addresses it.
  const auto mine = [&](const auto& copy) {
    return local_tile(copy.get_tma_tensor(make_shape(rows, columns)), Shape<_32, _32>{}, make_coord(blockIdx.y, blockIdx.x));
  };
  if (rank < 32 && elect_one_sync()) {
    auto slice = in.get_slice(0);
    barrier.arrive_and_expect_tx(sizeof memory);
    copy(in.with(word), slice.partition_S(mine(in)), slice.partition_D(tile));
  }
  barrier.wait(0);
  for (int i = rank; i < 32 * 32; i += size) memory[i] *= factor;

  tma_store_fence();
  __syncthreads();
  if (rank < 32 && elect_one_sync()) {
    auto slice = out.get_slice(0);
    copy(out, slice.partition_S(tile), slice.partition_D(mine(out)));
    tma_store_arrive();
    tma_store_wait<0>();
  }
}

void run(float* a, float* b, int rows, int columns) {
  const auto view = [&](float* data) {
    return make_tensor(make_gmem_ptr(data), make_shape(rows, columns), make_stride(columns, _1{}));
  };
  auto in  = make_tma_copy(SM90_TMA_LOAD{}, view(a), Box{});
  auto out = make_tma_copy(SM90_TMA_STORE{}, view(b), Box{});
  scale<<<dim3(unsigned(columns) / 32, unsigned(rows) / 32), 256>>>(in, out, rows, columns, 2.f);
}
