// The roles of a pipeline: several producers, groups that hold a stage over a step, blocks of a cluster that load for one
// another.
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/tma.hpp>

#include "raw_cluster.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using Map  = tma::TmaDescriptor<const float, 2, Tile>;

struct RawPosition {
  unsigned parity = 0;
  int      stage  = 0;

  template <int Stages> __device__ __forceinline__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  // By who fills.
  template <int Stages> __device__ __forceinline__ void advance_filled() {
    const unsigned other = raw::opaque(parity ^ 1);
    const bool     round = ++stage == Stages;
    stage                = round ? 0 : stage;
    parity               = round ? other : parity;
  }
};

template <int Stages> struct alignas(128) RawRing {
  float              a[Stages][1024];
  float              b[Stages][1024];
  unsigned long long full[Stages], empty[Stages];
};

template <int Stages, class Meet>
__device__ __forceinline__ void raw_start(unsigned rank, RawRing<Stages>& ring, unsigned fills, unsigned uses, Meet meet) {
  if (rank == 0) {
    for (int s = 0; s < Stages; ++s) {
      raw::mbar_init(&ring.full[s], fills);
      raw::mbar_init(&ring.empty[s], uses);
    }
    raw::fence_mbar_init();
  }
  meet();
}

// --- two producers, each of which brings a tile; two groups of consumers, which free a stage a step late ---

extern "C" __global__ void tma_held(const __grid_constant__ Map a, const __grid_constant__ Map b, float* out, int steps) {
  using Pipe = tma::Pipeline<4, Tile, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producers<2>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) {
          auto stage = producer.acquire();
          if (producer.index() == 0) stage.load(a, {i * 32, 0}, tma::slot<0>);
          else stage.load(b, {i * 32, 0}, tma::slot<1>);
        }
      },
      tma::consumer_groups<2, 2>,
      [&](auto& consumer) {
        const int at       = consumer.rank();
        float     sum      = 0;
        auto      previous = consumer.none();
        for (int i = 0; i < steps; ++i) {
          auto stage = consumer.wait();
          sum += stage[tma::slot<0>][at] * stage[tma::slot<1>][at];
          previous = static_cast<decltype(stage)&&>(stage);
        }
        out[consumer.group() * 64 + at] = sum;
      });
}

extern "C" __global__ void raw_held(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* out,
                                    int steps) {
  __shared__ RawRing<4> ring;
  const unsigned        rank = raw::thread_rank(), warp = raw::warp_of(rank);
  raw_start(rank, ring, 2, 4, [] { __syncthreads(); });
  RawPosition position;
  if (warp < 2) {
    if (raw::elect_sync()) {
      for (int i = 0; i < steps; ++i) {
        const int      stage  = position.stage;
        const unsigned parity = position.parity ^ 1;
        position.advance<4>();
        raw::wait(&ring.empty[stage], parity);
        raw::fence_async_shared();
        if (warp == 0) raw::load(ring.a[stage], a, &ring.full[stage], 0, i * 32);
        else raw::load(ring.b[stage], b, &ring.full[stage], 0, i * 32);
        raw::arrive_expect_tx(&ring.full[stage], 4096);
      }
    }
  } else {
    const unsigned consuming = warp - 2;
    if (int(consuming) < 4) {
      const unsigned group = consuming / 2;
      const int      at    = int(rank - (warp - consuming + group * 2) * 32);
      float          sum   = 0;
      int            held  = 0;
      bool           holds = false;
      const auto     free  = [&] {
        __syncwarp();
        if (rank % 32 == 0) raw::arrive(&ring.empty[held]);
      };
      for (int i = 0; i < steps; ++i) {
        const int stage = position.stage;
        raw::wait(&ring.full[stage], position.parity);
        position.advance<4>();
        sum += ring.a[stage][at] * ring.b[stage][at];
        if (holds) free();
        held  = stage;
        holds = true;
      }
      out[int(group) * 64 + at] = sum;
      if (holds) free();
    }
  }
}

// --- four blocks, two by two: one tile is shared in rows and one in columns ---

using Shape = tma::ClusterShape<2, 2>;
using Half  = tma::slice_t<Tile, 2>;

extern "C" __global__ void tma_multicast_loop(const __grid_constant__ tma::TmaDescriptor<const float, 2, Half> a,
                                              const __grid_constant__ tma::TmaDescriptor<const float, 2, Half> b, float* out,
                                              int steps) {
  using Pipe = tma::Pipeline<4, tma::SharedInRow<Tile, Shape>, tma::SharedInColumn<Tile, Shape>>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i)
          producer.next([&](auto& stage) {
            stage.load(a, {0, i * 32}, tma::slot<0>);
            stage.load(b, {0, i * 32}, tma::slot<1>);
          });
      },
      tma::consumer_warps<4>,
      [&](auto& consumer) {
        const int at  = consumer.rank();
        float     sum = 0;
        for (int i = 0; i < steps; ++i) consumer.next([&](const Tile& x, const Tile& y) { sum += x[at] * y[at]; });
        out[at] = sum;
      });
}

extern "C" __global__ void raw_multicast_loop(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                              float* out, int steps) {
  __shared__ RawRing<4> ring;
  const unsigned        rank = raw::thread_rank(), warp = raw::warp_of(rank);
  raw_start(rank, ring, 1, 4 * 3, [] {
    raw::cluster_arrive_relaxed();
    raw::cluster_wait();
  });
  RawPosition position;
  if (warp == 0) {
    if (raw::elect_sync()) {
      for (int i = 0; i < steps; ++i) {
        const int stage = position.stage;
        raw::wait_shared(&ring.empty[stage], position.parity ^ 1);
        raw::fence_acquire_shared_for_copies();
        {
          const unsigned own = raw::cluster_rank(), column = own % 2;
          raw::load_multicast(&ring.a[stage][column * 512], a, &ring.full[stage], i * 32, int(column) * 16,
                              (unsigned short)(3u << (own - column)));
        }
        {
          const unsigned own = raw::cluster_rank(), row = own / 2;
          raw::load_multicast(&ring.b[stage][row * 512], b, &ring.full[stage], i * 32, int(row) * 16,
                              (unsigned short)(5u << (own % 2)));
        }
        raw::arrive_expect_tx(&ring.full[stage], 8192);
        position.advance_filled<4>();
      }
    }
  } else {
    const unsigned consuming = warp - 1;
    if (int(consuming) < 4) {
      const int at  = int(rank - (warp - consuming) * 32);
      float     sum = 0;
      for (int i = 0; i < steps; ++i) {
        const int stage = position.stage;
        raw::wait_shared(&ring.full[stage], position.parity);
        sum += ring.a[stage][at] * ring.b[stage][at];
        const unsigned empty = raw::smem(&ring.empty[stage]), lane = rank % 32;
        __syncwarp();
        raw::fence_release_shared();
        const unsigned own = raw::cluster_rank(), row = own / 2, column = own % 2, other = lane - 2;
        const unsigned far = (other + unsigned(other >= row)) * 2 + column;
        const unsigned to  = lane < 2 ? row * 2 + lane : far;
        if (lane < 3) raw::arrive_remote_relaxed(raw::mapa(empty, to));
        position.advance<4>();
      }
      out[at] = sum;
    }
  }
  raw::cluster_end();
}
