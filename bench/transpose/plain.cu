// The transpose without the copy engine. Threads load 16 bytes each along rows, turn V x V elements in registers, and pass them
// through shared memory to those that store 16 bytes each along the output's rows. There the vectors of a row are permuted by
// its number, which does for vectors what a padded row does for single elements: no bank is asked twice.
#include "../harness/require.hpp"
#include "implementations.hpp"

namespace transpose {
namespace {

template <class T> struct alignas(16) Vector {
  T at[vector<T>];
};

// The policy that the engine's loads have as well: it is worth as much here.
template <class T> __device__ __forceinline__ Vector<T> read(const T* from) {
  unsigned long long last;
  uint4              v;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from), "l"(last));
  return reinterpret_cast<const Vector<T>&>(v);
}

template <class T, int R, int C, int Threads>
__global__ void __launch_bounds__(Threads) by_threads(const T* from, T* to, const __grid_constant__ Work w, Order order) {
  constexpr int v = vector<T>, down = R / v, across = C / v;
  constexpr int units = down * across / Threads, vectors = C * down / Threads;
  static_assert(units * Threads == down * across && down % 8 == 0 && across % 8 == 0);
  extern __shared__ uint4 memory[];
  auto* const             turned = reinterpret_cast<Vector<T>*>(memory);  // [C][down]
  const int               rank   = int(threadIdx.x);
  const Place             at     = place<R, C>(order);
  from += at.batch * w.from_batch;
  to += at.batch * w.to_batch;

  Vector<T> x[units][v];
#pragma unroll
  for (int n = 0; n < units; ++n) {
    const int unit = rank + n * Threads, row = at.row + unit / across * v, column = at.column + unit % across * v;
    if (row < w.rows && column < w.columns) {
#pragma unroll
      for (int k = 0; k < v; ++k) x[n][k] = read(from + (row + k) * w.from_row + column);
    }
  }
#pragma unroll
  for (int n = 0; n < units; ++n) {
    const int unit = rank + n * Threads, l = unit / across, q = unit % across;
#pragma unroll
    for (int j = 0; j < v; ++j) {
      Vector<T> y;
#pragma unroll
      for (int k = 0; k < v; ++k) y.at[k] = x[n][k].at[j];
      turned[(q * v + j) * down + (l ^ q % 8)] = y;
    }
  }
  __syncthreads();
#pragma unroll
  for (int n = 0; n < vectors; ++n) {
    const int i = rank + n * Threads, c = i / down, l = i % down, column = at.column + c, row = at.row + l * v;
    if (row < w.rows && column < w.columns)
      *reinterpret_cast<Vector<T>*>(to + column * w.to_row + row) = turned[c * down + (l ^ c / v % 8)];
  }
}

// Rows that stay rows: 256 vectors of one by each block.
template <class T>
__global__ void __launch_bounds__(256) move_by_threads(const T* from, T* to, const __grid_constant__ Work w, Order order) {
  const Place at     = place_of_rows<1, 256 * vector<T>>(order);
  const int   column = at.column + int(threadIdx.x) * vector<T>;
  from += at.batch * w.from_batch + at.row * w.from_row + column;
  to += at.batch * w.to_batch + at.row * w.to_row + column;
  if (column < w.columns) *reinterpret_cast<Vector<T>*>(to) = read(from);
}

template <class Kernel, class T>
Prepared prepare(Kernel kernel, dim3 grid, int threads, int shared, int bytes, const T* from, T* to, const Work& w) {
  int         blocks = 0;
  const Order order  = order_of<T>(w);
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), "the carve-out");
  harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, std::size_t(shared)),
                   "occupancy");
  return {[=] { kernel<<<grid, unsigned(threads), std::size_t(shared)>>>(from, to, w, order); }, double(blocks) * bytes};
}

template <int R, int C, int Threads, class T> Prepared of_shape(const T* from, T* to, const Work& w) {
  constexpr int bytes = R * C * int(sizeof(T));
  return prepare(by_threads<T, R, C, Threads>, grid_of(w, order_of<T>(w), R, C), Threads, bytes, bytes, from, to, w);
}

}  // namespace

template <class T> Prepared plain(const T* from, T* to, const Work& w) {
  if constexpr (sizeof(T) == 4) return of_shape<64, 64, 256>(from, to, w);
  else return w.rows > 64 ? of_shape<128, 128, 256>(from, to, w) : of_shape<64, 128, 128>(from, to, w);
}

template <class T> Prepared plain_rows(const T* from, T* to, const Work& w) {
  const dim3 grid = grid_of_rows(w, order_of<T>(w), 1, 256 * vector<T>);
  return prepare(move_by_threads<T>, grid, 256, 0, 256 * 16, from, to, w);
}

template Prepared plain(const float*, float*, const Work&);
template Prepared plain(const Half*, Half*, const Work&);
template Prepared plain_rows(const float*, float*, const Work&);
template Prepared plain_rows(const Half*, Half*, const Work&);

}  // namespace transpose
