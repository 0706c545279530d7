// Rings that threads write and the engine stores, and rings that the engine fills, threads change, and the engine stores.
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/pipeline/store_ring.hpp>
#include <tma/tma.hpp>

#include "raw.hpp"

using Tile = tma::Tile<float, tma::Shape<8, 32>>;
using Map  = tma::TmaDescriptor<float, 2, Tile>;

// --- a store ring: one meeting a step, or two where there is one stage ---

template <int Stages> __device__ __forceinline__ void fill(const Map& to, int steps) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<Stages, Tile>>(), block);
  for (int i = 0; i < steps; ++i)
    out.next([&](Tile& tile) { tile[block.rank()] = float(i); }, [&](auto store) { store(to, {i * 8, 0}); });
}

struct alignas(128) RawTile {
  float x[256];
};

template <int Stages> struct RawStages {
  RawTile tile[Stages];
};

template <int Stages> __device__ __forceinline__ void raw_fill(RawStages<Stages>& ring, const CUtensorMap& to, int steps) {
  const unsigned rank   = raw::thread_rank();
  const bool     issuer = raw::elect_sync() & (rank < 32);
  int            stage  = 0;
  for (int i = 0; i < steps; ++i) {
    if (Stages == 1) {
      if (issuer) raw::wait_group_read<0>();
      __syncthreads();
    }
    ring.tile[stage].x[int(rank)] = float(i);
    raw::fence_async_shared();
    if (Stages > 1 && issuer) raw::wait_group_read<(Stages > 1 ? Stages - 2 : 0)>();
    __syncthreads();
    if (issuer) {
      raw::store(to, &ring.tile[stage], 0, i * 8);
      raw::commit_group();
    }
    if (Stages > 1 && ++stage == Stages) stage = 0;
  }
  if (issuer) raw::wait_group_read<0>();
}

extern "C" __global__ void tma_ring_1(const __grid_constant__ Map to, int steps) { fill<1>(to, steps); }
extern "C" __global__ void raw_ring_1(const __grid_constant__ CUtensorMap to, int steps) {
  __shared__ RawStages<1> ring;
  raw_fill(ring, to, steps);
}
extern "C" __global__ void tma_ring_2(const __grid_constant__ Map to, int steps) { fill<2>(to, steps); }
extern "C" __global__ void raw_ring_2(const __grid_constant__ CUtensorMap to, int steps) {
  __shared__ RawStages<2> ring;
  raw_fill(ring, to, steps);
}
extern "C" __global__ void tma_ring_3(const __grid_constant__ Map to, int steps) { fill<3>(to, steps); }
extern "C" __global__ void raw_ring_3(const __grid_constant__ CUtensorMap to, int steps) {
  __shared__ RawStages<3> ring;
  raw_fill(ring, to, steps);
}

// Stages as objects, of which some are not stored: the object is no code.
extern "C" __global__ void tma_ring_held(const __grid_constant__ Map to, int steps) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<4, Tile>>(), block);
  for (int i = 0; i < steps; ++i) {
    auto stage             = out.acquire();
    (*stage)[block.rank()] = float(i);
    stage.store(to, {i * 8, 0});
  }
}
extern "C" __global__ void raw_ring_held(const __grid_constant__ CUtensorMap to, int steps) {
  __shared__ RawStages<4> ring;
  raw_fill(ring, to, steps);
}

// --- in place ---

template <int Stages> struct RawRing {
  RawTile            tile[Stages];
  unsigned long long full[Stages], done[Stages];
};

struct RawPosition {
  unsigned parity = 0;
  int      stage  = 0;

