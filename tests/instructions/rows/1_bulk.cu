// 1 One-dimensional copies
#include "common.hpp"

using Pointer = tma::AlignedPointer<float>;

// row: cp.async.bulk.shared::cta.global
//   ptx: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];
//   name: issuer.load(chunk, buffer, arrived)
//   tests: gpu/bulk_copy machine/bulk_copy codegen/bulk_copy
extern "C" __global__ void bulk_load(Pointer in) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<64>(0), shared.buffer, arrived);
}

// row: cp.async.bulk.shared::cta.global .L2::cache_hint
//   ptx: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1], %r2, [%r3], %rd2;
//   name: issuer.load(chunk, buffer, arrived, policy)
//   tests: gpu/hints machine/hints codegen/forms
extern "C" __global__ void bulk_load_hint(Pointer in) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<64>(0), shared.buffer, arrived, tma::evict_first());
}

// row: cp.async.bulk.shared::cluster.global
//   ptx: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];
//   name: issuer.load(chunk, peer_buffer, peer_barrier)
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void bulk_load_peer(Pointer in) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  if (auto issuer = cluster.elect())
    issuer.load(in.chunk<64>(0), cluster.peer(shared.buffer, 1), cluster.peer(shared.barrier, 1));
}

// row: cp.async.bulk.shared::cluster.global .multicast::cluster
//   ptx: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], %r2, [%r3], %rs1;
//   name: issuer.load(chunk, buffer, arrived, cluster.multicast(mask))
//   tests: gpu/cluster machine/cluster codegen/clusters
extern "C" __global__ void bulk_load_multicast(Pointer in) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  if (auto issuer = cluster.elect()) issuer.load(in.chunk<64>(0), shared.buffer, arrived, cluster.everyone());
}

// row: cp.async.bulk.shared::cluster.global .multicast::cluster .L2::cache_hint
//   ptx: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1], %r2, [%r3], %rs1, %rd2;
//   name: issuer.load(chunk, buffer, arrived, cluster.multicast(mask), policy)
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void bulk_load_multicast_hint(Pointer in) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  if (auto issuer = cluster.elect())
    issuer.load(in.chunk<64>(0), shared.buffer, arrived, cluster.everyone(), tma::evict_last());
}

// row: cp.async.bulk.shared::cluster.shared::cta
//   ptx: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], %r3, [%r4];
//   name: issuer.send(ready, peer, peer_barrier)
//   tests: gpu/cluster machine/cluster codegen/clusters
extern "C" __global__ void bulk_send() {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  auto ready              = cluster.block().publish(shared.buffer);
  if (auto issuer = cluster.elect()) issuer.send(ready, cluster.peer(shared.buffer, 1), cluster.peer(shared.barrier, 1));
}

// row: cp.async.bulk.global.shared::cta
//   ptx: cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;
//   name: issuer.store(chunk, ready)
//   tests: gpu/bulk_copy machine/bulk_copy codegen/bulk_copy
extern "C" __global__ void bulk_store(Pointer out) {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.buffer);
  if (auto issuer = block.elect()) issuer.store(out.chunk<64>(0), ready);
}

// row: cp.async.bulk.global.shared::cta .L2::cache_hint
//   ptx: cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r1], %r2, %rd2;
//   name: issuer.store(chunk, ready, policy)
//   tests: gpu/hints machine/hints codegen/forms
extern "C" __global__ void bulk_store_hint(Pointer out) {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.buffer);
  if (auto issuer = block.elect()) issuer.store(out.chunk<64>(0), ready, tma::evict_first());
}

// row: cp.async.bulk.global.shared::cta .cp_mask
//   ptx: cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], %r2, %rs1;
//   name: issuer.store(chunk, ready, tma::ByteMask{bits})
//   tests: codegen/forms_blackwell
extern "C" __global__ void bulk_store_mask(Pointer out) {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.buffer);
  if (auto issuer = block.elect()) issuer.store(out.chunk<64>(0), ready, tma::ByteMask{0x0f0f});
}

// row: cp.async.bulk.global.shared::cta .cp_mask .L2::cache_hint
//   ptx: cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd1], [%r1], %r2, %rd2, %rs1;
//   name: issuer.store(chunk, ready, tma::ByteMask{bits}, policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void bulk_store_mask_hint(Pointer out) {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.buffer);
  if (auto issuer = block.elect()) issuer.store(out.chunk<64>(0), ready, tma::ByteMask{0x0f0f}, tma::evict_first());
}

// row: cp.async.bulk.prefetch.L2.global
//   ptx: cp.async.bulk.prefetch.L2.global [%rd1], %r1;
//   name: issuer.prefetch(chunk)
//   tests: gpu/prefetch machine/prefetch codegen/forms
extern "C" __global__ void bulk_prefetch(Pointer in) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) issuer.prefetch(in.chunk<64>(0));
}

// row: cp.async.bulk.prefetch.L2.global .L2::cache_hint
//   ptx: cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], %r1, %rd2;
//   name: issuer.prefetch(chunk, policy)
//   tests: gpu/prefetch machine/prefetch
extern "C" __global__ void bulk_prefetch_hint(Pointer in) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) issuer.prefetch(in.chunk<64>(0), tma::evict_last());
}
