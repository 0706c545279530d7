// Election, barriers and their phases: what every kernel begins with.
#include <tma/tma.hpp>

#include "raw.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using Map  = tma::TmaDescriptor<const float, 2, Tile>;

// --- one thread of the block ---

extern "C" __global__ void tma_elect(int* out) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) *out = block.rank();
}

extern "C" __global__ void raw_elect(int* out) {
  const unsigned rank = raw::thread_rank();
  if (raw::elect_sync() & (rank < 32)) *out = rank;
}

// --- barriers are initialised once, by one thread ---

extern "C" __global__ void tma_init_one(int* out) {
  auto& barrier         = tma::shared<tma::LoadBarrier>();
  auto [block, arrived] = tma::this_block(barrier);
  *out                  = block.rank();
}

extern "C" __global__ void raw_init_one(int* out) {
  __shared__ unsigned long long barrier;
  const unsigned                rank = raw::start(&barrier);
  *out                               = rank;
}

extern "C" __global__ void tma_init_three(int* out) {
  struct Shared {
    tma::LoadBarrier  a, b;
    tma::Mbarrier<64> c;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, a, b, c] = tma::this_block(s.a, s.b, s.c);
  *out                  = block.rank();
}

extern "C" __global__ void raw_init_three(int* out) {
  struct Shared {
    unsigned long long a, b, c;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::thread_rank();
  raw::start(rank, [&] {
    raw::mbar_init(&s.a, 1);
    raw::mbar_init(&s.b, 1);
    raw::mbar_init(&s.c, 64);
  });
  *out = rank;
}

// --- a load and its wait ---

extern "C" __global__ void tma_load_wait(const __grid_constant__ Map in, float* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {blockIdx.y * 32, blockIdx.x * 32}, tile, arrived);
  arrived.wait();
  out[block.rank()] = tile[block.rank()];
}

extern "C" __global__ void raw_load_wait(const __grid_constant__ CUtensorMap in, float* out) {
  struct alignas(128) Shared {
    float              tile[1024];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, in, &s.barrier, blockIdx.x * 32, blockIdx.y * 32);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  raw::wait(&s.barrier, 0);
  out[int(rank)] = s.tile[int(rank)];
}

// --- a barrier used phase after phase ---

extern "C" __global__ void tma_load_again(const __grid_constant__ Map in, float* out, int steps) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  float sum             = 0;
  for (int i = 0; i < steps; ++i) {
    if (auto issuer = block.elect()) issuer.load(in, {i * 32, 0}, tile, arrived);
    arrived.wait();
    sum += tile[block.rank()];
    block.release(tile);
  }
  out[block.rank()] = sum;
}

extern "C" __global__ void raw_load_again(const __grid_constant__ CUtensorMap in, float* out, int steps) {
  struct alignas(128) Shared {
    float              tile[1024];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank   = raw::start(&s.barrier);
  float             sum    = 0;
  unsigned          parity = 0;
  for (int i = 0; i < steps; ++i) {
    if (raw::elect_sync() & (rank < 32)) {
      raw::load(s.tile, in, &s.barrier, 0, i * 32);
      raw::arrive_expect_tx(&s.barrier, 4096);
    }
    raw::wait(&s.barrier, parity);
    parity ^= 1;
    sum += s.tile[int(rank)];
    __syncthreads();
    if (rank < 32) raw::fence_async_shared();
  }
  out[int(rank)] = sum;
}

// --- two loads that complete together ---

extern "C" __global__ void tma_batch(const __grid_constant__ Map a, const __grid_constant__ Map b, float* out) {
  struct Shared {
    Tile             a, b;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  const tma::Coord<2> at{blockIdx.y * 32, blockIdx.x * 32};
  if (auto issuer = block.elect()) tma::LoadBatch(issuer, arrived).load(a, at, s.a).load(b, at, s.b);
  arrived.wait();
  out[block.rank()] = s.a[block.rank()] + s.b[block.rank()];
}

extern "C" __global__ void raw_batch(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                     float* out) {
  struct alignas(128) Shared {
    float              a[1024], b[1024];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.a, a, &s.barrier, blockIdx.x * 32, blockIdx.y * 32);
    raw::load(s.b, b, &s.barrier, blockIdx.x * 32, blockIdx.y * 32);
    raw::arrive_expect_tx(&s.barrier, 8192);
  }
  raw::wait(&s.barrier, 0);
  out[int(rank)] = s.a[int(rank)] + s.b[int(rank)];
}

// --- asking without waiting ---

extern "C" __global__ void tma_is_complete(const __grid_constant__ Map in, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
  int turns = 0;
  while (!arrived.is_complete()) ++turns;
  arrived.wait();
  out[block.rank()] = turns;
}

extern "C" __global__ void raw_is_complete(const __grid_constant__ CUtensorMap in, int* out) {
  struct alignas(128) Shared {
    float              tile[1024];
    unsigned long long barrier;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::start(&s.barrier);
  if (raw::elect_sync() & (rank < 32)) {
    raw::load(s.tile, in, &s.barrier, 0, 0);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  int turns = 0;
  while (!raw::test_wait(&s.barrier, 0)) ++turns;
  raw::wait(&s.barrier, 0);
  out[int(rank)] = turns;
}

// --- threads that hand something to threads ---

extern "C" __global__ void tma_hand_over(int* out, int rounds) {
  struct Shared {
    tma::Mbarrier<32> written, read;
    int               value;
  };
  auto& s                     = tma::shared<Shared>();
  auto [block, written, read] = tma::this_block(s.written, s.read);
  int sum                     = 0;
  for (int i = 0; i < rounds; ++i) {
    if (block.rank() < 32) {
      if (i > 0) read.wait();
      if (block.rank() == 5) s.value = i * 3;
      s.written.arrive();
    } else {
      written.wait();
      sum += s.value;
      s.read.arrive();
    }
  }
  if (block.rank() >= 32) out[block.rank() - 32] = sum;
}

extern "C" __global__ void raw_hand_over(int* out, int rounds) {
  struct Shared {
    unsigned long long written, read;
    int                value;
  };
  __shared__ Shared s;
  const unsigned    rank = raw::thread_rank();
  raw::start(rank, [&] {
    raw::mbar_init(&s.written, 32);
    raw::mbar_init(&s.read, 32);
  });
  unsigned written_parity = 0, read_parity = 0;
  int      sum = 0;
  for (int i = 0; i < rounds; ++i) {
    if (int(rank) < 32) {
      if (i > 0) {
        raw::wait(&s.read, read_parity);
        read_parity ^= 1;
      }
      if (rank == 5) s.value = i * 3;
      raw::arrive(&s.written);
    } else {
      raw::wait(&s.written, written_parity);
      written_parity ^= 1;
      sum += s.value;
      raw::arrive(&s.read);
    }
  }
  if (int(rank) >= 32) out[int(rank) - 32] = sum;
}

// --- what threads wrote, made readable for the engine ---

extern "C" __global__ void tma_publish(float* out) {
  auto& tile         = tma::shared<Tile>();
  auto  block        = tma::this_block();
  tile[block.rank()] = out[block.rank()];
  (void)block.publish(tile);
  out[block.rank()] = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_publish(float* out) {
  __shared__ alignas(128) float tile[1024];
  const int                     rank = int(raw::thread_rank());
  tile[rank]                         = out[rank];
  raw::fence_async_shared();
  __syncthreads();
  out[rank] = tile[rank ^ 1];
}