  template <int Stages> __device__ __forceinline__ void advance() {
    if (Stages == 1) {
      parity ^= 1;
    } else if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <int Stages> struct RawInPlace {
  RawRing<Stages>&   ring;
  const CUtensorMap& map;
  unsigned           rank;
  bool               issues = false;
  RawPosition        position;

  __device__ __forceinline__ RawInPlace(RawRing<Stages>& ring_, const CUtensorMap& map_, unsigned rank_, unsigned warps)
      : ring(ring_),
        map(map_),
        rank(rank_) {
    raw::start(rank, [&] {
      for (int s = 0; s < Stages; ++s) {
        raw::mbar_init(&ring.full[s], 1);
        raw::mbar_init(&ring.done[s], warps);
      }
    });
  }

  __device__ __forceinline__ void fill(int stage, int i) {
    raw::load(&ring.tile[stage], map, &ring.full[stage], 0, i * 8);
    raw::arrive_expect_tx(&ring.full[stage], 1024);
  }

  __device__ __forceinline__ void fill_first(RawPosition ahead, int steps) {
    raw::wait_group_read<0>();
    for (int i = 0; i < steps && i < Stages; ++i) {
      fill(ahead.stage, i);
      ahead.template advance<Stages>();
    }
  }

  // Stores a step's stage once all have changed it, and refills the one of the step before, which has been read by now.
  __device__ __forceinline__ void hand_on(RawPosition here, int i, int steps) {
    constexpr int lag = Stages > 1 ? 1 : 0;
    raw::wait(&ring.done[here.stage], here.parity);
    raw::store(map, &ring.tile[here.stage], 0, i * 8);
    raw::commit_group();
    if (i >= lag && i - lag + Stages < steps) {
      raw::wait_group_read<lag>();
      fill(lag == 0 ? here.stage : here.stage == 0 ? Stages - 1 : here.stage - 1, i - lag + Stages);
    }
  }

  __device__ __forceinline__ void change(int i) {
    raw::wait(&ring.full[position.stage], position.parity);
    ring.tile[position.stage].x[i] *= 2;
    raw::fence_async_shared();
    __syncwarp();
    if (rank % 32 == 0) raw::arrive(&ring.done[position.stage]);
    position.template advance<Stages>();
  }
};

template <int Stages> __device__ __forceinline__ void twice(const Map& map, int steps) {
  using Pipe = tma::InPlacePipeline<Stages, Tile>;
  Pipe      pipe(tma::shared<typename Pipe::Shared>());
  const int i0 = int(threadIdx.x);
  pipe.for_each(
      steps, [&](auto load, int i) { load(map, {i * 8, 0}); }, [&](Tile& tile, int) { tile[i0] *= 2; },
      [&](auto store, int i) { store(map, {i * 8, 0}); });
}

template <int Stages> __device__ __forceinline__ void raw_twice(RawRing<Stages>& ring, const CUtensorMap& map, int steps) {
  RawInPlace<Stages> pipe(ring, map, raw::thread_rank(), (raw::block_threads() + 31) / 32);
  pipe.issues  = raw::elect_sync() & (pipe.rank < 32);
  const int i0 = int(threadIdx.x);
  if (pipe.issues) pipe.fill_first(pipe.position, steps);
  for (int i = 0; i < steps; ++i) {
    const RawPosition here = pipe.position;
    pipe.change(i0);
    if (pipe.issues) pipe.hand_on(here, i, steps);
  }
  if (pipe.issues) raw::wait_group_read<0>();
}

extern "C" __global__ void tma_in_place_1(const __grid_constant__ Map map, int steps) { twice<1>(map, steps); }
extern "C" __global__ void raw_in_place_1(const __grid_constant__ CUtensorMap map, int steps) {
  __shared__ RawRing<1> ring;
  raw_twice(ring, map, steps);
}
extern "C" __global__ void tma_in_place_4(const __grid_constant__ Map map, int steps) { twice<4>(map, steps); }
extern "C" __global__ void raw_in_place_4(const __grid_constant__ CUtensorMap map, int steps) {
  __shared__ RawRing<4> ring;
  raw_twice(ring, map, steps);
}

// A warp that moves beside eight that work.
extern "C" __global__ void tma_in_place_roles(const __grid_constant__ Map map, int steps) {
  using Pipe = tma::InPlacePipeline<3, Tile>;
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(
            steps, [&](auto load, int i) { load(map, {i * 8, 0}); }, [&](auto store, int i) { store(map, {i * 8, 0}); });
      },
      tma::consumer_warps<8>,
      [&](auto& worker) {
        const int i0 = worker.rank();
        for (int i = 0; i < steps; ++i) worker.next([&](Tile& tile) { tile[i0] *= 2; });
      });
}
extern "C" __global__ void raw_in_place_roles(const __grid_constant__ CUtensorMap map, int steps) {
  __shared__ RawRing<3> ring;
  const unsigned        rank = raw::thread_rank(), warp = raw::warp_of(rank);
  RawInPlace<3>         pipe(ring, map, rank, 8);
  if (warp == 0) {
    if (raw::elect_sync()) {
      pipe.fill_first(pipe.position, steps);
      for (int i = 0; i < steps; ++i) {
        pipe.hand_on(pipe.position, i, steps);
        pipe.position.advance<3>();
      }
      raw::wait_group_read<0>();
    }
  } else {
    const unsigned worker = warp - 1;
    if (int(worker) < 8) {
      const int i0 = int(worker * 32 + rank % 32);
      for (int i = 0; i < steps; ++i) pipe.change(i0);
    }
  }
}
