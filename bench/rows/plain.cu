// Rows without the copy engine: straight from global memory into registers; and through shared memory by cp.async.
#include <cuda_pipeline_primitives.h>

#include "launch.cuh"

namespace rows {
namespace {

// A row that the registers do not hold is read twice: the second time from the second-level cache.
template <Op Which, class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    from_global(const T* in, T* out, const T* weight, int all_rows, int n) {
  using F = Function<Which>;
  __shared__ State partial[32];
  const Part<S, T> part(all_rows, n);
  const Member<S>  me;
  const T* const   first  = in + part.first + (long long)me.row * n;
  const int        before = int(reinterpret_cast<unsigned long long>(first) % 16 / sizeof(T));

  Row<F, T, S::pieces, S::held> row(me.rank, me.threads, before, me.row < part.rows ? n : 0);
  const State                   state = over_members<F, S>(row.read(first - before), partial);
  row.write(first - before, out + (first - in) - before, typename F::Result(state, n), weight - before);
}

// One copy of 16 bytes a piece and thread in the place of one a block; else as ours.
template <Op Which, class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    by_cp_async(const T* in, T* out, const T* weight, int all_rows, int n) {
  using F = Function<Which>;
  extern __shared__ uint4 pieces[];
  __shared__ State        partial[32];
  constexpr int           N = Elements<T>::count;
  const Part<S, T>        part(all_rows, n);
  const T* const          first = in + part.first;
  const int shift = int(reinterpret_cast<unsigned long long>(first) % 16 / sizeof(T)), end = shift + part.count;
  T* const  array = reinterpret_cast<T*>(pieces);
#pragma unroll 8
  for (int i = int(threadIdx.x) + (shift > 0); i < end / N; i += int(blockDim.x))
    __pipeline_memcpy_async(pieces + i, first - shift + i * N, 16);
  __pipeline_commit();
  const int head = shift > 0 ? min(N - shift, part.count) : 0, tail = (part.count - head) % N, t = int(threadIdx.x);
  if (t < head + tail) {
    const int at      = t < head ? t : part.count - tail + t - head;
    array[shift + at] = first[at];
  }
  __pipeline_wait_prior(0);
  __syncthreads();

  const Member<S>               me;
  const int                     before = shift + me.row * n;
  Row<F, T, S::pieces, S::held> row(me.rank, me.threads, before, me.row < part.rows ? n : 0);
  const State                   state = over_members<F, S>(row.read(array), partial);
  row.write(array, out + part.first - shift, typename F::Result(state, n), weight - before);
}

template <Op Which, class T, class S> struct Plain {
  static constexpr auto* function = from_global<Which, T, S>;
  static constexpr int   shared   = 0;
  static void            queue(const Work& w) {
    function<<<unsigned(blocks_of<S>(w)), unsigned(threads_of<S, T>(w))>>>(
        static_cast<const T*>(w.in), static_cast<T*>(w.out), static_cast<const T*>(w.weight), w.rows, w.n);
  }
};

template <Op Which, class T, class S, Stored> struct Async {
  static constexpr auto* function = by_cp_async<Which, T, S>;
  static constexpr int   shared   = S::bytes + 16;
  static void            queue(const Work& w) {
    function<<<unsigned(blocks_of<S>(w)), unsigned(threads_of<S, T>(w)), shared>>>(
        static_cast<const T*>(w.in), static_cast<T*>(w.out), static_cast<const T*>(w.weight), w.rows, w.n);
  }
};

}  // namespace

std::vector<Way> plain(Op op, Type type) {
  return for_types(op, type, [](auto o, auto t) -> std::vector<Way> {
    using T       = typename decltype(t)::type;
    const auto of = []<class S>(S) { return way<S, T, Plain<decltype(o)::value, T, S>>("plain loads", false); };
    return {of(Shape<256, 8, 4, true>()),   of(Shape<64, 1, 4, true>()),  of(Shape<128, 1, 4, true>()),
            of(Shape<256, 1, 4, true>()),   of(Shape<512, 1, 4, true>()), of(Shape<512, 1, 8, true>()),
            of(Shape<512, 1, 128, false>())};
  });
}

std::vector<Way> cp_async(Op op, Type type) {
  return for_types(op, type, [](auto o, auto t) {
    return ways_in_shared<decltype(o)::value, typename decltype(t)::type, Async, false>("cp.async");
  });
}

}  // namespace rows
