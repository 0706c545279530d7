// Streaming kernels in the two shapes that `tma::advise` chooses between, over tile, stages and blocks: what is searched
// exhaustively beside what the library advises.
#pragma once

#include <tma/device/cache_policy.hpp>
#include <tma/pipeline/in_place.hpp>
#include <tma/tma.hpp>

#include "../sweep/kernels.cuh"

namespace overlap {

using sweep::Vec4;

// What is done to each element, so often; with two inputs the second is added first (triad).
struct Change {
  int fma;

  __device__ Vec4 operator()(Vec4 v) const {
    for (int f = 0; f < fma; ++f)
      for (float& x : v) x = fmaf(x, sweep::factor, sweep::term);
    return v;
  }
  __device__ Vec4 operator()(Vec4 v, const Vec4& w) const {
    for (int k = 0; k < 4; ++k) v[k] = fmaf(w[k], sweep::factor, v[k]);
    return (*this)(v);
  }
};

struct Arrays {
  tma::AlignedPointer<const float> in[2];
  tma::AlignedPointer<float>       out;
  int                              tiles;
};

// A block a tile: it loads it, changes it where it lies, stores it, and ends. Many blocks on each multiprocessor overlap.
template <int Threads, int Elements, int Inputs>
__global__ void __launch_bounds__(Threads) once(Arrays arrays, Change change) {
  struct Shared {
    tma::Buffer<float, Elements> tile[Inputs];
    tma::LoadBarrier             barrier;
  };
  auto& shared          = tma::shared<Shared>();
  auto& tile            = shared.tile;
  auto [block, arrived] = tma::this_block<Threads>(shared.barrier);
  const int i           = int(blockIdx.x);
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, arrived);
    for (int k = 0; k < Inputs; ++k) batch.load(arrays.in[k].template chunk<Elements>(i), tile[k], tma::evict_last());
  }
  arrived.wait();
  sweep::each_vector<Threads, Elements / 4>(block.rank(), [&](int v, int) {
    auto& x = tile[0].template vector<4>(v);
    if constexpr (Inputs == 2) x = change(x, tile[1].template vector<4>(v));
    else x = change(x);
  });
  auto ready = block.publish(tile[0]);
  if (auto issuer = block.elect()) issuer.store(arrays.out.template chunk<Elements>(i), ready).wait_source_free();
}

template <int Elements, int Stages, int Inputs> struct RingOf;
template <int Elements, int Stages> struct RingOf<Elements, Stages, 1> {
  using type = tma::InPlacePipeline<Stages, tma::Buffer<float, Elements>>;
};
template <int Elements, int Stages> struct RingOf<Elements, Stages, 2> {
  using type = tma::InPlacePipeline<Stages, tma::Buffer<float, Elements>, tma::Buffer<float, Elements>>;
};

// Blocks that stay, and a ring of tiles that are loaded, changed and stored where they lie.
template <int Threads, int Elements, int Stages, int Inputs>
__global__ void __launch_bounds__(Threads) ring(Arrays arrays, Change change) {
  using Ring = typename RingOf<Elements, Stages, Inputs>::type;
  Ring               ring(tma::shared<typename Ring::Shared>());
  const sweep::Share share(sweep::Work{arrays.tiles, 0});
  const auto         load = [&](auto load, int i) {
    load(arrays.in[0].template chunk<Elements>(share.tile(i)), tma::slot<0>, tma::evict_last());
    if constexpr (Inputs == 2) load(arrays.in[1].template chunk<Elements>(share.tile(i)), tma::slot<1>, tma::evict_last());
  };
  const auto store = [&](auto store, int i) { store(arrays.out.template chunk<Elements>(share.tile(i)), tma::slot<0>); };
  if constexpr (Inputs == 1)
    ring.for_each(
        share.count, load,
        [&](auto& tile, int) {
          sweep::each_vector<Threads, Elements / 4>(
              int(threadIdx.x), [&](int v, int) { tile.template vector<4>(v) = change(tile.template vector<4>(v)); });
        },
        store);
  else
    ring.for_each(
        share.count, load,
        [&](auto& tile, const auto& other, int) {
          sweep::each_vector<Threads, Elements / 4>(int(threadIdx.x), [&](int v, int) {
            tile.template vector<4>(v) = change(tile.template vector<4>(v), other.template vector<4>(v));
          });
        },
        store);
}

}  // namespace overlap
