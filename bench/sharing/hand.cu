// All forms in PTX by hand: the protocol that the library's ring has, with the geometry as parameters.
#include "sharing.cuh"

#include <tma/host/launch.hpp>

#include "../harness/require.hpp"
#include "ptx.cuh"

namespace sharing {
namespace {

struct Ring {
  int stages, tile_bytes;
};

// The block that loads what is in a stage.
template <Form F> __device__ __forceinline__ unsigned leader(int stage, unsigned blocks) {
  return F == Form::turns ? unsigned(stage) % blocks : 0;
}

template <Form F, Reads R>
__global__ void __launch_bounds__(threads(R))
    by_hand(const __grid_constant__ CUtensorMap in, Work work, Ring ring, unsigned* folded) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  constexpr unsigned                              frees = releases(R);
  const unsigned                                  rank = rank_in_cluster(), blocks = cluster_blocks();
  const unsigned full = address(tiles) + unsigned(ring.stages * ring.tile_bytes), empty = full + unsigned(ring.stages) * 8;
  constexpr bool led = F == Form::turns || F == Form::one;

  if (threadIdx.x == 0) {
    for (int s = 0; s < ring.stages; ++s) {
      init(full + s * 8, 1);
      const bool all = F == Form::slices || (led && leader<F>(s, blocks) == rank);
      init(empty + s * 8, all ? frees * blocks : frees);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");

  int        stage   = 0;
  unsigned   parity  = 0;
  const auto advance = [&] {
    if (++stage == ring.stages) {
      stage = 0;
      parity ^= 1;
    }
  };
  if (threadIdx.x < 32) {
    if (elect()) {
      const int            rows = ring.tile_bytes / row_bytes, slice = F == Form::slices ? rows / int(blocks) : rows;
      const unsigned short mask = (unsigned short)((1u << blocks) - 1);
      Walk                 walk(work);
      for (int i = 0; i < work.steps; ++i) {
        wait<F != Form::each>(empty + stage * 8, parity ^ 1);
        fence_refill<F != Form::each>();
        const unsigned tile = address(tiles) + unsigned(stage * ring.tile_bytes), barrier = full + stage * 8;
        const int      row = walk.index() * rows;
        if constexpr (F == Form::each) load(tile, &in, row, barrier);
        else if constexpr (F == Form::slices)
          load_for_all(tile + rank * unsigned(slice * row_bytes), &in, row + int(rank) * slice, barrier, mask);
        else if (leader<F>(stage, blocks) == rank) load_for_all(tile, &in, row, barrier, mask);
        arm(barrier, ring.tile_bytes);
        walk.next();
        advance();
      }
    }
  } else {
    const int      mine = int(threadIdx.x) - 32;
    const unsigned lane = R == Reads::all_then_meet ? threadIdx.x - 32 : threadIdx.x % 32;
    Fold<R>        fold;
    for (int i = 0; i < work.steps; ++i) {
      wait<F != Form::each>(full + stage * 8, parity);
      fold.take(reinterpret_cast<const unsigned*>(tiles + stage * ring.tile_bytes), ring.tile_bytes / 4, mine, i);
      if constexpr (F != Form::each)
        asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
      if constexpr (R == Reads::all_then_meet) asm volatile("bar.sync 1, 256;" ::: "memory");
      else __syncwarp();
      if constexpr (F == Form::each) {
        if (lane == 0) arrive(empty + stage * 8);
      } else {
        if constexpr (F == Form::slices) {
          if (lane < blocks) arrive_at(empty + stage * 8, lane);
        } else {
          const unsigned who = leader<F>(stage, blocks);
          if (lane == 0) arrive_at(empty + stage * 8, who);
          if (lane == 1 && who != rank) arrive_at(empty + stage * 8, rank);
        }
      }
      advance();
    }
    folded[int(blockIdx.x) * Fold<R>::threads + mine] = fold.value;
  }
  asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

template <Form F, Reads R> Way make(int blocks) {
  constexpr int rows = rows_of_tile(R), stages = stages_of(rows);
  Way           way;
  way.form      = F;
  way.reads     = R;
  way.blocks    = blocks;
  way.tile_rows = rows;
  way.stages    = stages;
  way.shared    = stages * (rows * row_bytes + 16);
  way.by_hand   = true;
  way.kernel    = reinterpret_cast<const void*>(by_hand<F, R>);
  way.launch    = [=, shared = way.shared](const Source& s) {
    const CUtensorMap in = encode(s.matrix, s.rows, F == Form::slices ? rows / blocks : rows);
    tma::launch(by_hand<F, R>,
                {.grid    = s.work.clusters * s.work.sharing,
                 .block   = threads(R),
                 .shared  = tma::detail::u64(shared),
                 .cluster = blocks},
                in, s.work, Ring{stages, rows * row_bytes}, s.folded);
  };
  return way;
}

template <Form F> Way make(Reads reads, int blocks) {
  switch (reads) {
    case Reads::sample: return make<F, Reads::sample>(blocks);
    case Reads::all: return make<F, Reads::all>(blocks);
    case Reads::all_then_meet: break;
  }
  return make<F, Reads::all_then_meet>(blocks);
}

}  // namespace

CUtensorMap encode(const unsigned* matrix, long long rows, int box_rows) {
  static void* const call = [] {
    void*                           found = nullptr;
    cudaDriverEntryPointQueryResult result;
    harness::require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
                     "cuTensorMapEncodeTiled");
    return found;
  }();
  const cuuint64_t        extents[] = {row_words, cuuint64_t(rows)}, strides[] = {row_bytes};
  const cuuint32_t        box[] = {row_words, cuuint32_t(box_rows)}, ones[] = {1, 1};
  alignas(64) CUtensorMap map;
  const CUresult          status = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(call)(
      &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<unsigned*>(matrix), extents, strides, box, ones,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  harness::require(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "cuTensorMapEncodeTiled");
  return map;
}

Way hand(Form form, Reads reads, int blocks) {
  switch (form) {
    case Form::each: return make<Form::each>(reads, blocks);
    case Form::slices: return make<Form::slices>(reads, blocks);
    case Form::turns: return make<Form::turns>(reads, blocks);
    case Form::one: break;
  }
  return make<Form::one>(reads, blocks);
}

}  // namespace sharing
