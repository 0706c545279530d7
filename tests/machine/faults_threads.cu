// Faults between threads: races, and cp.async.
#include "faults.hpp"

#include <cuda_pipeline_primitives.h>

using namespace faults;

namespace {

// --- races ---------------------------------------------------------------------------------------------------------

namespace reversed {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  struct Shared {
    int line[64], more;
  };
  auto& s = tma::shared<Shared>();
  ptx::describe(s.line, sizeof s.line, "line");
  s.line[threadIdx.x] = in[threadIdx.x];  // <reversed.write>
  if (!Faulty) __syncthreads();
  if (threadIdx.x >= 32) out[threadIdx.x] = s.line[63 - threadIdx.x];  // <reversed.read>
}
}  // namespace reversed

FAULT(reversed, "a warp reads what another one writes, without a meeting",
      .run = run<reversed::kernel<true>, reversed::kernel<false>>, .kind = Kind::data_race,
      .says  = {"thread 32 reads line + 124", "thread 31 writes the same bytes", "nothing orders the two"},
      .lines = {"reversed.write", "reversed.read"})

namespace reversed_raw {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  __shared__ int line[64];
  line[threadIdx.x] = in[threadIdx.x];  // <reversed_raw.write>
  if (!Faulty) __syncthreads();
  if (threadIdx.x >= 32) out[threadIdx.x] = line[63 - threadIdx.x];  // <reversed_raw.read>
}
}  // namespace reversed_raw

FAULT(reversed_raw, "a __shared__ array is read by another warp without a meeting",
      .run = run<reversed_raw::kernel<true>, reversed_raw::kernel<false>>, .kind = Kind::data_race,
      .says  = {"thread 32 reads a __shared__ variable", "thread 31 writes the same bytes"},
      .lines = {"reversed_raw.write", "reversed_raw.read"})

// A sum by halves, as it was written when warps ran in lockstep.
namespace lockstep {
template <bool Faulty> __device__ int warp_sum(int* values) {
  const int lane = threadIdx.x % 32;
  for (int step = 16; step > 0; step /= 2) {
    int other = 0;
    if (lane < step) other = values[lane + step];  // <lockstep.read>
    if (!Faulty) __syncwarp();
    if (lane < step) values[lane] += other;  // <lockstep.write>
    if (!Faulty) __syncwarp();
  }
  return values[0];  // <lockstep.last>
}

template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  struct Shared {
    int values[2][32];
  };
  auto& s                                      = tma::shared<Shared>();
  s.values[threadIdx.x / 32][threadIdx.x % 32] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = warp_sum<Faulty>(s.values[threadIdx.x / 32]);
}
}  // namespace lockstep

FAULT(lockstep, "lanes of a warp that count on running in lockstep",
      .run = run<lockstep::kernel<true>, lockstep::kernel<false>>, .kind = Kind::data_race,
      .says = {"thread 1 ", "thread 0 ", "the same bytes", "nothing orders the two"}, .lines = {"lockstep.write"})

namespace through_a_pointer {
void scale(int* first, int n, int factor) {
  for (int i = 0; i < n; ++i) first[i] *= factor;  // <through_a_pointer.write>
}

template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (int i = block.rank(); i < Tile::size; i += block.size()) tile[i] = in[i];
  block.sync();
  if (block.rank() % 32 == 0) scale(tile.data() + block.rank(), Faulty ? 33 : 32, 3);
  block.sync();
  for (int i = block.rank(); i < Tile::size; i += block.size()) out[i] = tile[i];
}
}  // namespace through_a_pointer

FAULT(through_a_pointer, "a function that is handed a pointer touches one element of the neighbour's",
      .run = run<through_a_pointer::kernel<true>, through_a_pointer::kernel<false>>, .kind = Kind::data_race,
      .says = {"thread 32 ", "thread 0 ", "the same bytes"}, .lines = {"through_a_pointer.write"})

namespace neighbour {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  const int i = threadIdx.x;
  __stcg(&out[i], __ldg(&in[i]));  // <neighbour.write>
  if (!Faulty) __syncthreads();
  if (i >= 32) out[64 + i] = __ldcg(&out[i - 32]) + out[i];  // <neighbour.read>
}
}  // namespace neighbour

FAULT(neighbour, "global memory is read that another warp writes",
      .run = run<neighbour::kernel<true>, neighbour::kernel<false>>, .kind = Kind::data_race,
      .says  = {"thread 32 reads global memory", "thread 0 writes the same bytes"},
      .lines = {"neighbour.write", "neighbour.read"})

// Values go from one warp to the other by way of a barrier.
enum class Hands { right, no_wait, arrives_first };

template <Hands How> __global__ void hand_over(const int* in, int* out) {
  struct Shared {
    int               value[32];
    tma::Mbarrier<32> written;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, written] = tma::this_block(s.written);
  ptx::describe(s.value, sizeof s.value, "value");
  if (block.rank() < 32) {
    if (How == Hands::arrives_first) s.written.arrive();
    s.value[block.rank()] = in[block.rank()];  // <hand_over.write>
    if (How != Hands::arrives_first) s.written.arrive();
  } else {
    if (How != Hands::no_wait) written.wait();
    out[block.rank()] = s.value[63 - block.rank()];  // <hand_over.read>
  }
}

FAULT(no_wait, "what is handed over through a barrier is read without a wait",
      .run = run<hand_over<Hands::no_wait>, hand_over<Hands::right>>, .kind = Kind::data_race,
      .says  = {"thread 32 reads value + 124", "thread 31 writes the same bytes"},
      .lines = {"hand_over.write", "hand_over.read"})

