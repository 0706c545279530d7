// What a barrier's instructions cost at block scope and at cluster scope, in PTX.
//
// Three kinds of numbers, all in cycles: a wait for a phase that is complete already; an arrival that nobody waits for, with
// nothing before it and after a store to global memory, which a release at cluster scope has to see through; and a hand-off,
// half of a round trip between two threads of a block or of two blocks of a cluster.
#include "kernels.cuh"

namespace ring {
namespace {

constexpr int count = 64;  // of instructions, or of round trips, in a sample

__device__ __forceinline__ unsigned in_block(unsigned address, unsigned block) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
  return there;
}

__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

// `seen`: once a wait has said yes.
#define RING_WAIT(Name, semantics, after)                                              \
  struct Name {                                                                        \
    static __device__ __forceinline__ void seen() { asm volatile(after::: "memory"); } \
    static __device__ __forceinline__ bool done(unsigned barrier, unsigned parity) {   \
      unsigned done;                                                                   \
      asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity." semantics         \
                   ".shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"       \
                   : "=r"(done)                                                        \
                   : "r"(barrier), "r"(parity)                                         \
                   : "memory");                                                        \
      return done != 0;                                                                \
    }                                                                                  \
  }
#define RING_ACQUIRE_SHARED "fence.acquire.sync_restrict::shared::cluster.cluster;"
RING_WAIT(AcquireBlock, "acquire.cta", "");
RING_WAIT(AcquireCluster, "acquire.cluster", "");
RING_WAIT(WaitRelaxed, "relaxed.cluster", "");
RING_WAIT(AcquireShared, "relaxed.cluster", RING_ACQUIRE_SHARED);
RING_WAIT(AcquireSharedForCopies, "relaxed.cluster",
          RING_ACQUIRE_SHARED "\n\tfence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;");
#undef RING_ACQUIRE_SHARED
#undef RING_WAIT

// `remote` is an address in the window of the cluster, which holds the own block's memory as well.
#define RING_ARRIVE(Name, is_remote, before, text)                                            \
  struct Name {                                                                               \
    static constexpr bool                  remote = is_remote;                                \
    static __device__ __forceinline__ void go(unsigned barrier) {                             \
      asm volatile(before "mbarrier.arrive." text ".b64 _, [%0];" ::"r"(barrier) : "memory"); \
    }                                                                                         \
  }
RING_ARRIVE(ReleaseBlock, false, "", "release.cta.shared::cta");
RING_ARRIVE(ReleaseCluster, false, "", "release.cluster.shared::cta");
RING_ARRIVE(Relaxed, false, "", "relaxed.cluster.shared::cta");
RING_ARRIVE(PeerReleaseCluster, true, "", "release.cluster.shared::cluster");
RING_ARRIVE(PeerRelaxed, true, "", "relaxed.cluster.shared::cluster");
RING_ARRIVE(PeerReleaseShared, true, "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n\t",
            "relaxed.cluster.shared::cluster");
#undef RING_ARRIVE

__device__ __forceinline__ void init(unsigned long long* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void meet_initialised() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  cluster_sync();
}

template <class Wait> __global__ void __cluster_dims__(2) waits(float* cycles) {
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) init(&barrier, 1);
  meet_initialised();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    ReleaseBlock::go(address(&barrier));
    while (!Wait::done(address(&barrier), 0)) {}
    // Each wait begins when the one before has said yes: its address depends on it.
    unsigned        at    = address(&barrier);
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < count; ++i) {
      at += Wait::done(at, 0) ? 0 : 8;
      Wait::seen();
    }
    const long long end = clock64();
    *cycles             = at == address(&barrier) ? float(end - begin) / count : -1;
  }
  cluster_sync();
}

template <class Arrive, bool AfterStore> __global__ void __cluster_dims__(2) arrivals(float* cycles) {
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) init(&barrier, 1 << 19);
  meet_initialised();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const unsigned  there = Arrive::remote ? in_block(address(&barrier), 1) : address(&barrier);
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < count; ++i) {
      if (AfterStore) reinterpret_cast<volatile float*>(cycles)[32 + i] = float(i);
      Arrive::go(there);
    }
    const long long end = clock64();
    *cycles             = float(end - begin) / count;
  }
  cluster_sync();
}

