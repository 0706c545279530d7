// Rings of stages filled ahead of the threads that use them: every thread consumes and one of them issues, or a producer
// warp feeds consumer warps.
#include <tma/tma.hpp>

#include "raw.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using Map  = tma::TmaDescriptor<const float, 2, Tile>;

// --- one tile a stage; all threads consume ---

template <int Stages> __device__ __forceinline__ void stream(const Map& in, float* out, int tiles) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  Pipe      pipe(tma::shared<typename Pipe::Shared>());
  const int i0  = int(threadIdx.x);
  float     sum = 0;
  pipe.for_each(tiles, [&](auto load, int i) { load(in, {i * 32, 0}); }, [&](const Tile& tile, int) { sum += tile[i0]; });
  out[i0] = sum;
}

struct alignas(128) RawTile {
  float x[1024];

  __device__ __forceinline__ float& operator[](int i) { return x[i]; }
};

// A ring of tiles, its barriers, and where a thread is in it.
template <int Stages> struct RawRing {
  static constexpr int stages = Stages;
  RawTile              tile[Stages];
  unsigned long long   full[Stages], empty[Stages];
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
  // By who fills.
  template <int Stages> __device__ __forceinline__ void advance_filled() {
    const unsigned other = raw::opaque(parity ^ 1);
    const bool     round = ++stage == Stages;
    stage                = round ? 0 : stage;
    parity               = round ? other : parity;
  }
};

template <class Ring> struct RawPipeline {
  static constexpr int stages = Ring::stages;

  Ring&       ring;
  unsigned    rank;
  bool        issues = false;
  RawPosition position;

  __device__ __forceinline__ RawPipeline(Ring& ring_, unsigned rank_, unsigned consuming_warps) : ring(ring_), rank(rank_) {
    raw::start(rank, [&] {
      for (int s = 0; s < stages; ++s) {
        raw::mbar_init(&ring.full[s], 1);
        raw::mbar_init(&ring.empty[s], consuming_warps);
      }
    });
  }

  // Refills a stage once it is free. The fence orders what threads read before what the engine writes now.
  template <class Load> __device__ __forceinline__ void fill(RawPosition at, Load load) {
    raw::wait(&ring.empty[at.stage], at.parity ^ 1);
    raw::fence_async_shared();
    load(at.stage);
    raw::arrive_expect_tx(&ring.full[at.stage], 4096);
  }

  // Fills the stages ahead of the first step.
  template <class Load> __device__ __forceinline__ void fill_first(int steps, Load load) {
    RawPosition ahead = position;
    for (int i = 0; i < steps && i < stages; ++i) {
      fill(ahead, [&](int stage) { load(stage, i); });
      ahead.template advance<stages>();
    }
  }

  // By a warp that reads the stage no more.
  __device__ __forceinline__ void free(int stage) {
    __syncwarp();
    if (rank % 32 == 0) raw::arrive(&ring.empty[stage]);
  }

  template <class Use, class Refill> __device__ __forceinline__ void take(Use use, Refill refill) {
    raw::wait(&ring.full[position.stage], position.parity);
    use(position.stage);
    free(position.stage);
    refill();
    position.template advance<stages>();
  }

  // By all threads of the block.
  template <class Load, class Use> __device__ __forceinline__ void loop(int steps, Load load, Use use) {
    if (issues) fill_first(steps, load);
    for (int i = 0; i < steps; ++i) {
      const RawPosition here = position;
      take(use, [&] {
        if (issues && i + stages < steps) fill({here.parity ^ 1, here.stage}, [&](int stage) { load(stage, i + stages); });
      });
    }
  }
};

// The pipeline of a block whose threads all consume, one of which issues.
template <class Ring> __device__ __forceinline__ RawPipeline<Ring> raw_pipeline(Ring& ring) {
  RawPipeline<Ring> pipe(ring, raw::thread_rank(), (raw::block_threads() + 31) / 32);
  pipe.issues = raw::elect_sync() & (pipe.rank < 32);
  return pipe;
}

template <class Ring> __device__ __forceinline__ void raw_stream(Ring& ring, const CUtensorMap& in, float* out, int tiles) {
  auto      pipe = raw_pipeline(ring);
  const int i0   = int(threadIdx.x);
  float     sum  = 0;
  pipe.loop(
      tiles, [&](int stage, int i) { raw::load(&ring.tile[stage], in, &ring.full[stage], 0, i * 32); },
      [&](int stage) { sum += ring.tile[stage][i0]; });
  out[i0] = sum;
}

