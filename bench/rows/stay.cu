// Long rows by clusters that stay: the next rows are on their way, and the last one on its way back, while one is computed. A row
// is read once: its blocks keep their parts in shared memory, and tell one another what they know.
#include <tma/device/cluster.hpp>
#include <tma/pipeline/in_place.hpp>
#include <tma/tma.hpp>

#include "launch.cuh"

namespace rows {
namespace {

// Rows of exactly `Cluster` parts of 64 KiB, each in a block with room for three.
template <class T, int Cluster> struct Long {
  static constexpr int cluster = Cluster, stages = 3, threads = 512, bytes = 64 << 10, pieces = bytes / 16 / threads;
  static constexpr int count = bytes / int(sizeof(T));
};

// As many clusters as run at once, each launch the same. `config` points into the object.
template <class L, class Launch> struct InClusters {
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t  config{};

  explicit InClusters(int rows) {
    attribute.id               = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = L::cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim                                          = dim3(L::cluster);
    config.blockDim                                         = dim3(L::threads);
    config.dynamicSmemBytes                                 = std::size_t(Launch::shared);
    config.attrs                                            = &attribute;
    config.numAttrs                                         = 1;
    static const int at_once                                = [&] {
      int n = 0;
      harness::require(cudaFuncSetAttribute(Launch::function, cudaFuncAttributeMaxDynamicSharedMemorySize, Launch::shared),
                       "shared memory");
      harness::require(cudaFuncSetAttribute(Launch::function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
                       "large clusters");
      harness::require(cudaOccupancyMaxActiveClusters(&n, Launch::function, &config), "cudaOccupancyMaxActiveClusters");
      return n;
    }();
    config.gridDim = dim3(unsigned(std::min(at_once, rows) * L::cluster));
  }
  InClusters(const InClusters&)            = delete;
  InClusters& operator=(const InClusters&) = delete;

  int blocks() const { return int(config.gridDim.x); }
};

// Two of each: blocks of a cluster are at most a step apart.
template <class T, class L> struct Room {
  using Buffer = tma::Buffer<T, L::count>;
  using Ring   = tma::InPlacePipeline<L::stages, Buffer>;

  typename Ring::Shared          ring;
  State                          partial[2][32];
  tma::Buffer<State, L::cluster> blocks[2];
  tma::LoadBarrierOf<2>          met[2];
};

template <Op Which, class T, class L>
__global__ void __launch_bounds__(L::threads, 1)
    kernel(tma::AlignedPointer<const T> in, tma::AlignedPointer<T> out, const T* weight, int rows) {
  using F                  = Function<Which>;
  auto& s                  = tma::shared<Room<T, L>>();
  auto [cluster, one, two] = tma::this_cluster<L::cluster, L::threads>(s.met[0], s.met[1]);
  // A lambda does not capture a structured binding everywhere.
  auto&                     c    = cluster;
  auto&                     even = one;
  auto&                     odd  = two;
  typename Room<T, L>::Ring ring(s.ring);
  const int first = int(blockIdx.x) / L::cluster, step = int(gridDim.x) / L::cluster, me = c.rank(), rank = c.block().rank();
  const auto part = [=](int i) { return (first + i * step) * L::cluster + me; };

  const auto exchange = [&](State mine, auto& blocks, auto& barrier, auto& met) {
    if (auto issuer = c.elect()) issuer.expect(FromOthers<L::cluster>(), met);
    if (rank == me) {
      blocks[me] = mine;
      barrier.arrive();
    } else if (rank < L::cluster) {
      c.peer(blocks, rank).element(me).store_async(mine, c.peer(met, rank));
    }
    met.wait();
    return over_array<F>(blocks, L::cluster);
  };
  ring.for_each(
      (rows - first + step - 1) / step, [&](auto load, int i) { load(in.template chunk<L::count>(part(i))); },
      [&](typename Room<T, L>::Buffer& data, int i) {
        Row<F, T, L::pieces, true> row(rank, L::threads, 0, L::count);
        const State                mine = over_block<F>(row.read(data.data()), s.partial[i % 2]);
        const State state = i % 2 ? exchange(mine, s.blocks[1], s.met[1], odd) : exchange(mine, s.blocks[0], s.met[0], even);
        row.write(data.data(), data.data(), typename F::Result(state, L::count * L::cluster), weight + me * L::count);
      },
      [&](auto store, int i) { store(out.template chunk<L::count>(part(i))); });
}

template <Op Which, class T, class L> struct Launch {
  static constexpr auto* function = kernel<Which, T, L>;
  static constexpr int   shared   = int(tma::shared_bytes<Room<T, L>>);

  static void queue(const Work& w) {
    tma::launch(
        function,
        {.grid = InClusters<L, Launch>(w.rows).blocks(), .block = L::threads, .shared = shared, .cluster = L::cluster},
        tma::aligned(static_cast<const T*>(w.in)), tma::aligned(static_cast<T*>(w.out)), static_cast<const T*>(w.weight),
        w.rows);
  }
};

// Rows of 128, 256, 512 and 1024 KiB.
template <Op Which, class T> std::vector<Way> ways() {
  const auto of = [&]<int Cluster>(std::integral_constant<int, Cluster>) -> Way {
    using L = Long<T, Cluster>;
    return {"ours", (long long)Cluster * L::bytes, true, Launch<Which, T, L>::queue,
            [](const Work&) { return double(L::stages) * L::bytes; }};
  };
  return {of(std::integral_constant<int, 2>()), of(std::integral_constant<int, 4>()), of(std::integral_constant<int, 8>()),
          of(std::integral_constant<int, 16>())};
}

}  // namespace

std::vector<Way> ours_that_stay(Op op, Type type) {
  return for_types(op, type, [](auto o, auto t) { return ways<decltype(o)::value, typename decltype(t)::type>(); });
}

}  // namespace rows
