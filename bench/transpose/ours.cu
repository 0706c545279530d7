// The transposes with this library. In registers V x V elements turn, and no access to shared memory is made twice.
#include "turn.cuh"

namespace transpose {
namespace {

// The output takes the place of the input.
template <class S> struct InOut {
  union {
    typename S::In  in[S::pieces_in];
    typename S::Out out[S::pieces_out];
  };
  tma::LoadBarrier loaded;
};

// The engine loads and stores.
template <class S, int Threads>
__global__ void __launch_bounds__(Threads)
    both_ways(const __grid_constant__ typename S::From from, const __grid_constant__ typename S::To to, Order order) {
  auto& shared         = tma::shared<InOut<S>>();
  auto [block, loaded] = tma::this_block<Threads>(shared.loaded);
  const Place at       = place<S::rows, S::columns>(order);
  load<S>(block, from, at, shared.in, loaded);
  loaded.wait();
  const Part<S, Threads> part(shared.in, block.rank());
  block.sync();  // all have read
  auto* out = shared.out;
  part.turned([&](const auto& y, int column, int down) { out[down / 8].template vector<S::v>(column * 8 + down % 8) = y; });
  const auto ready = block.publish(shared.out);
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
#pragma unroll
    for (int i = 0; i < S::pieces_out; ++i) stores.store(to, {at.batch, at.column, at.row + i * S::width}, ready[i]);
  }
}

// Rows that stay rows, in other places.
template <class T> using Rows = tma::Tile<T, tma::Shape<1, 4, 256>>;
template <class T> struct Moved {
  Rows<T>          tile;
  tma::LoadBarrier loaded;
};
template <class T>
__global__ void __launch_bounds__(32) move(const __grid_constant__ tma::TmaDescriptor<const T, 3, Rows<T>> from,
                                           const __grid_constant__ tma::TmaDescriptor<T, 3, Rows<T>> to, Order order) {
  auto& shared          = tma::shared<Moved<T>>();
  auto [block, loaded]  = tma::this_block<32>(shared.loaded);
  const Place         p = place_of_rows<4, 256>(order);
  const tma::Coord<3> at{p.batch, p.row, p.column};
  const auto          last = tma::evict_last();
  if (auto issuer = block.elect()) {
    issuer.load(from, at, shared.tile, loaded, last);
    loaded.wait();
    issuer.store(to, at, tma::as_loaded(shared.tile));
  }
}

}  // namespace

template <class T> Prepared ours_one_way(const T* from, T* to, const Work& w) {
  return with_shape<T>(w, [&](auto shape) {
    using S               = decltype(shape);
    using Tiles           = typename S::Tiles;
    constexpr int threads = S::threads;
    return prepare(one_way<Tiles, threads>, S::grid(w), threads, S::more(sizeof(In<Tiles>)), Tiles::bytes,
                   Tiles::from(from, w), to, w, S::order(w));
  });
}

template <class T> Prepared ours_both_ways(const T* from, T* to, const Work& w) {
  return with_shape<T>(w, [&](auto shape) {
    using S               = decltype(shape);
    using Tiles           = typename S::Tiles;
    constexpr int threads = S::threads;
    return prepare(both_ways<Tiles, threads>, S::grid(w), threads, S::more(sizeof(InOut<Tiles>)), Tiles::bytes,
                   Tiles::from(from, w), Tiles::to(to, w), S::order(w));
  });
}

template <class T> Prepared ours_rows(const T* from, T* to, const Work& w) {
  const auto view = [&](auto* data, long long batch, long long row) {
    return tma::make_descriptor<Rows<T>>(tma::TensorView{data, {w.batches, w.rows, w.columns}, {batch, row, 1}});
  };
  const Order order = order_of<T>(w);
  return prepare(move<T>, grid_of_rows(w, order, 4, 256), 32, more_shared(16, sizeof(Moved<T>)), Rows<T>::payload_bytes,
                 view(from, w.from_batch, w.from_row), view(to, w.to_batch, w.to_row), order);
}

template Prepared ours_one_way(const float*, float*, const Work&);
template Prepared ours_one_way(const Half*, Half*, const Work&);
template Prepared ours_both_ways(const float*, float*, const Work&);
template Prepared ours_both_ways(const Half*, Half*, const Work&);
template Prepared ours_rows(const float*, float*, const Work&);
template Prepared ours_rows(const Half*, Half*, const Work&);

}  // namespace transpose
