// The same kernel in PTX by hand.
#include "../harness/ptx.cuh"
#include "loads.hpp"

namespace loads {
namespace {

using A = gemm::TileA<Element>;
using B = gemm::TileB<Element>;

struct Shared {
  A                  a[stages];
  B                  b[stages];
  unsigned long long full[stages], empty[stages];
};

struct Input {
  const Element* data;
  int            rows, pitch;
};

using namespace by_hand;

struct Position {
  int      stage  = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// A thread's share of a tile: a piece of 16 bytes in every 16th row. The swizzle goes by the row modulo 8, so that all its
// pieces have the same place in their rows; rows beyond the last are zeros.
struct Share {
  unsigned       to;
  const Element* from;
  int            rows;  // from the thread's first on

  template <int Rows> static __device__ __forceinline__ Share of(const Input& in, int first, int rank) {
    const int row = first + rank / 8;
    return {gemm::OperandTile<Element, Rows>::offset_of(rank / 8, rank % 8 * 8),
            in.data + std::size_t(row) * in.pitch + rank % 8 * 8, in.rows - row};
  }
  template <int Rows>
  __device__ __forceinline__ void load(const gemm::OperandTile<Element, Rows>& tile, const Input& in, int k,
                                       int bytes) const {
    const unsigned    begin = address(tile.storage()) + to;
    const Element*    at    = from + k;
    const std::size_t apart = std::size_t(in.pitch) * 16;
    if (bytes == 16 && (Rows / 16 - 1) * 16 < rows) {
#pragma unroll
      for (int i = 0; i < Rows / 16; ++i, at += apart)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(begin + i * 16 * 128), "l"(at) : "memory");
    } else {
#pragma unroll
      for (int i = 0; i < Rows / 16; ++i, at += apart)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(begin + i * 16 * 128), "l"(at),
                     "r"(i * 16 < rows ? bytes : 0)
                     : "memory");
    }
  }
};

// One stage, by a thread of the producers.
__device__ __forceinline__ void load(Shared& s, int stage, const gemm::MapA<Element>& a, const gemm::MapB<Element>& b,
                                     int row, int column, int k, int) {
  load_box(address(s.a[stage].storage()), &a, row, k, address(&s.full[stage]));
  load_box(address(s.b[stage].storage()), &b, column, k, address(&s.full[stage]));
  arm(s.full[stage], A::payload_bytes + B::payload_bytes);
}
// The copies' own arrivals complete the stage; who uses it fences.
__device__ __forceinline__ void load(Shared& s, int stage, const Input& a, const Input& b, int row, int column, int k,
                                     int k_end) {
  const int rank = int(threadIdx.x), bytes = min(max((k_end - k - rank % 8 * 8) * 2, 0), 16);
  Share::of<gemm::block_rows>(a, row, rank).load(s.a[stage], a, k, bytes);
  Share::of<gemm::block_columns>(b, column, rank).load(s.b[stage], b, k, bytes);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address(&s.full[stage])) : "memory");
}

template <bool Engine, class FromA, class FromB>
__global__ void __launch_bounds__(threads, 1) kernel(const __grid_constant__ FromA a, const __grid_constant__ FromB b,
                                                     gemm::Output<Element> c, gemm::Raster raster, int steps, int k_end) {
  auto&      s     = tma::shared<Shared>();
  const auto tiles = raster.size();
  // The same for a whole warp, and known as such: the matrix units' operands are in uniform registers.
  const int warpgroup = int(__shfl_sync(0xffffffffu, threadIdx.x / 128, 0));
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      init(s.full[i], Engine ? 1 : 128);
      init(s.empty[i], 8);
    }
    fence_init();
  }
  __syncthreads();

  if (warpgroup == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers(true, Engine)));
    if (Engine && (threadIdx.x >= 32 || !elect())) return;
    Position at;
    for (int index = int(blockIdx.x); index < tiles; index += int(gridDim.x)) {
      const auto tile = raster(index);
      for (int step = 0; step < steps; ++step) {
        wait(s.empty[at.stage], at.parity ^ 1);
        load(s, at.stage, a, b, tile.row * gemm::block_rows, tile.column * gemm::block_columns, step * gemm::depth, k_end);
        at.advance();
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers(false, Engine)));
    const int group = warpgroup - 1, rank = int(threadIdx.x) % 128;

    Position                                at;
    gemm::Accumulators<gemm::block_columns> sum;
    for (int index = int(blockIdx.x); index < tiles; index += int(gridDim.x)) {
      const auto tile     = raster(index);
      int        previous = 0;
      const auto free     = [&](int stage) {
        __syncwarp();
        if (rank % 32 == 0) arrive(s.empty[stage]);
      };
      for (int step = 0; step < steps; ++step) {
        wait(s.full[at.stage], at.parity);
        if (!Engine) fence_proxy();
        gemm::begin(sum);
        gemm::multiply<Element>(sum, gemm::rows_of(s.a[at.stage], group * 64), gemm::rows_of(s.b[at.stage]), step > 0);
        gemm::commit();
        gemm::wait<1>(sum);
        if (step > 0) free(previous);
        previous = at.stage;
        at.advance();
      }
      gemm::wait<0>(sum);
      free(previous);
      gemm::write(c, sum, tile.row * gemm::block_rows + group * 64, tile.column * gemm::block_columns, rank);
    }
  }
}

template <bool Engine, class FromA, class FromB> gemm::Run plan(const FromA& a, const FromB& b, const Problem& p) {
  return [=, c = gemm::output_of(p), raster = gemm::raster_of(p), steps = gemm::steps_of(p),
          blocks = gemm::blocks_of(gemm::raster_of(p).size())](cudaStream_t stream) {
    tma::launch(kernel<Engine, FromA, FromB>,
                {.grid = blocks, .block = threads, .shared = tma::shared_bytes<Shared>, .stream = stream}, a, b, c, raster,
                steps, p.k);
  };
}

}  // namespace

gemm::Run engine_by_hand(const Problem& p) {
  return plan<true>(tma::make_descriptor<A>(gemm::view_a(p)), tma::make_descriptor<B>(gemm::view_b(p)), p);
}
gemm::Run threads_by_hand(const Problem& p) {
  return plan<false>(Input{p.a, p.m, p.pitch_a}, Input{p.b, p.n, p.pitch_b}, p);
}

}  // namespace loads
