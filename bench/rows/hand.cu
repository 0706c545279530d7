// Rows by hand: the same kernel as ours in PTX, without the library.
#include "../harness/ptx.cuh"
#include "launch.cuh"

namespace rows {
namespace {

using namespace by_hand;

// The first phase.
__device__ __forceinline__ void wait_in_cluster(const unsigned long long& barrier) {
  unsigned done;
  do {
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, "
        "p;\n\t}"
        : "=r"(done)
        : "r"(address(&barrier))
        : "memory");
  } while (!done);
}

// Bytes of global memory, cut at the 16-byte boundaries inside it. Threads move what is left on both sides, element by element.
template <class T> struct Cut {
  unsigned shift, head, body, tail;

  __device__ Cut(const T* p, int count) {
    const unsigned bytes = unsigned(count) * unsigned(sizeof(T));
    shift                = unsigned(reinterpret_cast<unsigned long long>(p)) & 15;
    head                 = min((16 - shift) & 15, bytes);
    body                 = (bytes - head) & ~15u;
    tail                 = bytes - head - body;
  }
  // By the first warp. `to` and `from` are where the first element is.
  __device__ void move_ends(T* to, const T* from) const {
    const unsigned heads = head / unsigned(sizeof(T));
    if (threadIdx.x < heads + tail / unsigned(sizeof(T))) {
      const unsigned at = threadIdx.x < heads ? threadIdx.x : threadIdx.x + body / unsigned(sizeof(T));
      to[at]            = from[at];
    }
  }
};

template <class S> struct Room {
  alignas(128) uint4 data[S::bytes / 16 + 1];
  State partial[32];
  alignas(16) State blocks[S::cluster];
  unsigned long long full, met;
};

// This block's state to another one's place for it.
template <class S> __device__ __forceinline__ void send(const Room<S>& s, const State& state, unsigned to) {
  unsigned me, place, barrier;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(me));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(address(&s.blocks[me])), "r"(to));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier) : "r"(address(&s.met)), "r"(to));
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(place),
               "l"(__float_as_uint(state.top) | (unsigned long long)__float_as_uint(state.sum) << 32), "r"(barrier)
               : "memory");
}

template <Op Which, class T, class S, Stored By>
__global__ void __launch_bounds__(S::threads, S::blocks) kernel(const T* in, T* out, const T* weight, int all_rows, int n) {
  using F = Function<Which>;
  extern __shared__ __align__(128) unsigned char raw[];
  auto&                                          s      = *reinterpret_cast<Room<S>*>(raw);
  const bool                                     leader = elect() & (threadIdx.x < 32);
  if (threadIdx.x == 0) {
    // With the arrivals as an operand, as by_hand::init has them, other registers are chosen in two kernels.
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&s.full)) : "memory");
    if (S::cluster > 1) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&s.met)) : "memory");
    fence_init();
  }
  __syncthreads();
  const Part<S, T> part(all_rows, n);
  const T* const   from = in + part.first;
  const Cut<T>     cut(from, part.count);
  T* const         array = reinterpret_cast<T*>(s.data);
  const int        begin = int(cut.shift / sizeof(T));
  if (threadIdx.x < 32) {
    cut.move_ends(array + begin, from);
    __syncwarp();
    if (leader) {
      if (cut.body > 0)
        load(address(array + begin) + cut.head, reinterpret_cast<const unsigned char*>(from) + cut.head, cut.body,
             address(&s.full));
      arm(s.full, cut.body);
    }
  }
  if constexpr (S::cluster > 1) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    if (leader) arm(s.met, (S::cluster - 1) * sizeof(State));
  }
  wait(s.full, 0);

  const Member<S>               me;
  const int                     before = begin + me.row * n;
  Row<F, T, S::pieces, S::held> row(me.rank, me.threads, before, me.row < part.rows ? S::cluster > 1 ? part.count : n : 0);
  State                         state = over_members<F, S>(row.read(array), s.partial);
  if constexpr (S::cluster > 1) {
    unsigned own;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(own));
    if (threadIdx.x < S::cluster && threadIdx.x != own) send(s, state, threadIdx.x);
    wait_in_cluster(s.met);
    state = over_blocks<F>(s.blocks, S::cluster, int(own), state);
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
  }
  const typename F::Result result(state, n);
  T* const                 to      = out + part.first - begin;
  const T* const           weights = weight + part.column - before;
  const bool               alike   = reinterpret_cast<unsigned long long>(to) % 16 == 0;
  if (By == Stored::by_threads && alike) {
    row.write(array, to, result, weights);
    return;
  }
  row.write(array, array, result, weights);
  fence_proxy();
  __syncthreads();
  if (alike) {
    if (threadIdx.x < 32) cut.move_ends(to + begin, array + begin);
    if (leader && cut.body > 0) {
      store(reinterpret_cast<unsigned char*>(to + begin) + cut.head, address(array + begin) + cut.head, cut.body);
      commit();
      wait_read<0>();
    }
  } else {
    for (int i = int(threadIdx.x); i < part.count; i += int(blockDim.x)) to[begin + i] = array[begin + i];
  }
}

template <Op Which, class T, class S, Stored By> struct Launch {
  static constexpr auto* function = kernel<Which, T, S, By>;
  static constexpr int   shared   = int(sizeof(Room<S>));
  static void            queue(const Work& w) {
    if (S::cluster > 8)
      harness::require(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "large clusters");
    cudaLaunchAttribute cluster{};
    cluster.id               = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = S::cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim          = dim3(unsigned(blocks_of<S>(w)));
    config.blockDim         = dim3(unsigned(threads_of<S, T>(w)));
    config.dynamicSmemBytes = std::size_t(shared);
    config.attrs            = &cluster;
    config.numAttrs         = S::cluster > 1 ? 1 : 0;
    harness::require(cudaLaunchKernelEx(&config, function, static_cast<const T*>(w.in), static_cast<T*>(w.out),
                                        static_cast<const T*>(w.weight), w.rows, w.n),
                     "a launch");
  }
};

}  // namespace

std::vector<Way> hand(Op op, Type type) {
  return for_types(op, type, [](auto o, auto t) {
    return ways_in_shared<decltype(o)::value, typename decltype(t)::type, Launch, true>("hand");
  });
}

}  // namespace rows
