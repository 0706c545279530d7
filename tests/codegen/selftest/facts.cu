// Kernels that break what is said of them, each in one way: check.py must find every one of them.
//
// Without __grid_constant__ the map is copied to local memory.
// kernel: copied_map
//   reject-ptx: \.local|__local_depot
// A destination of the cluster form.
// kernel: cluster_form
//   reject-ptx: shared::cluster
// threadIdx.x == 0 instead of an election: a loop around the copy.
// kernel: peeled
//   reject-sass: BRA\.U\.ANY
// A wait that does not say that it is more than a function of its operands: the read moves above the loop.
// kernel: hoisted
//   order-ptx: !ld\.shared ; mbarrier\.try_wait ; ld\.shared
// A fence before the write.
// kernel: early_fence
//   order-ptx: st\.shared ; fence\.proxy\.async ; bar\.sync
// A write between the fence and the barrier.
// kernel: late_write
//   order-ptx: st\.shared ; fence\.proxy\.async ; !st\.shared ; bar\.sync
// A barrier of the block in a role.
// kernel: meeting
//   order-ptx: ^bar\.sync ; !^bar\.sync
//   order-sass: \bBAR\.SYNC ; !\bBAR\.SYNC
// No check where one is said to be, and one where there should be none.
// kernel: unchecked
//   order-ptx: vprintf ; trap
// kernel: checked
//   reject-ptx: \btrap\b
//   reject-sass: BPT\.TRAP
// A fact of a build with other flags.
// kernel: unchecked -DNOTHING
//   expect-ptx: vprintf
#include "../twins/raw.hpp"

struct alignas(128) Shared {
  float              tile[1024];
  unsigned long long barrier;
};

extern "C" __global__ void copied_map(const CUtensorMap in, int x) {
  __shared__ Shared s;
  raw::load(s.tile, in, &s.barrier, x, 0);
}

extern "C" __global__ void cluster_form(const __grid_constant__ CUtensorMap in) {
  __shared__ Shared s;
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];"
               :
               : "r"(raw::smem(s.tile)), "l"(&in), "r"(raw::smem(&s.barrier)), "r"(0)
               : "memory");
}

extern "C" __global__ void peeled(const __grid_constant__ CUtensorMap in) {
  __shared__ Shared s;
  if (threadIdx.x == 0) raw::load(s.tile, in, &s.barrier, 0, 0);
}

extern "C" __global__ void hoisted(float* out, int steps) {
  __shared__ Shared s;
  float             sum = 0;
  for (int i = 0; i < steps; ++i) {
    unsigned done;
    asm("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(raw::smem(&s.barrier)), "r"(i & 1));
    sum += s.tile[7] + done;
  }
  *out = sum;
}

extern "C" __global__ void early_fence(float* out) {
  __shared__ Shared s;
  raw::fence_async_shared();
  s.tile[threadIdx.x] = *out;
  __syncthreads();
  *out = s.tile[threadIdx.x ^ 1];
}

extern "C" __global__ void late_write(float* out) {
  __shared__ Shared s;
  s.tile[threadIdx.x] = *out;
  raw::fence_async_shared();
  s.tile[threadIdx.x + 512] = *out;
  __syncthreads();
  *out = s.tile[threadIdx.x ^ 1] + s.tile[threadIdx.x ^ 513];
}

extern "C" __global__ void meeting(float* out) {
  __shared__ Shared s;
  s.tile[threadIdx.x] = *out;
  __syncthreads();
  if (threadIdx.x > 31) {
    *out = s.tile[threadIdx.x ^ 1];
    __syncthreads();
    s.tile[threadIdx.x] = *out;
    __syncthreads();
    *out = s.tile[threadIdx.x ^ 1];
  }
}

extern "C" __global__ void unchecked(float* out) { *out = 1; }

extern "C" __global__ void checked(float* out, int x) {
  if (x > 3) asm volatile("trap;");
  *out = 1;
}