FAULT(arrives_first, "a thread arrives before it writes",
      .run = run<hand_over<Hands::arrives_first>, hand_over<Hands::right>>, .kind = Kind::data_race,
      .says  = {"thread 32 reads value + 124", "thread 31 writes the same bytes"},
      .lines = {"hand_over.write", "hand_over.read"})

// A flag in shared memory: an atomic operation alone orders nothing.
namespace flag {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  struct Shared {
    int value, flag;
  };
  auto& s = tma::shared<Shared>();
  if (threadIdx.x == 0) s.flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    s.value = in[0];  // <flag.write>
    if (!Faulty) __threadfence_block();
    atomicExch(&s.flag, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(&s.flag, 0) == 0) {}
    if (!Faulty) __threadfence_block();
    out[0] = s.value;  // <flag.read>
  }
}
}  // namespace flag

FAULT(flag, "a flag is raised and seen without a fence", .run = run<flag::kernel<true>, flag::kernel<false>>,
      .kind = Kind::data_race, .says = {"thread 0 reads", "thread 32 writes the same bytes"},
      .lines = {"flag.write", "flag.read"})

// Counters in shared memory. Atomic operations do not race with one another; with the rest they do.
enum class Counts { right, not_set, set_unmet, read_unmet };

template <Counts How> __global__ void histogram(const int* in, int* out) {
  struct Shared {
    int counts[8], more;
  };
  auto& s = tma::shared<Shared>();
  ptx::describe(s.counts, sizeof s.counts, "counts");
  if (How != Counts::not_set && threadIdx.x < 8) s.counts[threadIdx.x] = 0;  // <histogram.set>
  if (How != Counts::set_unmet) __syncthreads();
  atomicAdd(&s.counts[in[threadIdx.x] & 7], 1);  // <histogram.count>
  if (How != Counts::read_unmet) __syncthreads();
  if (threadIdx.x >= 56) out[threadIdx.x - 56] = s.counts[threadIdx.x - 56];  // <histogram.read>
}

FAULT(counts_not_set, "counters that nobody has set to zero",
      .run = run<histogram<Counts::not_set>, histogram<Counts::right>>, .kind = Kind::uninitialised,
      .says = {"thread 0 reads counts", "which nobody has written"}, .lines = {"histogram.count"})

FAULT(counts_set_unmet, "a warp counts before it has met the one that sets the counters to zero",
      .run = run<histogram<Counts::set_unmet>, histogram<Counts::right>>, .kind = Kind::data_race,
      .says  = {"writes counts", "writes the same bytes", "nothing orders the two"},
      .lines = {"histogram.set", "histogram.count"})

FAULT(counts_read_unmet, "counters are read while others count",
      .run = run<histogram<Counts::read_unmet>, histogram<Counts::right>>, .kind = Kind::data_race,
      .says  = {"reads counts", "writes the same bytes", "nothing orders the two"},
      .lines = {"histogram.count", "histogram.read"})

namespace counts_past_the_end {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  const int bin = in[threadIdx.x] & 7;
  atomicAdd(out + (Faulty ? elements : 0) + bin, 1);  // <counts_past_the_end.count>
}
}  // namespace counts_past_the_end

FAULT(counts_past_the_end, "an atomic operation past the end of an allocation",
      .run = run<counts_past_the_end::kernel<true>, counts_past_the_end::kernel<false>>, .kind = Kind::out_of_bounds,
      .says = {"thread 0 writes global memory at", "in no allocation"}, .lines = {"counts_past_the_end.count"})

// --- cp.async ------------------------------------------------------------------------------------------------------

enum class Copies { right, unwaited, one_group_early, unmet };

template <Copies How> __global__ void cp_async(const int* in, int* out) {
  __shared__ int line[2][64];
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&line[i][threadIdx.x], in + i * 64 + threadIdx.x, sizeof(int));  // <cp_async.copy>
    __pipeline_commit();
  }
  if (How == Copies::one_group_early) __pipeline_wait_prior(1);
  else if (How != Copies::unwaited) __pipeline_wait_prior(0);
  if (How != Copies::unmet) __syncthreads();
  const int i      = How == Copies::unmet ? 63 - threadIdx.x : threadIdx.x;
  out[threadIdx.x] = line[0][threadIdx.x] + line[1][i];  // <cp_async.read>
}

FAULT(cp_async_unwaited, "what cp.async fills is read without a wait",
      .run = run<cp_async<Copies::unwaited>, cp_async<Copies::right>>, .kind = Kind::unwaited_cp_async,
      .says  = {"thread 0 reads a __shared__ variable", "the cp.async of thread 0", "has not been waited for"},
      .lines = {"cp_async.copy", "cp_async.read"})

FAULT(cp_async_early, "the wait leaves the newest group of cp.async in flight",
      .run = run<cp_async<Copies::one_group_early>, cp_async<Copies::right>>, .kind = Kind::unwaited_cp_async,
      .says  = {"thread 0 reads a __shared__ variable", "the cp.async of thread 0", "has not been waited for"},
      .lines = {"cp_async.copy", "cp_async.read"})

FAULT(cp_async_unmet, "each thread waits for its own cp.async and reads another's",
      .run = run<cp_async<Copies::unmet>, cp_async<Copies::right>>, .kind = Kind::unwaited_cp_async,
      .says  = {"reads a __shared__ variable", "the cp.async of thread", "no meeting after it"},
      .lines = {"cp_async.copy", "cp_async.read"})

}  // namespace
