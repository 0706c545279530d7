// Sends by hand, with the geometry as parameters.
#include "exchange.cuh"

#include <tma/host/launch.hpp>

#include "ptx.cuh"

namespace sharing {
namespace {

template <Reads R>
__global__ void __launch_bounds__(threads(R))
    by_hand(const __grid_constant__ CUtensorMap in, int count, int bytes, int steps, unsigned* folded) {
  extern __shared__ __align__(1024) unsigned char outgoing[];
  unsigned char* const                            incoming = outgoing + count * bytes;
  const unsigned full = address(incoming) + unsigned(count * bytes), free = full + unsigned(count) * 8,
                 loaded = free + unsigned(count) * 8;
  const unsigned rank = rank_in_cluster(), blocks = cluster_blocks();
  const unsigned next = (rank + 1) % blocks, last = (rank + blocks - 1) % blocks;
  if (threadIdx.x == 0) {
    for (int t = 0; t < count; ++t) {
      init(full + t * 8, 1);
      init(free + t * 8, releases(R));
    }
    init(loaded, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");

  const auto advance = [&](int& t, unsigned& parity) {
    if (++t == count) {
      t = 0;
      parity ^= 1;
    }
  };
  int      t      = 0;
  unsigned parity = 0;
  if (threadIdx.x < 32) {
    if (elect()) {
      const int rows = bytes / row_bytes;
      for (int k = 0; k < count; ++k)
        load(address(outgoing) + unsigned(k * bytes), &in, (int(blockIdx.x) * count + k) * rows, loaded);
      arm(loaded, count * bytes);
      wait<true>(loaded, 0);
      for (int i = 0; i < steps; ++i) {
        wait<true>(free + t * 8, parity ^ 1);
        asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
        const unsigned to = peer(address(incoming) + unsigned(t * bytes), next), barrier = peer(full + t * 8, next);
        asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
            "r"(address(outgoing) + unsigned(t * bytes)), "r"(bytes), "r"(barrier)
            : "memory");
        advance(t, parity);
      }
    }
  } else {
    const int mine = int(threadIdx.x) - 32;
    Fold<R>   fold;
    for (int i = 0; i < steps; ++i) {
      wait<true>(full + t * 8, parity);
      fold.take(reinterpret_cast<const unsigned*>(incoming + t * bytes), bytes / 4, mine, i);
      asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
      __syncwarp();
      if (mine % 32 == 0) arrive_at(free + t * 8, last);
      advance(t, parity);
    }
    folded[int(blockIdx.x) * Fold<R>::threads + mine] = fold.value;
  }
  asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

template <Reads R> Exchange make(int blocks, int count, int bytes) {
  const int shared = count * (2 * bytes + 16) + 8;
  Exchange  e{Sender::by_hand, R, blocks, reinterpret_cast<const void*>(by_hand<R>), shared};
  e.launch = [=](const unsigned* matrix, int clusters, int steps, unsigned* folded) {
    const CUtensorMap in = encode(matrix, (long long)clusters * blocks * count * (bytes / row_bytes), bytes / row_bytes);
    tma::launch(by_hand<R>,
                {.grid = clusters * blocks, .block = threads(R), .shared = tma::detail::u64(shared), .cluster = blocks}, in,
                count, bytes, steps, folded);
  };
  return e;
}

}  // namespace

Exchange exchange_by_hand(Reads reads, int blocks, int count, int bytes) {
  return reads == Reads::all ? make<Reads::all>(blocks, count, bytes) : make<Reads::sample>(blocks, count, bytes);
}

}  // namespace sharing
