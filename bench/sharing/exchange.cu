// Sends by the library, and the same copies by threads: pushed into the next block, or pulled out of the one before.
#include "exchange.cuh"

#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

namespace sharing {
namespace {

using Tile = tma::Tile<unsigned, tma::Shape<slot_rows, row_words>>;
using In   = tma::TmaDescriptor<const unsigned, 2, Tile>;

template <Reads R> struct Room {
  Tile                             outgoing[slots], incoming[slots];
  tma::LoadBarrier                 loaded, full[slots];
  tma::Mbarrier<consumer_warps(R)> free[slots];  // for the block that sends to this one's next
};

template <class Cluster, class Phase, class S>
__device__ void load_outgoing(const Cluster& cluster, Phase& loaded, const In& in, S& s) {
  if (auto issuer = cluster.elect()) {
    tma::LoadBatch batch(issuer, loaded);
    for (int t = 0; t < slots; ++t) batch.load(in, {(int(blockIdx.x) * slots + t) * slot_rows, 0}, s.outgoing[t]);
  }
  loaded.wait();
}

template <int Blocks, Reads R>
__global__ void __launch_bounds__(threads(R)) send(const __grid_constant__ In in, int steps, unsigned* folded) {
  auto& s = tma::shared<Room<R>>();
  auto [cluster, loaded, full0, full1, full2, free0, free1, free2] =
      tma::this_cluster<Blocks>(s.loaded, s.full[0], s.full[1], s.full[2], s.free[0], s.free[1], s.free[2]);
  const int next = (cluster.rank() + 1) % Blocks, last = (cluster.rank() + Blocks - 1) % Blocks;
  load_outgoing(cluster, loaded, in, s);

  if (cluster.block().rank() < 32) {
    if (auto issuer = cluster.elect()) {
      const auto step = [&](int i, int t, auto& full, auto& free) {
        if (i > 0) free.wait_to_refill();  // the next block has read what was sent a round ago
        issuer.template send<tma::Order::relaxed>(tma::as_loaded(s.outgoing[t]), cluster.peer(s.incoming[t], next),
                                                  cluster.peer(full, next));
      };
      for (int i = 0; i < steps; i += slots) {
        step(i, 0, full0, free0);
        step(i, 1, full1, free1);
        step(i, 2, full2, free2);
      }
    }
  } else {
    const int  mine = cluster.block().rank() - 32;
    Fold<R>    fold;
    const auto step = [&](int i, int t, auto& full, auto& free) {
      full.wait();
      fold.take(s.incoming[t].data(), Tile::size, mine, i + t);
      __syncwarp();
      if (mine % 32 == 0) cluster.peer(free, last).arrive();
    };
    for (int i = 0; i < steps; i += slots) {
      step(i, 0, full0, free0);
      step(i, 1, full1, free1);
      step(i, 2, full2, free2);
    }
    folded[int(blockIdx.x) * Fold<R>::threads + mine] = fold.value;
  }
}

template <int Blocks, Sender By>
__global__ void __launch_bounds__(copying_threads) copy(const __grid_constant__ In in, int steps, unsigned* folded) {
  using Vector           = tma::Vec<unsigned, 4>;
  auto& s                = tma::shared<Room<Reads::all>>();
  auto [cluster, loaded] = tma::this_cluster<Blocks>(s.loaded);
  const int next = (cluster.rank() + 1) % Blocks, last = (cluster.rank() + Blocks - 1) % Blocks;
  load_outgoing(cluster, loaded, in, s);
  cluster.sync();  // a block's tiles are there before another reads them

  for (int i = 0; i < steps; ++i) {
    const int   t    = i % slots;
    const Tile& from = By == Sender::loads ? cluster.peer(s.outgoing[t], last).get() : s.outgoing[t];
    Tile&       to   = By == Sender::loads ? s.incoming[t] : cluster.peer(s.incoming[t], next).get();
    Vector      values[Tile::size / 4 / copying_threads];
    for (int k = 0; k < Tile::size / 4 / copying_threads; ++k)
      values[k] = from.template vector<4>(int(threadIdx.x) + k * copying_threads);
    for (int k = 0; k < Tile::size / 4 / copying_threads; ++k)
      to.template vector<4>(int(threadIdx.x) + k * copying_threads) = values[k];
  }
  cluster.sync();
  Fold<Reads::all> fold;
  if (int(threadIdx.x) >= fold.threads) return;
  for (int t = 0; t < slots; ++t) fold.take(s.incoming[t].data(), Tile::size, int(threadIdx.x), t);
  folded[int(blockIdx.x) * fold.threads + int(threadIdx.x)] = fold.value;
}

template <class S> Exchange with(Sender sender, Reads reads, int blocks, int threads, auto kernel) {
  constexpr int shared = int(tma::shared_bytes<S>);
  Exchange      e{sender, reads, blocks, reinterpret_cast<const void*>(kernel), shared};
  e.launch = [=](const unsigned* matrix, int clusters, int steps, unsigned* folded) {
    const auto in = tma::make_descriptor<Tile>(tma::TensorView{matrix, {clusters * blocks * slots * slot_rows, row_words}});
    tma::launch(kernel, {.grid = clusters * blocks, .block = threads, .shared = tma::shared_bytes<S>, .cluster = blocks}, in,
                steps, folded);
  };
  return e;
}

template <int Blocks> void add(std::vector<Exchange>& to) {
  to.push_back(
      with<Room<Reads::sample>>(Sender::engine, Reads::sample, Blocks, threads(Reads::sample), send<Blocks, Reads::sample>));
  to.push_back(with<Room<Reads::all>>(Sender::engine, Reads::all, Blocks, threads(Reads::all), send<Blocks, Reads::all>));
  to.push_back(with<Room<Reads::all>>(Sender::stores, Reads::all, Blocks, copying_threads, copy<Blocks, Sender::stores>));
  to.push_back(with<Room<Reads::all>>(Sender::loads, Reads::all, Blocks, copying_threads, copy<Blocks, Sender::loads>));
}

}  // namespace

std::vector<Exchange> exchanges() {
  std::vector<Exchange> all;
  add<2>(all);
  add<4>(all);
  return all;
}

}  // namespace sharing