extern "C" __global__ void tma_stages_1(const __grid_constant__ Map in, float* out, int tiles) { stream<1>(in, out, tiles); }
extern "C" __global__ void raw_stages_1(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  __shared__ RawRing<1> ring;
  raw_stream(ring, in, out, tiles);
}
extern "C" __global__ void tma_stages_2(const __grid_constant__ Map in, float* out, int tiles) { stream<2>(in, out, tiles); }
extern "C" __global__ void raw_stages_2(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  __shared__ RawRing<2> ring;
  raw_stream(ring, in, out, tiles);
}
extern "C" __global__ void tma_stages_3(const __grid_constant__ Map in, float* out, int tiles) { stream<3>(in, out, tiles); }
extern "C" __global__ void raw_stages_3(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  __shared__ RawRing<3> ring;
  raw_stream(ring, in, out, tiles);
}
extern "C" __global__ void tma_stages_4(const __grid_constant__ Map in, float* out, int tiles) { stream<4>(in, out, tiles); }
extern "C" __global__ void raw_stages_4(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  __shared__ RawRing<4> ring;
  raw_stream(ring, in, out, tiles);
}

// The same ring of four without any abstraction in the twin: one function, plain variables.
extern "C" __global__ void tma_flat(const __grid_constant__ Map in, float* out, int tiles) { stream<4>(in, out, tiles); }
extern "C" __global__ void raw_flat(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  struct alignas(128) Shared {
    float              tile[4][1024];
    unsigned long long full[4], empty[4];
  };
  __shared__ Shared s;
  const unsigned    rank = raw::thread_rank();
  if (rank == 0) {
    for (int k = 0; k < 4; ++k) {
      raw::mbar_init(&s.full[k], 1);
      raw::mbar_init(&s.empty[k], (raw::block_threads() + 31) / 32);
    }
    raw::fence_mbar_init();
  }
  __syncthreads();
  const bool issues = raw::elect_sync() & (rank < 32);
  const int  i0     = int(threadIdx.x);
  float      sum    = 0;
  if (issues) {
    unsigned parity = 0;
    int      stage  = 0;
    for (int i = 0; i < tiles && i < 4; ++i) {
      raw::wait(&s.empty[stage], parity ^ 1);
      raw::fence_async_shared();
      raw::load(s.tile[stage], in, &s.full[stage], 0, i * 32);
      raw::arrive_expect_tx(&s.full[stage], 4096);
      if (++stage == 4) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
  unsigned parity = 0;
  int      stage  = 0;
  for (int i = 0; i < tiles; ++i) {
    raw::wait(&s.full[stage], parity);
    sum += s.tile[stage][i0];
    __syncwarp();
    if (rank % 32 == 0) raw::arrive(&s.empty[stage]);
    if (issues && i + 4 < tiles) {
      raw::wait(&s.empty[stage], parity);
      raw::fence_async_shared();
      raw::load(s.tile[stage], in, &s.full[stage], 0, (i + 4) * 32);
      raw::arrive_expect_tx(&s.full[stage], 4096);
    }
    if (++stage == 4) {
      stage = 0;
      parity ^= 1;
    }
  }
  out[i0] = sum;
}

// --- a ring of more than 48 KiB: dynamic shared memory, aligned by hand ---

extern "C" __global__ void tma_stages_16(const __grid_constant__ Map in, float* out, int tiles) {
  stream<16>(in, out, tiles);
}

extern "C" __global__ void raw_stages_16(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  extern __shared__ unsigned char dynamic[];
  auto& ring = *reinterpret_cast<RawRing<16>*>(dynamic + (-raw::smem(dynamic) & (alignof(RawRing<16>) - 1)));
  raw_stream(ring, in, out, tiles);
}

// --- two tiles a stage, one of them swizzled ---

using TileA = tma::Tile<float, tma::Shape<16, 32>, tma::Swizzle::bytes_128>;
using TileB = tma::Tile<float, tma::Shape<32, 16>>;

extern "C" __global__ void tma_two_tiles(const __grid_constant__ tma::TmaDescriptor<const float, 2, TileA> a,
                                         const __grid_constant__ tma::TmaDescriptor<const float, 2, TileB> b, float* out,
                                         int steps) {
  using Pipe = tma::Pipeline<3, TileA, TileB>;
  Pipe      pipe(tma::shared<Pipe::Shared>());
  const int i0  = int(threadIdx.x);
  float     sum = 0;
  pipe.for_each(
      steps,
      [&](auto load, int i) {
        const int k = i * 32;
        load(a, {0, k});
        load(b, {k, 0});
      },
      [&](const TileA& ta, const TileB& tb, int) { sum += ta(3, i0) * tb(i0, 3); });
  out[i0] = sum;
}

struct alignas(1024) RawTwoTiles {
  static constexpr int stages = 3;
  float                a[3][512];
  float                b[3][512];
  unsigned long long   full[3], empty[3];
};

// Where the swizzle puts an element of rows of 128 bytes.
__device__ __forceinline__ const float& raw_at(const float* tile, unsigned row, unsigned column) {
  return *reinterpret_cast<const float*>(reinterpret_cast<const char*>(tile) +
                                         (row * 128 + ((column * 4) ^ ((row & 7) << 4))));
}

extern "C" __global__ void raw_two_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                         float* out, int steps) {
  __shared__ RawTwoTiles ring;
  auto                   pipe = raw_pipeline(ring);
  const int              i0   = int(threadIdx.x);
  float                  sum  = 0;
  pipe.loop(
      steps,
      [&](int stage, int i) {
        const int k = i * 32;
        raw::load(ring.a[stage], a, &ring.full[stage], k, 0);
        raw::load(ring.b[stage], b, &ring.full[stage], 0, k);
      },
      [&](int stage) { sum += raw_at(ring.a[stage], 3, i0) * ring.b[stage][i0 * 16 + 3]; });
  out[i0] = sum;
}

// --- chunks of an array ---

extern "C" __global__ void tma_chunks(tma::AlignedPointer<const float> in, float* out, int chunks) {
  using Pipe = tma::Pipeline<4, tma::Buffer<float, 1024>>;
  Pipe      pipe(tma::shared<Pipe::Shared>());
  const int i0  = int(threadIdx.x);
  float     sum = 0;
  pipe.for_each(
      chunks, [&](auto load, int i) { load(in.chunk<1024>(i)); },
      [&](const tma::Buffer<float, 1024>& chunk, int) { sum += chunk[i0]; });
  out[i0] = sum;
}

extern "C" __global__ void raw_chunks(const float* in, float* out, int chunks) {
  __shared__ RawRing<4> ring;
  auto                  pipe = raw_pipeline(ring);
  const int             i0   = int(threadIdx.x);
  float                 sum  = 0;
  pipe.loop(
      chunks,
      [&](int stage, int i) { raw::bulk_load(&ring.tile[stage], in + (long long)(i) * 1024, 4096, &ring.full[stage]); },
      [&](int stage) { sum += ring.tile[stage][i0]; });
  out[i0] = sum;
}

// --- two loops over one ring: stages and phases go on ---

extern "C" __global__ void tma_two_loops(const __grid_constant__ Map in, float* out, int first, int second) {
  using Pipe = tma::Pipeline<4, Tile>;
  Pipe       pipe(tma::shared<Pipe::Shared>());
  const int  i0    = int(threadIdx.x);
  float      sum   = 0;
  const auto issue = [&](auto load, int i) { load(in, {i * 32, 0}); };
  pipe.for_each(first, issue, [&](const Tile& tile, int) { sum += tile[i0]; });
  pipe.for_each(second, issue, [&](const Tile& tile, int) { sum *= tile[i0]; });
  out[i0] = sum;
}

extern "C" __global__ void raw_two_loops(const __grid_constant__ CUtensorMap in, float* out, int first, int second) {
  __shared__ RawRing<4> ring;
  auto                  pipe = raw_pipeline(ring);
  const int             i0   = int(threadIdx.x);
  float                 sum  = 0;
  const auto            load = [&](int stage, int i) { raw::load(&ring.tile[stage], in, &ring.full[stage], 0, i * 32); };
  pipe.loop(first, load, [&](int stage) { sum += ring.tile[stage][i0]; });
  pipe.loop(second, load, [&](int stage) { sum *= ring.tile[stage][i0]; });
  out[i0] = sum;
}

// --- a stage freed as soon as its values are in registers ---

extern "C" __global__ void tma_release(const __grid_constant__ Map in, float* out, int tiles) {
  using Pipe = tma::Pipeline<4, Tile>;
  Pipe      pipe(tma::shared<Pipe::Shared>());
  const int i0 = int(threadIdx.x);
  pipe.for_each(
      tiles, [&](auto load, int i) { load(in, {i * 32, 0}); },
      [&](const Tile& tile, int i, auto& stage) {
        const float x = tile[i0];
        stage.release();
        out[i * 256 + i0] = x;
      });
}

extern "C" __global__ void raw_release(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  __shared__ RawRing<4> ring;
  auto                  pipe = raw_pipeline(ring);
  const int             i0   = int(threadIdx.x);
  const auto            load = [&](int stage, int i) { raw::load(&ring.tile[stage], in, &ring.full[stage], 0, i * 32); };
  if (pipe.issues) pipe.fill_first(tiles, load);
  for (int i = 0; i < tiles; ++i) {
    const RawPosition here = pipe.position;
    raw::wait(&ring.full[here.stage], here.parity);
    const float x = ring.tile[here.stage][i0];
    pipe.free(here.stage);
    if (pipe.issues && i + 4 < tiles) pipe.fill({here.parity ^ 1, here.stage}, [&](int stage) { load(stage, i + 4); });
    out[i * 256 + i0] = x;
    pipe.position.advance<4>();
  }
}

// --- a producer warp and four consumer warps ---

extern "C" __global__ void tma_specialize(const __grid_constant__ Map in, float* out, int tiles) {
  using Pipe = tma::Pipeline<4, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < tiles; ++i) producer.next([&](auto stage) { stage.load(in, {i * 32, 0}); });
      },
      tma::consumer_warps<4>,
      [&](auto& consumer) {
        float sum = 0;
        for (int i = 0; i < tiles; ++i) consumer.next([&](const Tile& tile) { sum += tile[consumer.rank()]; });
        out[consumer.rank()] = sum;
      });
}

