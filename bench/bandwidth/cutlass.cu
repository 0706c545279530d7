// CUTLASS's ring, PipelineTmaAsync, with CuTe's loads: boxes of 256 rows of 128 bytes, swizzled, four stages.
#include <cstring>

#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cutlass/pipeline/sm90_pipeline.hpp>
#include <tma/tma.hpp>

#include "bandwidth.hpp"
#include "fold.cuh"

namespace bandwidth {
namespace {

constexpr int stages = 4, rows = 256, width = 32, bytes = rows * width * 4;

using Pipeline = cutlass::PipelineTmaAsync<stages>;
using State    = cutlass::PipelineState<stages>;
using Tile     = tma::Tile<Word, tma::Shape<rows, width>, tma::Swizzle::bytes_128>;

struct Shared {
  alignas(1024) Word tiles[stages][rows * width];
  Pipeline::SharedStorage barriers;
};

__global__ void __launch_bounds__(consumers + 32) cute_roles(const __grid_constant__ CUtensorMap in, int tiles, Word* sum) {
  extern __shared__ __align__(1024) unsigned char memory[];
  auto&                                           shared = *reinterpret_cast<Shared*>(memory);
  Pipeline::Params                                params;
  params.transaction_bytes = bytes;
  params.role              = threadIdx.x < 32 ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
  params.is_leader         = threadIdx.x < 32 && cute::elect_one_sync();
  params.num_consumers     = consumers;
  Pipeline pipeline(shared.barriers, params, cute::Shape<cute::_1, cute::_1, cute::_1>());
  __syncthreads();
  const int first = int(blockIdx.x), step = int(gridDim.x), steps = (tiles - first + step - 1) / step;
  if (threadIdx.x < 32) {
    if (!cute::elect_one_sync()) return;
    State         state  = cutlass::make_producer_start_state<Pipeline>();
    constexpr int across = Source::columns / width;
    for (int i = 0; i < steps; ++i, ++state) {
      const int tile = first + i * step;
      pipeline.producer_acquire(state);
      cute::SM90_TMA_LOAD_2D::copy(&in, pipeline.producer_get_barrier(state),
                                   static_cast<unsigned long long>(cute::TMA::CacheHintSm90::EVICT_NORMAL),
                                   shared.tiles[state.index()], tile % across * width, tile / across * rows);
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    State     state;
    Word      all = 0;
    for (int i = 0; i < steps; ++i, ++state) {
      pipeline.consumer_wait(state);
      const auto* const from = reinterpret_cast<const uint4*>(shared.tiles[state.index()]);
#pragma unroll
      for (int v = 0; v < bytes / 16 / consumers; ++v) fold(all, from[v * consumers + rank]);
      pipeline.consumer_release(state);
    }
    give(all, sum);
  }
}

}  // namespace

void add_cute(Readers& to, const Source& s) {
  const auto in =
      tma::make_descriptor<Tile>(tma::TensorView<const Word, 2>{s.data, {s.words / Source::columns, Source::columns}});
  CUtensorMap map;
  static_assert(sizeof map == sizeof in);
  std::memcpy(&map, &in, sizeof map);
  add_for_blocks(to, harness::Kind::peer, {"CuTe; PipelineTmaAsync: 256 x 128 B swizzled", bytes, stages, 0}, cute_roles,
                 consumers + 32, int(sizeof(Shared)), [=](int blocks) {
                   cute_roles<<<unsigned(blocks * s.multiprocessors), consumers + 32, sizeof(Shared)>>>(
                       map, int(s.words / (rows * width)), s.sum);
                 });
}

}  // namespace bandwidth
