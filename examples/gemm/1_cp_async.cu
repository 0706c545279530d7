// 1: without the engine. All threads copy the tiles, 16 bytes at a time (cp.async), to where the matrix units expect them, two
// steps ahead. Addresses, the swizzle, the end of K, and the fence between what threads write and the matrix units read: all
// by hand.
#include "block.hpp"

namespace gemm {
namespace {

constexpr int stages = 4, ahead = stages - 2, threads = 256;

template <class T> struct Shared {
  TileA<T> a[stages];
  TileB<T> b[stages];
};

template <class T> struct Input {
  const T* data;
  int      rows, pitch;
};

__device__ __forceinline__ void copy_16(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
// Of the 16 bytes so many, and zeros.
__device__ __forceinline__ void copy_16(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// A thread's share of the tiles of one operand: a piece of 16 bytes in every 32nd row. The swizzle goes by the row modulo 8,
// so that all its pieces have the same place in their rows.
template <class T, int Rows> class Share {
public:
  __device__ __forceinline__ Share(const Input<T>& in, int first_row, int rank)
      : to_(OperandTile<T, Rows>::offset_of(rank / 8, rank % 8 * 8)) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      // Beyond the last row the last: the results are not written.
      const int row = min(first_row + rank / 8 + i * 32, in.rows - 1);
      from_[i]      = in.data + std::size_t(row) * in.pitch + rank % 8 * 8;
    }
  }
  __device__ __forceinline__ void load(OperandTile<T, Rows>& tile, int k, int bytes) const {
    const unsigned to = unsigned(__cvta_generic_to_shared(tile.storage())) + to_;
    if (bytes == 16) {
#pragma unroll
      for (int i = 0; i < count; ++i) copy_16(to + i * 32 * 128, from_[i] + k);
    } else {  // at the end of K
#pragma unroll
      for (int i = 0; i < count; ++i) copy_16(to + i * 32 * 128, from_[i] + (bytes > 0 ? k : 0), bytes);
    }
  }

private:
  static constexpr int count = Rows * 8 / threads;
  unsigned             to_;
  const T*             from_[count];
};

template <class T>
__global__ void __launch_bounds__(threads, 1)
    kernel(Input<T> a, Input<T> b, Output<T> c, Raster raster, int steps, int depth_left) {
  auto&      s    = tma::shared<Shared<T>>();
  const auto tile = raster(int(blockIdx.x));
  const int  rank = int(threadIdx.x), group = rank / 128;

  const Share<T, block_rows>    mine_a(a, tile.row * block_rows, rank);
  const Share<T, block_columns> mine_b(b, tile.column * block_columns, rank);
  const auto                    load = [&](int step) {
    if (step < steps) {
      const int bytes = min(max((depth_left - step * depth - rank % 8 * 8) * int(sizeof(T)), 0), 16);
      mine_a.load(s.a[step % stages], step * depth, bytes);
      mine_b.load(s.b[step % stages], step * depth, bytes);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };

  for (int step = 0; step < ahead; ++step) load(step);
  Accumulators<block_columns> sum;
  for (int step = 0; step < steps; ++step) {
    // This thread's part of the step has come; the matrix units may read it; and so have all others'. They have also waited
    // for the multiplication before the last, whose stage is loaded next.
    asm volatile("cp.async.wait_group %0;" ::"n"(ahead - 1) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    begin(sum);
    multiply<T>(sum, rows_of(s.a[step % stages], group * 64), rows_of(s.b[step % stages]), step > 0);
    commit();
    load(step + ahead);
    wait<1>(sum);
  }
  wait<0>(sum);
  write(c, sum, tile.row * block_rows + group * 64, tile.column * block_columns, rank % 128);
}

}  // namespace

template <int Rung, class T> Run plan(const Problem<T>& p) {
  const Input<T>  a{p.a, p.m, p.pitch_a}, b{p.b, p.n, p.pitch_b};
  const Output<T> c      = output_of(p);
  const Raster    raster = raster_of(p);
  return [=, steps = steps_of(p), k = p.k](cudaStream_t stream) {
    tma::launch(kernel<T>,
                {.grid = raster.size(), .block = threads, .shared = tma::shared_bytes<Shared<T>>, .stream = stream}, a, b, c,
                raster, steps, k);
  };
}
GEMM_INSTANTIATE(1);

}  // namespace gemm
