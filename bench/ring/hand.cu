// The ring by hand: the same protocol in PTX. One arrival a warp, one proxy fence by the producer where threads read, no
// library.
#include "../harness/ptx.cuh"
#include "kernels.cuh"

namespace ring {
namespace {

using namespace by_hand;

// Until a stage is free to be loaded.
template <Reads R> __device__ __forceinline__ void acquire(unsigned empty, unsigned parity) {
  wait(empty, parity ^ 1);
  if (R == Reads::threads) fence_proxy();
}

template <class S> struct Shared {
  alignas(128) float tiles[S::stages][S::tile_bytes / 4];
  unsigned long long full[S::stages], empty[S::stages];
};

template <class S> __device__ __forceinline__ void init(Shared<S>& shared) {
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::stages; ++s) {
      by_hand::init(shared.full[s], 1);
      by_hand::init(shared.empty[s], S::consumer_warps);
    }
    fence_init();
  }
  __syncthreads();
}

template <class S> __device__ __forceinline__ void advance(int& stage, unsigned& parity) {
  if (++stage == S::stages) {
    stage = 0;
    parity ^= 1;
  }
}

template <class S, Reads R>
__global__ void __launch_bounds__(S::threads)
    stream(const __grid_constant__ CUtensorMap in, const __grid_constant__ Work work,
           const __grid_constant__ Results results) {
  auto& shared = dynamic_ring<Shared<S>>();
  init(shared);
  const int block  = block_index();
  int       stage  = 0;
  unsigned  parity = 0;
  if (threadIdx.x < 32) {
    if (elect()) {
      for (int i = 0; i < work.steps; ++i) {
        acquire<R>(address(&shared.empty[stage]), parity);
        load_box(address(shared.tiles[stage]), &in, work.tile(block, i) * (S::tile_bytes / row_bytes), 0,
                 address(&shared.full[stage]));
        arm(address(&shared.full[stage]), S::tile_bytes);
        advance<S>(stage, parity);
      }
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    Fold      fold;
    for (int i = 0; i < work.steps; ++i) {
      wait(address(&shared.full[stage]), parity);
      const auto values = Fold::read<S>(shared.tiles[stage], rank, work.whole);
      __syncwarp();
      if (rank % 32 == 0) arrive(address(&shared.empty[stage]));
      fold.add<S>(values, rank, work.whole);
      advance<S>(stage, parity);
    }
    results.folded[block * S::consumers + rank] = fold.value;
  }
  count_arrivals<S>(shared, results.arrivals);
}

template <class S, Reads R>
__global__ void __launch_bounds__(S::threads)
    issue_to_wait(const __grid_constant__ CUtensorMap in, const __grid_constant__ Work work,
                  const __grid_constant__ Results results) {
  auto&                   shared = dynamic_ring<Shared<S>>();
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  init(shared);
  const int block  = block_index();
  int       stage  = 0;
  unsigned  parity = 0;
  if (threadIdx.x < 32) {
    if (elect()) {
      for (int i = 0; i < work.steps; ++i) {
        while (turn < i) {}
        const long long begin = clock64();
        acquire<R>(address(&shared.empty[stage]), parity);
        load_box(address(shared.tiles[stage]), &in, work.tile(block, i) * (S::tile_bytes / row_bytes), 0,
                 address(&shared.full[stage]));
        arm(address(&shared.full[stage]), S::tile_bytes);
        advance<S>(stage, parity);
        results.begin[i] = begin;
      }
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    Fold      fold;
    for (int i = 0; i < work.steps; ++i) {
      wait(address(&shared.full[stage]), parity);
      const long long end = clock64();
      fold.take<S>(shared.tiles[stage], rank, work.whole);
      __syncwarp();
      if (rank % 32 == 0) arrive(address(&shared.empty[stage]));
      advance<S>(stage, parity);
      if (rank % 32 == 0) results.end[i * S::consumer_warps + rank / 32] = end;
      asm volatile("bar.sync 1, %0;" ::"n"(S::consumers) : "memory");
      wait_cycles(end, idle_cycles);
      if (rank == 0) turn = i + 1;
    }
    results.folded[rank] = fold.value;
  }
}

template <class S, Reads R>
__global__ void __launch_bounds__(S::threads)
    hand_off(const __grid_constant__ CUtensorMap in, const __grid_constant__ Work work,
             const __grid_constant__ Results results) {
  auto& shared = dynamic_ring<Shared<S>>();
  init(shared);
  const int block  = block_index();
  int       stage  = 0;
  unsigned  parity = 0;
  if (threadIdx.x < 32) {
    if (elect()) {
      for (int i = 0; i < work.steps; ++i) {
        acquire<R>(address(&shared.empty[stage]), parity);
        const long long acquired = clock64();
        load_box(address(shared.tiles[stage]), &in, work.tile(block, i) * (S::tile_bytes / row_bytes), 0,
                 address(&shared.full[stage]));
        arm(address(&shared.full[stage]), S::tile_bytes);
        advance<S>(stage, parity);
        results.begin[i] = acquired;
      }
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    Fold      fold;
    for (int i = 0; i < work.steps; ++i) {
      wait(address(&shared.full[stage]), parity);
      fold.take<S>(shared.tiles[stage], rank, work.whole);
      wait_cycles(clock64(), idle_cycles);
      const long long released = clock64();
      __syncwarp();
      if (rank % 32 == 0) arrive(address(&shared.empty[stage]));
      advance<S>(stage, parity);
      if (rank % 32 == 0) results.end[i * S::consumer_warps + rank / 32] = released;
    }
    results.folded[rank] = fold.value;
  }
}

template <Measure M, Reads R> void add(Variants& to, const Source& source) {
  each_shape<M>([&]<class S>(S) {
    const auto with = [&](auto kernel) {
      to.push_back(variant<S>("hand", M, R, 1 + S::consumer_warps, source, kernel, int(sizeof(Shared<S>))));
    };
    if constexpr (M == Measure::stream) with(stream<S, R>);
    else if constexpr (M == Measure::issue_to_wait) with(issue_to_wait<S, R>);
    else with(hand_off<S, R>);
  });
}

template <Reads R> void add_all(Variants& to, const Source& source) {
  add<Measure::stream, R>(to, source);
  add<Measure::issue_to_wait, R>(to, source);
  add<Measure::hand_off, R>(to, source);
}

}  // namespace

void add_hand(Variants& to, const Source& source) {
  add_all<Reads::threads>(to, source);
  add_all<Reads::matrix>(to, source);
}

}  // namespace ring
