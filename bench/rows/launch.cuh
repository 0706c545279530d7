// How kernels divide the rows, and how they are launched.
#pragma once

#include <algorithm>
#include <type_traits>

#include "../harness/require.hpp"
#include "math.cuh"

namespace rows {

// A block has `Rows` rows, a warp each; or one row; or, in a cluster, its share of one. A thread has at most `Pieces` pieces,
// in registers where they are `Held`. `Fit`: threads that a multiprocessor's registers shall have room for.
template <int MostThreads, int Rows, int Pieces, bool Held, int Cluster = 1, int Fit = 1024> struct Shape {
  static constexpr int  threads = MostThreads, rows = Rows, pieces = Pieces, cluster = Cluster, blocks = Fit / MostThreads;
  static constexpr int  bytes = threads * pieces * 16;
  static constexpr bool held  = Held;
  static_assert(rows == 1 || (rows == threads / 32 && cluster == 1));
};

// Elements of a row that each block of a cluster has, the last one fewer: whole pieces.
template <class S, class T> __host__ __device__ int slice_of(int n) {
  constexpr int piece = 16 / int(sizeof(T));
  return S::cluster == 1 ? n : ((n + S::cluster - 1) / S::cluster + piece - 1) / piece * piece;
}

// What the block that calls has of the matrix: `count` elements from element `first` on.
template <class S, class T> struct Part {
  long long first;
  int       count, rows, column;  // column: where in its row the first element lies

  __device__ Part(int all_rows, int n) {
    if constexpr (S::cluster > 1) {
      const int slice = slice_of<S, T>(n);
      column          = int(blockIdx.x) % S::cluster * slice;
      count           = max(0, min(slice, n - column));
      rows            = 1;
      first           = (long long)(blockIdx.x / S::cluster) * n + column;
    } else {
      const int row = int(blockIdx.x) * S::rows;
      rows          = min(S::rows, all_rows - row);
      count         = rows * n;
      column        = 0;
      first         = (long long)row * n;
    }
  }
};

// Who a thread is: one of `threads` that have a row, the `row`-th of the block.
template <class S> struct Member {
  int        row, rank, threads;
  __device__ Member()
      : row(S::rows > 1 ? int(threadIdx.x) / 32 : 0),
        rank(S::rows > 1 ? int(threadIdx.x) % 32 : int(threadIdx.x)),
        threads(S::rows > 1 ? 32 : int(blockDim.x)) {}
};

template <class F, class S> __device__ State over_members(State s, State (&partial)[32]) {
  if constexpr (S::rows > 1) return over_warp<F>(s);
  else return over_block<F>(s, partial);
}

template <class S> int blocks_of(const Work& w) {
  return S::cluster > 1 ? w.rows * S::cluster : (w.rows + S::rows - 1) / S::rows;
}

// As many threads as the row's pieces ask for.
template <class S, class T> int threads_of(const Work& w) {
  if (S::rows > 1) return S::threads;
  const int pieces = (slice_of<S, T>(w.n) * int(sizeof(T)) + 15) / 16, threads = (pieces + S::pieces - 1) / S::pieces;
  return std::min(S::threads, (threads + 31) / 32 * 32);
}

// Who writes the results: threads, from registers; or the engine, from where the row was.
enum class Stored { by_threads, by_engine };

template <Op O> struct OpTag {
  static constexpr Op value = O;
};
template <class T> struct TypeTag {
  using type = T;
};

// Calls `make` with the two tags.
template <class Make> auto for_types(Op op, Type type, Make make) {
  const auto with = [&](auto o) {
    return type == Type::bf16 ? make(o, TypeTag<__nv_bfloat16>()) : make(o, TypeTag<float>());
  };
  return op == Op::softmax ? with(OpTag<Op::softmax>()) : with(OpTag<Op::rms_norm>());
}

// `Launch` has the kernel, `function`; the dynamic shared memory that it is launched with; and `queue`.
template <class S, class T, class Launch> Way way(const char* name, bool in_shared) {
  const auto* kernel = reinterpret_cast<const void*>(Launch::function);
  if (in_shared) {
    harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), name);
    if (Launch::shared > 0)
      harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Launch::shared), name);
  }
  const auto in_flight = [](const Work& w) {
    int blocks = 0;
    harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(Launch::function),
                                                                   threads_of<S, T>(w), std::size_t(Launch::shared)),
                     "occupancy");
    return double(blocks) * S::rows * slice_of<S, T>(w.n) * double(sizeof(T));
  };
  return {name, (long long)S::bytes / S::rows * S::cluster, false, Launch::queue, in_flight};
}

// The shapes that were best for rows of up to so many bytes, for all who use shared memory. `Launch<Op, T, Shape, Stored>` is
// what `way` takes.
template <Op Which, class T, template <Op, class, class, Stored> class Launch, bool Clusters>
std::vector<Way> ways_in_shared(const char* name) {
  std::vector<Way> all;
  const auto       add = [&]<class S, Stored By>(S, std::integral_constant<Stored, By>) {
    all.push_back(way<S, T, Launch<Which, T, S, By>>(name, true));
  };
  constexpr std::integral_constant<Stored, Stored::by_threads> by_threads;
  constexpr std::integral_constant<Stored, Stored::by_engine>  by_engine;
  add(Shape<256, 8, 4, true>(), by_threads);           // 2 KiB
  add(Shape<64, 1, 4, true>(), by_threads);            // 4
  add(Shape<128, 1, 4, true>(), by_engine);            // 8
  add(Shape<256, 1, 4, true, 1, 1280>(), by_engine);   // 16
  add(Shape<512, 1, 4, true, 1, 1536>(), by_threads);  // 32
  add(Shape<512, 1, 8, true>(), by_engine);            // 64
  if constexpr (Clusters) {
    add(Shape<512, 1, 8, false, 2, 1536>(), by_engine);   // 128
    add(Shape<512, 1, 8, false, 4, 1536>(), by_engine);   // 256
    add(Shape<512, 1, 8, false, 8, 1536>(), by_engine);   // 512
    add(Shape<512, 1, 8, false, 16, 1536>(), by_engine);  // 1024
  }
  return all;
}

}  // namespace rows
