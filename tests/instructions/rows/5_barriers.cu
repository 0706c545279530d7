// 5 Barriers
#include "common.hpp"

struct Barriers {
  tma::Mbarrier<4> counted;
  tma::LoadBarrier loads;
};

// row: mbarrier.init
//   ptx: mbarrier.init.shared::cta.b64 [%r1], %r2;
//   name: tma::this_block(barriers...)
//   tests: gpu/barriers machine/barriers codegen/barriers
extern "C" __global__ void barrier_init() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
}

// row: mbarrier.inval
//   ptx: mbarrier.inval.shared::cta.b64 [%r1];
//   name: tma::invalidate(block, barriers...)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_inval() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  tma::invalidate(block, counted);
}

// row: mbarrier.arrive
//   ptx: mbarrier.arrive.shared::cta.b64 _, [%r1];
//   name: barrier.arrive()
//   tests: gpu/barriers machine/barriers codegen/barriers
extern "C" __global__ void barrier_arrive() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  counted.arrive();
}

// row: mbarrier.arrive (count, order, scope)
//   ptx: mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1], %r2;
//   ptx: mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r1], %r2;
//   ptx: mbarrier.arrive.release.cluster.shared::cta.b64 _, [%r1], %r2;
//   ptx: mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [%r1], %r2;
//   name: barrier.arrive<Order, Scope>(count)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_arrive_count() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  counted.arrive(2);
  counted.arrive<tma::Order::relaxed>(2);
  counted.arrive<tma::Order::ordered, tma::Scope::cluster>(2);
  counted.arrive<tma::Order::relaxed, tma::Scope::cluster>(2);
}

// row: mbarrier.arrive with a state, mbarrier.try_wait, .test_wait on it, .pending_count
//   ptx: mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [%r1], %r2;
//   ptx: mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [%r1], %rd1;
//   ptx: mbarrier.test_wait.acquire.cta.shared::cta.b64 %p1, [%r1], %rd1;
//   ptx: mbarrier.try_wait.relaxed.cluster.shared::cta.b64 %p1, [%r1], %rd1, %r2;
//   ptx: mbarrier.pending_count.b64 %r1, %rd1;
//   name: auto token = barrier.arrive_token(); token.wait(), token.is_complete(), token.try_wait_for(ns), token.pending()
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_token(int* out) {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  auto token                = counted.arrive_token(2);
  out[0] = token.is_complete() + token.pending() + token.try_wait_for<tma::Order::relaxed, tma::Scope::cluster>(1000);
  token.wait();
}

// row: mbarrier.arrive .noComplete
//   ptx: mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd1, [%r1], %r2;
//   name: barrier.arrive_no_complete(count)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_no_complete() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  auto token                = counted.arrive_no_complete();
  token.wait();
}

// row: mbarrier.arrive_drop
//   ptx: mbarrier.arrive_drop.release.cta.shared::cta.b64 _, [%r1], %r2;
//   ptx: mbarrier.arrive_drop.relaxed.cluster.shared::cta.b64 _, [%r1], %r2;
//   name: barrier.arrive_drop<Order, Scope>(count)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_drop() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  counted.arrive_drop();
  counted.arrive_drop<tma::Order::relaxed, tma::Scope::cluster>(2);
}

// row: mbarrier.arrive_drop with a state, .noComplete
//   ptx: mbarrier.arrive_drop.release.cta.shared::cta.b64 %rd1, [%r1], %r2;
//   ptx: mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 %rd1, [%r1], %r2;
//   name: barrier.arrive_drop_token(count), barrier.arrive_drop_no_complete(count)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_drop_token() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  auto a                    = counted.arrive_drop_token();
  auto b                    = counted.arrive_drop_no_complete();
  a.wait();
  b.wait();
}

// row: mbarrier.arrive .expect_tx
//   ptx: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], %r2;
//   name: issuer.expect(tile, arrived); every load
//   tests: gpu/barriers machine/barriers
extern "C" __global__ void barrier_expect() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  auto& tile                = tma::shared<Shared>().t1;
  if (auto issuer = block.elect()) issuer.expect(tile, loaded);
}

