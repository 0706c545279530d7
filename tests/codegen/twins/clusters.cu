// Blocks of a cluster, and barriers in other forms than the plain ones.
#include <tma/device/barrier_forms.hpp>
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include "raw_cluster.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using Map  = tma::TmaDescriptor<const float, 2, Tile>;

// --- each of two blocks loads half of what both use, step after step ---

extern "C" __global__ void tma_multicast(const __grid_constant__ Map in, float* out, int steps) {
  struct Shared {
    Tile             tile[2];
    tma::LoadBarrier barrier;
  };
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<2>(s.barrier);
  const int rank          = cluster.rank();
  float     sum           = 0;
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    if (auto issuer = cluster.elect())
      tma::LoadBatch(issuer, arrived)
          .load(in, {i * 64 + rank * 32, 0}, s.tile[rank], cluster.everyone())
          .expect(s.tile[1 - rank]);
    arrived.wait();
    sum += s.tile[0][cluster.block().rank()] + s.tile[1][cluster.block().rank()];
    cluster.release(s.tile);
  }
  out[cluster.block().rank()] = sum;
}

extern "C" __global__ void raw_multicast(const __grid_constant__ CUtensorMap in, float* out, int steps) {
  struct alignas(128) Shared {
    float              tile[2][1024];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::thread_rank();
  raw::cluster_start(rank, [&] { raw::mbar_init(&s.barrier, 1); });
  const int block  = int(raw::cluster_rank());
  unsigned  parity = 0;
  float     sum    = 0;
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    if (raw::elect_sync() & (rank < 32)) {
      raw::load_multicast(s.tile[block], in, &s.barrier, 0, i * 64 + block * 32, 3);
      raw::arrive_expect_tx(&s.barrier, 8192);
    }
    raw::wait_cluster(&s.barrier, parity);
    parity ^= 1;
    sum += s.tile[0][int(rank)] + s.tile[1][int(rank)];
    raw::cluster_arrive();
    raw::cluster_wait();
    if (int(rank) < 32) raw::fence_async_cluster();
  }
  out[int(rank)] = sum;
  raw::cluster_end();
}

// --- block 0 sends to block 1, which says when it has read ---

extern "C" __global__ void tma_hand_off(int* out, int steps) {
  using Message = tma::Buffer<int, 64>;
  struct Shared {
    Message           data;
    tma::LoadBarrier  full;
    tma::Mbarrier<64> free;
  };
  auto& s                    = tma::shared<Shared>();
  auto [cluster, full, free] = tma::this_cluster<2>(s.full, s.free);
  auto& block                = cluster.block();
  int   sum                  = 0;
  if (cluster.rank() == 0) {
    const auto there = cluster.peer(s.data, 1);
    const auto bar   = cluster.peer(s.full, 1);
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
      if (i > 0) free.wait_to_refill();
      s.data[block.rank()] = i;
      auto ready           = block.publish(s.data);
      if (auto issuer = block.elect()) issuer.send(ready, there, bar);
    }
  } else {
    const auto bar = cluster.peer(s.free, 0);
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
      full.wait();
      sum += s.data[block.rank()];
      bar.arrive();
    }
  }
  out[block.rank()] = sum;
}

extern "C" __global__ void raw_hand_off(int* out, int steps) {
  struct alignas(128) Shared {
    int                data[64];
    unsigned long long full, free;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::thread_rank();
  raw::cluster_start(rank, [&] {
    raw::mbar_init(&s.full, 1);
    raw::mbar_init(&s.free, 64);
  });
  unsigned full_parity = 0, free_parity = 0;
  int      sum = 0;
  if (int(raw::cluster_rank()) == 0) {
    const unsigned there = raw::mapa(raw::smem(s.data), 1), bar = raw::mapa(raw::smem(&s.full), 1);
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
      if (i > 0) {
        raw::wait_cluster(&s.free, free_parity);
        free_parity ^= 1;
        raw::fence_async_cluster();
      }
      s.data[int(rank)] = i;
      raw::fence_async_shared();
      __syncthreads();
      if (raw::elect_sync() & (rank < 32)) raw::send(there, s.data, 256, bar);
    }
  } else {
    const unsigned bar = raw::mapa(raw::smem(&s.free), 0);
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
      raw::wait_cluster(&s.full, full_parity);
      full_parity ^= 1;
      sum += s.data[int(rank)];
      raw::arrive_remote(bar);
    }
  }
  out[int(rank)] = sum;
  raw::cluster_end();
}

// --- threads write into and read from the other block ---

extern "C" __global__ void tma_swap(int* out) {
  struct Shared {
    int value[256];
  };
  auto& s                                                    = tma::shared<Shared>();
  auto  cluster                                              = tma::this_cluster<2>();
  auto& block                                                = cluster.block();
  (*cluster.peer(s.value, 1 - cluster.rank()))[block.rank()] = out[block.rank()];
  cluster.sync();
  out[block.rank()] = s.value[block.rank()];
}

extern "C" __global__ void raw_swap(int* out) {
  __shared__ int value[256];
  const int      rank = int(raw::thread_rank());
  raw::cluster_arrive_relaxed();
  raw::cluster_wait();
  raw::mapa(value, 1 - raw::cluster_rank())[rank] = out[rank];
  raw::cluster_arrive();
  raw::cluster_wait();
  out[rank] = value[rank];
  raw::cluster_end();
}

// --- a barrier with counts, a token, a relaxed wait ---

extern "C" __global__ void tma_forms(int* out) {
  struct Shared {
    tma::Mbarrier<96> a;
    tma::Mbarrier<32> b;
  };
  auto& s            = tma::shared<Shared>();
  auto [block, a, b] = tma::this_block(s.a, s.b);
  s.a.arrive(3);
  const auto token = s.b.arrive_token();
  a.wait<tma::Order::relaxed>();
  token.wait();
  out[block.rank()] = token.pending();
}

extern "C" __global__ void raw_forms(int* out) {
  struct Shared {
    unsigned long long a, b;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::thread_rank();
  raw::start(rank, [&] {
    raw::mbar_init(&s.a, 96);
    raw::mbar_init(&s.b, 32);
  });
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(raw::smem(&s.a)), "r"(3) : "memory");
  raw::u64 token;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(raw::smem(&s.b)), "r"(1)
               : "memory");
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(raw::smem(&s.a)), "r"(0)
                 : "memory");
  } while (done == 0);
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(raw::smem(&s.b)), "l"(token)
                 : "memory");
  } while (done == 0);
  unsigned count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  out[int(rank)] = int(count);
}
