// Rows by this library: the engine brings them, whatever their alignment, in one copy a block. Results are written from
// registers, or by the engine from where the row was.
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include "launch.cuh"

namespace rows {
namespace {

template <class S, class T> struct Room {
  tma::RaggedBuffer<T, S::bytes / int(sizeof(T))>     data;
  State                                               partial[32];
  tma::Buffer<State, S::cluster % 2 ? 2 : S::cluster> blocks;  // of the cluster
  tma::LoadBarrier                                    full, met;
};

// What all blocks of the cluster know, each of which knows `mine`; the row is there when `full` is. The end of the cluster's
// scope is here, and not that of the kernel: there is nothing more to say.
template <class F, class S, class Room, class Read> __device__ State over_cluster(Room& s, Read read) {
  auto [cluster, met] = tma::this_cluster<S::cluster>(s.met);
  if (auto issuer = cluster.elect()) issuer.expect(FromOthers<S::cluster>(), met);
  const State mine = read();
  const int   rank = cluster.block().rank();
  if (rank < S::cluster && rank != cluster.rank())
    cluster.peer(s.blocks, rank).element(cluster.rank()).store_async(mine, cluster.peer(met, rank));
  met.wait();
  return over_blocks<F>(s.blocks, S::cluster, cluster.rank(), mine);
}

template <Op Which, class T, class S, Stored By>
__global__ void __launch_bounds__(S::threads, S::blocks) kernel(const T* in, T* out, const T* weight, int all_rows, int n) {
  using F                    = Function<Which>;
  auto& s                    = tma::shared<Room<S, T>>();
  auto [block, arrived]      = tma::this_block(s.full);
  auto&                 full = arrived;  // a lambda does not capture a structured binding everywhere
  const Part<S, T>      part(all_rows, n);
  const tma::BulkCopy1D copy;
  const auto            data = copy.load(block, s.data, in + part.first, part.count, full);

  const Member<S>               me;
  T* const                      array = static_cast<T*>(s.data.storage());
  const int                     begin = int(data.data() - array), before = begin + me.row * n;
  Row<F, T, S::pieces, S::held> row(me.rank, me.threads, before, me.row < part.rows ? S::cluster > 1 ? part.count : n : 0);
  const auto                    read = [&] {
    full.wait();
    return over_members<F, S>(row.read(array), s.partial);
  };
  State state;
  if constexpr (S::cluster > 1) state = over_cluster<F, S>(s, read);
  else state = read();

  const typename F::Result result(state, n);
  T* const                 to      = out + part.first - begin;
  const T* const           weights = weight + part.column - before;
  // Threads write whole pieces, where they lie in the output as they do here.
  if (By == Stored::by_threads && reinterpret_cast<unsigned long long>(to) % 16 == 0) {
    row.write(array, to, result, weights);
  } else {
    row.write(array, array, result, weights);
    auto ready = block.publish(data);
    copy.store(block, out + part.first, ready);
  }
}

template <Op Which, class T, class S, Stored By> struct Launch {
  static constexpr auto* function = kernel<Which, T, S, By>;
  static constexpr int   shared   = int(tma::shared_bytes<Room<S, T>>);
  static void            queue(const Work& w) {
    tma::launch(function, {.grid = blocks_of<S>(w), .block = threads_of<S, T>(w), .shared = shared, .cluster = S::cluster},
                static_cast<const T*>(w.in), static_cast<T*>(w.out), static_cast<const T*>(w.weight), w.rows, w.n);
  }
};

}  // namespace

std::vector<Way> ours(Op op, Type type) {
  return for_types(op, type, [](auto o, auto t) {
    return ways_in_shared<decltype(o)::value, typename decltype(t)::type, Launch, true>("ours");
  });
}

}  // namespace rows