// row: mbarrier.expect_tx
//   ptx: mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;
//   name: tma::expect_bytes(barrier, bytes)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_expect_bytes() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  tma::expect_bytes(loads, 64);
}

// row: mbarrier.complete_tx
//   ptx: mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;
//   name: tma::complete_bytes(barrier, bytes)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_complete_bytes() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  tma::complete_bytes(loads, 64);
}

// row: mbarrier.try_wait .parity
//   ptx: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;
//   name: arrived.wait()
//   tests: gpu/barriers machine/barriers codegen/barriers
extern "C" __global__ void barrier_wait() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  met.wait();
}

// row: mbarrier.test_wait .parity
//   ptx: mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], %r2;
//   name: arrived.is_complete()
//   tests: gpu/barriers machine/barriers
extern "C" __global__ void barrier_is_complete(int* out) {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  out[0]                    = met.is_complete();
}

// row: mbarrier.try_wait .parity, order, scope, time limit
//   ptx: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [%r1], %r2;
//   ptx: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], %r2, %r3;
//   name: arrived.wait<Order>(), arrived.try_wait(), arrived.try_wait_for(ns)
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_try_wait(int* out) {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  met.wait<tma::Order::relaxed>();
  out[0] = met.try_wait_for(1000);
}

// row: mbarrier.try_wait .parity .acquire.cluster
//   ptx: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2;
//   name: arrived.wait(), of tma::this_cluster
//   tests: gpu/cluster machine/cluster codegen/facts_clusters
extern "C" __global__ void barrier_wait_cluster() {
  auto& counted       = tma::shared<tma::Mbarrier<4>>();
  auto [cluster, met] = tma::this_cluster(counted);
  met.wait();
}

// row: mbarrier.arrive at a peer (shared::cluster)
//   ptx: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
//   ptx: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r1], %r2;
//   ptx: mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r1], %r2;
//   name: cluster.peer(barrier, rank).arrive<Order>(count), .arrive_drop(count)
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void barrier_arrive_peer() {
  auto& counted       = tma::shared<tma::Mbarrier<4>>();
  auto [cluster, met] = tma::this_cluster(counted);
  auto peer           = cluster.peer(counted, 1);
  peer.arrive();
  peer.arrive<tma::Order::relaxed>(2);
  peer.arrive_drop();
}

// row: mbarrier.arrive.expect_tx at a peer (shared::cluster)
//   ptx: mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r1], %r2;
//   name: issuer.send(ready, peer, peer_barrier)
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void barrier_expect_peer() {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  auto ready              = cluster.block().publish(shared.buffer);
  if (auto issuer = cluster.elect()) issuer.send(ready, cluster.peer(shared.buffer, 1), cluster.peer(shared.barrier, 1));
}

// row: mbarrier.expect_tx, .complete_tx at a peer (shared::cluster)
//   ptx: mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2;
//   ptx: mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2;
//   name: tma::expect_bytes(peer_barrier, bytes), tma::complete_bytes(peer_barrier, bytes)
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void barrier_bytes_peer() {
  auto& barrier           = tma::shared<tma::LoadBarrier>();
  auto [cluster, arrived] = tma::this_cluster(barrier);
  const auto peer         = cluster.peer(barrier, 1);
  tma::expect_bytes(peer, 64);
  tma::complete_bytes(peer, 64);
}

// row: cp.async.mbarrier.arrive, .noinc
//   ptx: cp.async.mbarrier.arrive.shared::cta.b64 [%r1];
//   ptx: cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];
//   name: barrier.wait_also_for_cp_async(), barrier.arrive_after_cp_async()
//   tests: gpu/barriers_full machine/barriers_full
extern "C" __global__ void barrier_cp_async() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
  counted.wait_also_for_cp_async();
  counted.arrive_after_cp_async();
}

// row: fence.mbarrier_init
//   ptx: fence.mbarrier_init.release.cluster;
//   name: tma::this_block(barriers...), tma::this_cluster(barriers...)
//   tests: gpu/barriers machine/barriers codegen/facts_order
extern "C" __global__ void barrier_init_fence() {
  auto& [counted, loads]    = tma::shared<Barriers>();
  auto [block, met, loaded] = tma::this_block(counted, loads);
}
