// The ring as CUTLASS has it: PipelineTmaAsync, in two uses of its consumers' side.
//
// "cutlass": every consumer thread arrives, as its own kernels have it outside clusters.
// "cutlass warp": it is told of one consumer a warp, and only that one releases. For who looks for its best.
// "cutlass fenced", "cutlass fenced warp": the same with the proxy fence that its producer leaves out, which is right where
// the matrix units read and not where threads do. Behind the acquire, where its users put it.
#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cutlass/pipeline/sm90_pipeline.hpp>
#include <cutlass/version.h>

#include "kernels.cuh"

namespace ring {
namespace {

template <class S> struct Shared {
  alignas(128) float tiles[S::stages][S::tile_bytes / 4];
  typename cutlass::PipelineTmaAsync<S::stages>::SharedStorage barriers;
};

template <class S> using Pipeline = cutlass::PipelineTmaAsync<S::stages>;
template <class S> using State    = cutlass::PipelineState<S::stages>;

template <class S, bool ByWarp> __device__ __forceinline__ Pipeline<S> make(Shared<S>& shared) {
  typename Pipeline<S>::Params params;
  params.transaction_bytes = S::tile_bytes;
  params.role          = threadIdx.x < 32 ? Pipeline<S>::ThreadCategory::Producer : Pipeline<S>::ThreadCategory::Consumer;
  params.is_leader     = threadIdx.x < 32 && cute::elect_one_sync();
  params.num_consumers = ByWarp ? S::consumer_warps : S::consumers;
  Pipeline<S> pipeline(shared.barriers, params, cute::Shape<cute::_1, cute::_1, cute::_1>());
  __syncthreads();
  return pipeline;
}

template <class S>
__device__ __forceinline__ void load(Pipeline<S>& pipeline, const State<S>& state, Shared<S>& shared, const CUtensorMap& in,
                                     const Work& work, int block, int i) {
  cute::SM90_TMA_LOAD_2D::copy(&in, pipeline.producer_get_barrier(state),
                               static_cast<unsigned long long>(cute::TMA::CacheHintSm90::EVICT_NORMAL),
                               shared.tiles[state.index()], 0, work.tile(block, i) * (S::tile_bytes / row_bytes));
}

template <class S, Reads R> __device__ __forceinline__ void acquire(Pipeline<S>& pipeline, const State<S>& state) {
  pipeline.producer_acquire(state);
  if (R == Reads::threads) fence_proxy();
}

template <class S, bool ByWarp>
__device__ __forceinline__ void release(Pipeline<S>& pipeline, const State<S>& state, int rank) {
  if constexpr (ByWarp) {
    __syncwarp();
    if (rank % 32 == 0) pipeline.consumer_release(state);
  } else {
    pipeline.consumer_release(state);
  }
}

template <class S, bool ByWarp, Reads R>
__global__ void __launch_bounds__(S::threads)
    stream(const __grid_constant__ CUtensorMap in, const __grid_constant__ Work work,
           const __grid_constant__ Results results) {
  auto&     shared   = dynamic_ring<Shared<S>>();
  const int block    = block_index();
  auto      pipeline = make<S, ByWarp>(shared);
  if (threadIdx.x < 32) {
    if (cute::elect_one_sync()) {
      State<S> state = cutlass::make_producer_start_state<Pipeline<S>>();
      for (int i = 0; i < work.steps; ++i) {
        acquire<S, R>(pipeline, state);
        load<S>(pipeline, state, shared, in, work, block, i);
        ++state;
      }
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    Fold      fold;
    State<S>  state;
    for (int i = 0; i < work.steps; ++i) {
      const auto token = pipeline.consumer_try_wait(state);
      pipeline.consumer_wait(state, token);
      const auto values = Fold::read<S>(shared.tiles[state.index()], rank, work.whole);
      release<S, ByWarp>(pipeline, state, rank);
      fold.add<S>(values, rank, work.whole);
      ++state;
    }
    results.folded[block * S::consumers + rank] = fold.value;
  }
  count_arrivals<S>(shared, results.arrivals);
}

template <class S, bool ByWarp, Reads R>
__global__ void __launch_bounds__(S::threads)
    issue_to_wait(const __grid_constant__ CUtensorMap in, const __grid_constant__ Work work,
                  const __grid_constant__ Results results) {
  auto&                   shared = dynamic_ring<Shared<S>>();
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  const int block    = block_index();
  auto      pipeline = make<S, ByWarp>(shared);
  if (threadIdx.x < 32) {
    if (cute::elect_one_sync()) {
      State<S> state = cutlass::make_producer_start_state<Pipeline<S>>();
      for (int i = 0; i < work.steps; ++i) {
        while (turn < i) {}
        const long long begin = clock64();
        acquire<S, R>(pipeline, state);
        load<S>(pipeline, state, shared, in, work, block, i);
        ++state;
        results.begin[i] = begin;
      }
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    Fold      fold;
    State<S>  state;
    for (int i = 0; i < work.steps; ++i) {
      const auto token = pipeline.consumer_try_wait(state);
      pipeline.consumer_wait(state, token);
      const long long end = clock64();
      fold.take<S>(shared.tiles[state.index()], rank, work.whole);
      release<S, ByWarp>(pipeline, state, rank);
      ++state;
      if (rank % 32 == 0) results.end[i * S::consumer_warps + rank / 32] = end;
      asm volatile("bar.sync 1, %0;" ::"n"(S::consumers) : "memory");
      wait_cycles(end, idle_cycles);
      if (rank == 0) turn = i + 1;
    }
    results.folded[rank] = fold.value;
  }
}

template <class S, bool ByWarp, Reads R>
__global__ void __launch_bounds__(S::threads)
    hand_off(const __grid_constant__ CUtensorMap in, const __grid_constant__ Work work,
             const __grid_constant__ Results results) {
  auto&     shared   = dynamic_ring<Shared<S>>();
  const int block    = block_index();
  auto      pipeline = make<S, ByWarp>(shared);
  if (threadIdx.x < 32) {
    if (cute::elect_one_sync()) {
      State<S> state = cutlass::make_producer_start_state<Pipeline<S>>();
      for (int i = 0; i < work.steps; ++i) {
        acquire<S, R>(pipeline, state);
        const long long acquired = clock64();
        load<S>(pipeline, state, shared, in, work, block, i);
        ++state;
        results.begin[i] = acquired;
      }
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    Fold      fold;
    State<S>  state;
    for (int i = 0; i < work.steps; ++i) {
      const auto token = pipeline.consumer_try_wait(state);
      pipeline.consumer_wait(state, token);
      fold.take<S>(shared.tiles[state.index()], rank, work.whole);
      wait_cycles(clock64(), idle_cycles);
      const long long released = clock64();
      release<S, ByWarp>(pipeline, state, rank);
      ++state;
      if (rank % 32 == 0) results.end[i * S::consumer_warps + rank / 32] = released;
    }
    results.folded[rank] = fold.value;
  }
}

template <Measure M, bool ByWarp, Reads R> void add(Variants& to, const Source& source) {
  each_shape<M>([&]<class S>(S) {
    constexpr bool fenced = R == Reads::threads;
    constexpr auto name =
        fenced ? (ByWarp ? "cutlass fenced warp" : "cutlass fenced") : (ByWarp ? "cutlass warp" : "cutlass");
    constexpr int arrivals = 1 + (ByWarp ? S::consumer_warps : S::consumers);
    const auto    with     = [&](auto kernel) {
      to.push_back(variant<S>(name, M, R, arrivals, source, kernel, int(sizeof(Shared<S>))));
    };
    if constexpr (M == Measure::stream) with(stream<S, ByWarp, R>);
    else if constexpr (M == Measure::issue_to_wait) with(issue_to_wait<S, ByWarp, R>);
    else with(hand_off<S, ByWarp, R>);
  });
}

template <bool ByWarp, Reads R> void add_all(Variants& to, const Source& source) {
  add<Measure::stream, ByWarp, R>(to, source);
  add<Measure::issue_to_wait, ByWarp, R>(to, source);
  add<Measure::hand_off, ByWarp, R>(to, source);
}

}  // namespace

std::string cutlass_version() {
  return std::to_string(CUTLASS_MAJOR) + "." + std::to_string(CUTLASS_MINOR) + "." + std::to_string(CUTLASS_PATCH);
}

void add_cutlass(Variants& to, const Source& source) {
  add_all<false, Reads::threads>(to, source);
  add_all<true, Reads::threads>(to, source);
  add_all<false, Reads::matrix>(to, source);
  add_all<true, Reads::matrix>(to, source);
}

}  // namespace ring