// Thread 0 of block 0 and thread 32 of block `partner` answer each other.
template <class Arrive, class Wait> __global__ void __cluster_dims__(2) hand_off(float* cycles) {
  constexpr unsigned            partner = Arrive::remote ? 1 : 0;
  __shared__ unsigned long long ping, pong;
  if (threadIdx.x == 0) {
    init(&ping, 1);
    init(&pong, 1);
  }
  meet_initialised();
  const auto there = [](unsigned long long& barrier, unsigned block) {
    return Arrive::remote ? in_block(address(&barrier), block) : address(&barrier);
  };
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const unsigned  to    = there(ping, partner);
    const long long begin = clock64();
    for (int i = 0; i < count; ++i) {
      Arrive::go(to);
      while (!Wait::done(address(&pong), unsigned(i) & 1)) {}
      Wait::seen();
    }
    *cycles = float(clock64() - begin) / count / 2;
  } else if (blockIdx.x == partner && threadIdx.x == 32) {
    const unsigned to = there(pong, 0);
    for (int i = 0; i < count; ++i) {
      while (!Wait::done(address(&ping), unsigned(i) & 1)) {}
      Wait::seen();
      Arrive::go(to);
    }
  }
  __syncwarp();
  cluster_sync();
}

Form form(const char* name, void (*kernel)(float*)) {
  return {name, [=](float* cycles) {
            kernel<<<2, 64>>>(cycles);
            harness::require(cudaGetLastError(), name);
          }};
}

}  // namespace

std::vector<Form> scopes() {
  return {form("wait acquire.cta", waits<AcquireBlock>),
          form("wait acquire.cluster", waits<AcquireCluster>),
          form("wait relaxed.cluster", waits<WaitRelaxed>),
          form("wait relaxed.cluster and fence of shared", waits<AcquireShared>),
          form("wait relaxed.cluster and fences of shared and copies", waits<AcquireSharedForCopies>),
          form("arrive release.cta", arrivals<ReleaseBlock, false>),
          form("arrive release.cluster", arrivals<ReleaseCluster, false>),
          form("arrive relaxed.cluster", arrivals<Relaxed, false>),
          form("arrive at a peer release.cluster", arrivals<PeerReleaseCluster, false>),
          form("arrive at a peer relaxed.cluster", arrivals<PeerRelaxed, false>),
          form("arrive at a peer fence of shared and relaxed.cluster", arrivals<PeerReleaseShared, false>),
          form("store then arrive release.cta", arrivals<ReleaseBlock, true>),
          form("store then arrive release.cluster", arrivals<ReleaseCluster, true>),
          form("store then arrive relaxed.cluster", arrivals<Relaxed, true>),
          form("store then arrive at a peer release.cluster", arrivals<PeerReleaseCluster, true>),
          form("store then arrive at a peer relaxed.cluster", arrivals<PeerRelaxed, true>),
          form("store then arrive at a peer fence of shared and relaxed.cluster", arrivals<PeerReleaseShared, true>),
          form("hand-off in a block cta", hand_off<ReleaseBlock, AcquireBlock>),
          form("hand-off in a block cluster", hand_off<ReleaseCluster, AcquireCluster>),
          form("hand-off in a block relaxed", hand_off<Relaxed, WaitRelaxed>),
          form("hand-off to a peer cluster", hand_off<PeerReleaseCluster, AcquireCluster>),
          form("hand-off to a peer release and relaxed wait", hand_off<PeerReleaseCluster, WaitRelaxed>),
          form("hand-off to a peer fences of shared", hand_off<PeerReleaseShared, AcquireShared>),
          form("hand-off to a peer fences of shared and copies", hand_off<PeerReleaseShared, AcquireSharedForCopies>),
          form("hand-off to a peer relaxed", hand_off<PeerRelaxed, WaitRelaxed>)};
}

}  // namespace ring
