// The transpose by hand: the structure of `one_way` of ours.cu in PTX, with addresses, bytes and turns of its own. Only the
// tensor map is made by the library.
#include <cuda.h>

#include <cstring>

#include "../harness/ptx.cuh"
#include "implementations.hpp"
#include "shapes.hpp"

namespace transpose {
namespace {

using namespace by_hand;

struct Vector {
  unsigned word[4];
};

__device__ __forceinline__ Vector read(unsigned at) {
  Vector v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "r"(at)
               : "memory");
  return v;
}

__device__ __forceinline__ void write(void* at, const Vector& v) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]),
               "r"(v.word[3])
               : "memory");
}

// Column j of four rows of four, and of eight rows of eight halves.
__device__ __forceinline__ Vector column(const Vector (&x)[4], int j) {
  return {{x[0].word[j], x[1].word[j], x[2].word[j], x[3].word[j]}};
}
__device__ __forceinline__ Vector column(const Vector (&x)[8], int j) {
  Vector y;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    y.word[k] = __byte_perm(x[2 * k].word[j / 2], x[2 * k + 1].word[j / 2], j % 2 ? 0x7632 : 0x5410);
  return y;
}

template <class T, int R, int C, int Threads>
__global__ void __launch_bounds__(Threads)
    by_hand(const __grid_constant__ CUtensorMap from, T* to, const __grid_constant__ Work w, Order order) {
  constexpr int v = vector<T>, bytes = R * C * int(sizeof(T)), width = 8 * v, down = R / v, units = down * C / v / Threads;
  // Rounded by nobody: what the declaration asks for is there on today's devices, and promised nowhere.
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned                                  tile = address(memory), barrier = tile + bytes, rank = threadIdx.x;
  if (rank == 0) {
    init(barrier, 1);
    fence_init();
  }
  __syncthreads();
  const Place at = place<R, C>(order);
  if (rank < 32 && elect()) {
    const u64 last = evict_last();
#pragma unroll
    for (int i = 0; i < C / width; ++i)
      asm volatile(
          "cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4, "
          "%5, %6}], [%2], %7;" ::"r"(tile + i * R * 128),
          "l"(&from), "r"(barrier), "r"(at.column + i * width), "r"(at.row / v), "r"(0), "r"(at.batch), "l"(last)
          : "memory");
    arm(barrier, bytes);
  }
  wait(barrier, 0);
  Vector x[units][v];
#pragma unroll
  for (int n = 0; n < units; ++n) {
    const unsigned unit = rank + n * Threads, l = unit % down, q = unit / down;
#pragma unroll
    for (int k = 0; k < v; ++k) x[n][k] = read(tile + (q / 8 * R + k * down + l) * 128 + (q % 8 ^ l % 8) * 16);
  }
  to += at.batch * w.to_batch;
#pragma unroll
  for (int n = 0; n < units; ++n) {
    const unsigned unit = rank + n * Threads;
    const int      r = at.row + int(unit % down) * v, c = at.column + int(unit / down) * v;
#pragma unroll
    for (int j = 0; j < v; ++j)
      if (r < w.rows && c + j < w.columns) write(to + (c + j) * w.to_row + r, column(x[n], j));
  }
}

}  // namespace

template <class T> Prepared hand_one_way(const T* from, T* to, const Work& w) {
  return with_shape<T>(w, [&](auto shape) -> Prepared {
    using S              = decltype(shape);
    using Tiles          = typename S::Tiles;
    constexpr int shared = Tiles::bytes + 8 + S::more(Tiles::bytes + 8);
    const auto    kernel = by_hand<T, Tiles::rows, Tiles::columns, S::threads>;
    const auto    made   = Tiles::from(from, w);
    CUtensorMap   map;
    std::memcpy(&map, tma::tensor_map(made), sizeof map);
    const dim3   grid  = S::grid(w);
    const Order  order = S::order(w);
    const double asked = in_flight(kernel, S::threads, shared, Tiles::bytes);
    return {[=] { kernel<<<grid, S::threads, shared>>>(map, to, w, order); }, asked};
  });
}

template Prepared hand_one_way(const float*, float*, const Work&);
template Prepared hand_one_way(const Half*, Half*, const Work&);

}  // namespace transpose
