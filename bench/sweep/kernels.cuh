// The modes of the sweep: the same elementwise work on the same tiles, fed in different ways.
//
// A tile is loaded whole into shared memory, where any thread may read any of it; then each element x becomes
// x * a + b, `fma` times, and is written out (copy) or folded into a checksum (read). A block has `Threads` threads and
// walks `count` tiles: first, first + step, first + 2 step, ...
#pragma once

#include <cuda_pipeline_primitives.h>

#include <tma/tma.hpp>

namespace sweep {

inline constexpr float factor = 0.999f, term = 0.001f;

enum class Traffic { copy, read };

// Element i of the input: in [-1, 1), and another for every seed.
__host__ __device__ inline float input_at(size_t i, unsigned long long seed) {
  unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
  z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return float((z ^ (z >> 31)) >> 40) * (2.f / (1 << 24)) - 1.f;
}

// Which tiles are a block's. The same for every mode.
struct Work {
  int tiles;      // in all
  int per_block;  // contiguous share of a block; 0: blocks take turns
};

struct Share {
  int first, step, count;

  __device__ explicit Share(const Work& w) {
    const int block = int(blockIdx.x), blocks = int(gridDim.x);
    if (w.per_block > 0) {
      first = block * w.per_block;
      step  = 1;
      count = w.tiles - first < w.per_block ? w.tiles - first : w.per_block;
    } else {
      first = block;
      step  = blocks;
      count = (w.tiles - block + blocks - 1) / blocks;
    }
  }
  __device__ int tile(int i) const { return first + i * step; }
};

using Vec4 = tma::Vec<float, 4>;

// What becomes of the results: written, or folded so that any order gives the same.
template <Traffic Mode> struct Sink {
  float*   out;
  int      fma;
  unsigned folded = 0;

  __device__ void take(Vec4 v, size_t at) {
    for (int f = 0; f < fma; ++f)
      for (float& x : v) x = fmaf(x, factor, term);
    if constexpr (Mode == Traffic::copy) *reinterpret_cast<Vec4*>(out + at) = v;
    else
      for (float x : v) folded ^= __float_as_uint(x);
  }

  __device__ void finish() {
    if constexpr (Mode == Traffic::read) reinterpret_cast<unsigned*>(out)[blockIdx.x * blockDim.x + threadIdx.x] = folded;
  }
};

// Calls f(v, k) for this thread's share of `Count` vectors: the k-th of them is vector v.
template <int Threads, int Count, class F> __device__ void each_vector(int rank, F&& f) {
#pragma unroll
  for (int k = 0; k < (Count + Threads - 1) / Threads; ++k) {
    const int v = rank + k * Threads;
    if (Count % Threads == 0 || v < Count) f(v, k);
  }
}

// This thread's share of a tile in registers: the stage is free for the next load before the work on it begins.
template <int Threads, int Elements> struct Taken {
  static constexpr int vectors = Elements / 4, count = (vectors + Threads - 1) / Threads;
  Vec4                 v[count];

  template <class Tile> __device__ Taken(const Tile& tile, int rank) {
    each_vector<Threads, vectors>(rank, [&](int i, int k) { v[k] = tile.template vector<4>(i); });
  }
  template <class Sink, class Offset> __device__ void give(Sink& sink, int rank, Offset offset) const {
    each_vector<Threads, vectors>(rank, [&](int i, int k) { sink.take(v[k], offset(i)); });
  }
};

// --- by threads ----------------------------------------------------------------------------------------------------

template <int Threads, int Elements, Traffic Mode>
__global__ void __launch_bounds__(Threads) sync_loads(const float* in, float* out, Work work, int fma) {
  constexpr int   vectors = Elements / 4;
  __shared__ Vec4 tile[vectors];
  const Share     share(work);
  const int       rank = int(threadIdx.x);
  Sink<Mode>      sink{out, fma};
  for (int i = 0; i < share.count; ++i) {
    const size_t at = size_t(share.tile(i)) * Elements;
    each_vector<Threads, vectors>(rank, [&](int v, int) { tile[v] = reinterpret_cast<const Vec4*>(in + at)[v]; });
    __syncthreads();
    each_vector<Threads, vectors>(rank, [&](int v, int) { sink.take(tile[v], at + size_t(v) * 4); });
    __syncthreads();
  }
  sink.finish();
}

// A ring filled by cp.async: what a kernel would use without the copy engine.
template <int Threads, int Elements, int Stages, Traffic Mode>
__global__ void __launch_bounds__(Threads) cp_async(const float* in, float* out, Work work, int fma) {
  constexpr int   vectors = Elements / 4;
  __shared__ Vec4 tiles[Stages][vectors];
  const Share     share(work);
  const int       rank = int(threadIdx.x);
  Sink<Mode>      sink{out, fma};
  const auto      issue = [&](int i) {
    if (i < share.count) {
      const Vec4* from = reinterpret_cast<const Vec4*>(in + size_t(share.tile(i)) * Elements);
      each_vector<Threads, vectors>(rank, [&](int v, int) { __pipeline_memcpy_async(&tiles[i % Stages][v], from + v, 16); });
    }
    __pipeline_commit();
  };
  for (int i = 0; i < Stages - 1; ++i) issue(i);
  for (int i = 0; i < share.count; ++i) {
    __pipeline_wait_prior(Stages - 2);
    __syncthreads();  // all parts of tile i are there, and all threads are done with tile i - 1, whose stage is next
    issue(i + Stages - 1);
    const size_t at = size_t(share.tile(i)) * Elements;
    each_vector<Threads, vectors>(rank, [&](int v, int) { sink.take(tiles[i % Stages][v], at + size_t(v) * 4); });
  }
  sink.finish();
}

// --- by the copy engine --------------------------------------------------------------------------------------------

// A one-dimensional copy that is waited for at once.
template <int Threads, int Elements, Traffic Mode>
__global__ void __launch_bounds__(Threads) bulk_wait(tma::AlignedPointer<const float> in, float* out, Work work, int fma) {
  struct Shared {
    tma::Buffer<float, Elements> tile;
    tma::LoadBarrier             barrier;
  };
  auto& shared          = tma::shared<Shared>();
  auto& tile            = shared.tile;  // a lambda does not capture a structured binding everywhere
  auto [block, arrived] = tma::this_block<Threads>(shared.barrier);
  const Share share(work);
  Sink<Mode>  sink{out, fma};
  for (int i = 0; i < share.count; ++i) {
    if (auto issuer = block.elect()) issuer.load(in.chunk<Elements>(share.tile(i)), tile, arrived);
    arrived.wait();
    const size_t at = size_t(share.tile(i)) * Elements;
    each_vector<Threads, Elements / 4>(block.rank(),
                                       [&](int v, int) { sink.take(tile.template vector<4>(v), at + size_t(v) * 4); });
    block.release(tile);
  }
  sink.finish();
}

// A matrix of `columns` columns, cut into boxes of 32 columns, row by row of boxes.
template <int Elements> using Box    = tma::Tile<float, tma::Shape<Elements / 32, 32>>;
template <int Elements> using BoxMap = tma::TmaDescriptor<const float, 2, Box<Elements>>;

template <int Elements> struct BoxOrder {
  int boxes_in_row;  // a power of two, as its logarithm

  __device__ tma::Coord<2> at(int tile) const {
    return {(tile >> boxes_in_row) * (Elements / 32), (tile & ((1 << boxes_in_row) - 1)) * 32};
  }
  // Where vector v of a box at `at` lies in the matrix.
  __device__ size_t offset(const tma::Coord<2>& at, int v) const {
    return (size_t(at[0] + v / 8) << (boxes_in_row + 5)) + size_t(at[1] + v % 8 * 4);
  }
};

template <int Threads, int Elements, Traffic Mode>
__global__ void __launch_bounds__(Threads)
    tensor_wait(const __grid_constant__ BoxMap<Elements> in, float* out, Work work, BoxOrder<Elements> order, int fma) {
  struct Shared {
    Box<Elements>    tile;
    tma::LoadBarrier barrier;
  };
  auto& shared          = tma::shared<Shared>();
  auto& tile            = shared.tile;  // a lambda does not capture a structured binding everywhere
  auto [block, arrived] = tma::this_block<Threads>(shared.barrier);
  const Share share(work);
  Sink<Mode>  sink{out, fma};
  for (int i = 0; i < share.count; ++i) {
    const auto at = order.at(share.tile(i));
    if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
    arrived.wait();
    each_vector<Threads, Elements / 4>(block.rank(),
                                       [&](int v, int) { sink.take(tile.template vector<4>(v), order.offset(at, v)); });
    block.release(tile);
  }
  sink.finish();
}

template <int Elements, int Stages> using BulkRing   = tma::Pipeline<Stages, tma::Buffer<float, Elements>>;
template <int Elements, int Stages> using TensorRing = tma::Pipeline<Stages, Box<Elements>>;

template <int Threads, int Elements, int Stages, Traffic Mode>
__global__ void __launch_bounds__(Threads) pipe(tma::AlignedPointer<const float> in, float* out, Work work, int fma) {
  using Ring = BulkRing<Elements, Stages>;
  Ring        ring(tma::shared<typename Ring::Shared>());
  const Share share(work);
  Sink<Mode>  sink{out, fma};
  ring.for_each(
      share.count, [&](auto load, int i) { load(in.chunk<Elements>(share.tile(i))); },
      [&](const auto& tile, int i, auto& stage) {
        const Taken<Threads, Elements> taken(tile, int(threadIdx.x));
        stage.release();
        const size_t at = size_t(share.tile(i)) * Elements;
        taken.give(sink, int(threadIdx.x), [&](int v) { return at + size_t(v) * 4; });
      });
  sink.finish();
}

template <int Threads, int Elements, int Stages, Traffic Mode>
__global__ void __launch_bounds__(Threads)
    tensor_pipe(const __grid_constant__ BoxMap<Elements> in, float* out, Work work, BoxOrder<Elements> order, int fma) {
  using Ring = TensorRing<Elements, Stages>;
  Ring        ring(tma::shared<typename Ring::Shared>());
  const Share share(work);
  Sink<Mode>  sink{out, fma};
  ring.for_each(
      share.count, [&](auto load, int i) { load(in, order.at(share.tile(i))); },
      [&](const auto& tile, int i, auto& stage) {
        const Taken<Threads, Elements> taken(tile, int(threadIdx.x));
        stage.release();
        const auto at = order.at(share.tile(i));
        taken.give(sink, int(threadIdx.x), [&](int v) { return order.offset(at, v); });
      });
  sink.finish();
}

// One warp more, which only issues.
template <int Threads, int Elements, int Stages, Traffic Mode>
__global__ void __launch_bounds__(Threads + 32)
    warp_specialized(tma::AlignedPointer<const float> in, float* out, Work work, int fma) {
  auto&       ring = tma::shared<typename BulkRing<Elements, Stages>::Shared>();
  const Share share(work);
  Sink<Mode>  sink{out, fma};
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < share.count; ++i)
          producer.next([&](auto stage) { stage.load(in.chunk<Elements>(share.tile(i))); });
      },
      tma::consumer_warps<Threads / 32>,
      [&](auto& consumer) {
        for (int i = 0; i < share.count; ++i)
          consumer.next([&](const auto& tile, auto& stage) {
            const Taken<Threads, Elements> taken(tile, consumer.rank());
            stage.release();
            const size_t at = size_t(share.tile(i)) * Elements;
            taken.give(sink, consumer.rank(), [&](int v) { return at + size_t(v) * 4; });
          });
      });
  sink.finish();
}

}  // namespace sweep
