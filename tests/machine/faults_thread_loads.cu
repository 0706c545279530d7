// Loads by threads: a barrier that is not told of them, and places that are not aligned.
#include <cuda_pipeline_primitives.h>

#include "faults.hpp"

#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/thread_loads.hpp>

using namespace faults;

namespace {

// Bytes that cp.async brings are there when the barrier was told of the copies, not when their thread arrives.
template <bool Faulty> __global__ void untold(const int* in, int* out) {
  struct Shared {
    tma::Buffer<int, 64> line;
    tma::LoadBarrier     barrier;
  };
  auto& [line, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const u32 address     = tma::detail::BarrierAccess::address(barrier);
  tma::detail::ThreadLoad<const int>::chunk(u32(block.rank()), u32(block.size()), tma::assume_aligned(in).chunk<64>(0),
                                            line);
  if (!Faulty) ptx::cp_async_mbarrier_arrive(address);
  block.sync();
  if (block.rank() == 0) ptx::mbarrier_arrive(address);
  arrived.wait();
  out[block.rank()] = line[63 - block.rank()];  // <untold.read>
}

FAULT(thread_loads_untold, "a barrier is not told of the copies of a thread that arrives",
      .run = run<untold<true>, untold<false>>, .kind = Kind::unwaited_cp_async, .says = {"the cp.async of thread"},
      .lines = {"untold.read"})

enum class Unaligned { nothing, shared, global };

template <Unaligned What> __global__ void unaligned(const int* in, int* out) {
  alignas(16) __shared__ int line[8];
  if (threadIdx.x == 0) {
    const u32 to = ptx::shared_address(line);
    if (What == Unaligned::shared) ptx::cp_async<16>(to + 8, in, 16);          // <unaligned.shared>
    else ptx::cp_async<16>(to, in + (What == Unaligned::global ? 2 : 0), 16);  // <unaligned.global>
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[0] = line[3];
  }
}

FAULT(cp_async_unaligned_in_shared, "cp.async of 16 bytes to a place in shared memory that is a multiple of 8",
      .run = run<unaligned<Unaligned::shared>, unaligned<Unaligned::nothing>>, .kind = Kind::misaligned_address,
      .says = {"thread 0 copies 16 bytes to", "of shared memory, which is no multiple of 16"}, .lines = {"unaligned.shared"})

FAULT(cp_async_unaligned_in_global, "cp.async of 16 bytes from a place that is a multiple of 8",
      .run = run<unaligned<Unaligned::global>, unaligned<Unaligned::nothing>>, .kind = Kind::misaligned_address,
      .says = {"thread 0 reads 16 bytes at", "which is no multiple of 16"}, .lines = {"unaligned.global"})

}  // namespace