extern "C" __global__ void raw_specialize(const __grid_constant__ CUtensorMap in, float* out, int tiles) {
  __shared__ RawRing<4>   ring;
  const unsigned          rank = raw::thread_rank(), warp = raw::warp_of(rank);
  RawPipeline<RawRing<4>> pipe(ring, rank, 4);
  if (warp < 1) {
    if (raw::elect_sync()) {
      for (int i = 0; i < tiles; ++i) {
        pipe.fill(pipe.position, [&](int stage) { raw::load(&ring.tile[stage], in, &ring.full[stage], 0, i * 32); });
        pipe.position.advance_filled<4>();
      }
    }
  } else {
    const unsigned consumer = warp - 1;
    if (int(consumer) < 4) {
      const int i0  = int(rank - (warp - consumer) * 32);
      float     sum = 0;
      for (int i = 0; i < tiles; ++i) pipe.take([&](int stage) { sum += ring.tile[stage][i0]; }, [] {});
      out[i0] = sum;
    }
  }
}

// --- consumers that write a tile of their own, publish it among themselves and store it ---

extern "C" __global__ void tma_specialize_store(const __grid_constant__ Map in,
                                                const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> to, int tiles) {
  using Pipe = tma::Pipeline<2, Tile>;
  struct Shared {
    Pipe::Shared ring;
    Tile         out;
  };
  auto& [ring, out] = tma::shared<Shared>();
  tma::specialize(
      ring, tma::producer_warp<4>,
      [&](auto& producer) {
        for (int i = 0; i < tiles; ++i) producer.next([&](auto stage) { stage.load(in, {i * 32, 0}); });
      },
      tma::consumer_warps<4>,
      [&](auto& consumer) {
        for (int i = 0; i < tiles; ++i) {
          consumer.next([&](const Tile& tile) {
            for (int k = consumer.rank(); k < Tile::size; k += consumer.size()) out[k] = tile[k] * 2;
          });
          auto ready = consumer.publish(out);
          if (auto issuer = consumer.elect()) issuer.store(to, {i * 32, 0}, ready);
          consumer.sync();
        }
      });
}

