// 6 Clusters, groups and fences
#include "common.hpp"

// row: mapa
//   ptx: mapa.shared::cluster.u32 %r1, %r2, %r3;
//   name: cluster.peer(object, rank)
//   tests: gpu/cluster machine/cluster codegen/clusters
extern "C" __global__ void peer_address() {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  tma::expect_bytes(cluster.peer(shared.barrier, 1), 64);
}

// row: mapa, generic
//   ptx: mapa.u64 %rd1, %rd2, %r1;
//   name: cluster.peer(object, rank).get()
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void peer_reference(float* out) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  out[0]                  = cluster.peer(shared.buffer, 1).get()[3];
}

// row: getctarank
//   ptx: getctarank.shared::cluster.u32 %r1, %r2;
//   name: tma::ptx::cluster_rank_of(address)
//   tests: codegen/facts_clusters
extern "C" __global__ void peer_rank(unsigned* out, unsigned address) { out[0] = tma::ptx::cluster_rank_of(address); }

// row: barrier.cluster.arrive, .wait
//   ptx: barrier.cluster.arrive.release.aligned;
//   ptx: barrier.cluster.wait.acquire.aligned;
//   name: cluster.sync()
//   tests: gpu/cluster machine/cluster codegen/clusters
extern "C" __global__ void cluster_sync() {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  cluster.sync();
}

// row: barrier.cluster.arrive .relaxed
//   ptx: barrier.cluster.arrive.relaxed.aligned;
//   name: tma::this_cluster(barriers...)
//   tests: gpu/cluster machine/cluster codegen/facts_clusters
extern "C" __global__ void cluster_begin() {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
}

// row: st.async
//   ptx: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3];
//   ptx: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r1], %rd2, [%r3];
//   ptx: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r1], {%r2, %r4, %r5, %r6}, [%r3];
//   name: peer.store_async(value, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_store_async() {
  struct Receiver {
    int              i;
    double           d;
    float4           f;
    tma::LoadBarrier barrier;
  };
  auto& shared            = tma::shared<Receiver>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  auto barrier            = cluster.peer(shared.barrier, 1);
  cluster.peer(shared.i, 1).store_async(1, barrier);
  cluster.peer(shared.d, 1).store_async(1., barrier);
  cluster.peer(shared.f, 1).store_async({1, 2, 3, 4}, barrier);
}

// row: red.async
//   ptx: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];
//   ptx: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%r1], %r2, [%r3];
//   ptx: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r2, [%r3];
//   ptx: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [%r1], %r2, [%r3];
//   ptx: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r1], %rd2, [%r3];
//   name: peer.reduce_async<op>(value, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_async() {
  struct Receiver {
    unsigned           u;
    int                i;
    unsigned long long w;
    tma::LoadBarrier   barrier;
  };
  auto& shared            = tma::shared<Receiver>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  auto barrier            = cluster.peer(shared.barrier, 1);
  auto u                  = cluster.peer(shared.u, 1);
  u.reduce_async<tma::Reduction::add>(1, barrier);
  u.reduce_async<tma::Reduction::inc>(1, barrier);
  u.reduce_async<tma::Reduction::bit_and>(1, barrier);
  cluster.peer(shared.i, 1).reduce_async<tma::Reduction::min>(-1, barrier);
  cluster.peer(shared.w, 1).reduce_async<tma::Reduction::add>(1, barrier);
}

// row: cp.async.bulk.commit_group, .wait_group, .wait_group.read
//   ptx: cp.async.bulk.commit_group;
//   ptx: cp.async.bulk.wait_group 0;
//   ptx: cp.async.bulk.wait_group.read 0;
//   name: StoreGroup: wait_source_free(), wait_visible()
//   tests: gpu/bulk_copy machine/bulk_copy codegen/stores
extern "C" __global__ void store_groups(tma::AlignedPointer<float> out) {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.buffer);
  if (auto issuer = block.elect()) {
    auto stores = issuer.store(out.chunk<64>(0), ready);
    stores.wait_source_free();
    stores.wait_visible();
  }
}

// row: fence.proxy.async.shared::cta
//   ptx: fence.proxy.async.shared::cta;
//   name: block.publish(tile), block.release(tile)
//   tests: gpu/barriers machine/barriers codegen/facts_order
extern "C" __global__ void publish() {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.buffer);
}

// row: fence.proxy.async.shared::cluster
//   ptx: fence.proxy.async.shared::cluster;
//   name: cluster.release(tile), phase.wait_to_refill()
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void cluster_release() {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  cluster.release(shared.buffer);
}

// row: fence.proxy.async.global
//   ptx: fence.proxy.async.global;
//   name: tma::publish_global(block), tma::acquire_global()
//   tests: gpu/descriptor_edit
extern "C" __global__ void global_fence() {
  auto block = tma::this_block();
  tma::publish_global(block);
}

// row: fence.proxy.async
//   ptx: fence.proxy.async;
//   name: tma::ptx::fence_proxy_async_all()
//   tests: codegen/facts_descriptors
extern "C" __global__ void all_fence() { tma::ptx::fence_proxy_async_all(); }

// row: fence.proxy.async::generic .sync_restrict
//   ptx: fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
//   ptx: fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
//   name: tma::ptx::fence_proxy_async_release_cluster(), ..._acquire_cluster()
//   tests: codegen/facts_descriptors
extern "C" __global__ void restricted_fence() {
  tma::ptx::fence_proxy_async_release_cluster();
  tma::ptx::fence_proxy_async_acquire_cluster();
}