extern "C" __global__ void raw_specialize_store(const __grid_constant__ CUtensorMap in,
                                                const __grid_constant__ CUtensorMap to, int tiles) {
  struct Shared {
    RawRing<2> ring;
    RawTile    out;
  };
  __shared__ Shared       s;
  const unsigned          rank = raw::thread_rank(), warp = raw::warp_of(rank);
  RawPipeline<RawRing<2>> pipe(s.ring, rank, 4);
  if (warp == 4) {
    if (raw::elect_sync()) {
      for (int i = 0; i < tiles; ++i) {
        pipe.fill(pipe.position, [&](int stage) { raw::load(&s.ring.tile[stage], in, &s.ring.full[stage], 0, i * 32); });
        pipe.position.advance_filled<2>();
      }
    }
  } else {
    const unsigned consumer = warp > 4 ? warp - 1 : warp;
    if (int(consumer) < 4) {
      const unsigned at = rank - (warp - consumer) * 32;
      for (int i = 0; i < tiles; ++i) {
        pipe.take(
            [&](int stage) {
              for (int k = int(at); k < 1024; k += 128) s.out[k] = s.ring.tile[stage][k] * 2;
            },
            [] {});
        raw::fence_async_shared();
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (raw::elect_sync() & (at < 32)) {
          raw::store(to, &s.out, 0, i * 32);
          raw::commit_group();
          raw::wait_group_read<0>();
        }
        asm volatile("bar.sync 1, 128;" ::: "memory");
      }
    }
  }
}
