// 3 Tensor copies of boxes
#include "common.hpp"

// row: cp.async.bulk.tensor.{1-5}d.shared::cta.global.tile
//   ptx: cp.async.bulk.tensor.@Rd.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {@C}], [%r2];
//   name: issuer.load(descriptor, at, tile, arrived)
//   tests: gpu/tensor_ranks machine/tensor_ranks codegen/tensor
extern "C" __global__ void tile_load(const __grid_constant__ Maps<float> maps) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier); });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cta.global.tile .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@Rd.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, {@C}], [%r2], %rd2;
//   name: issuer.load(descriptor, at, tile, arrived, policy)
//   tests: gpu/hints machine/hints codegen/forms
extern "C" __global__ void tile_load_hint(const __grid_constant__ Maps<float> maps) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  const auto policy     = tma::evict_first();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier, policy); });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cluster.global.tile
//   ptx: cp.async.bulk.tensor.@Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {@C}], [%r2];
//   name: issuer.load(descriptor, at, peer_tile, peer_barrier)
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void tile_load_peer(const __grid_constant__ Maps<float> maps) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  if (auto issuer = cluster.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) {
      issuer.load(map, at, cluster.peer(tile, 1), cluster.peer(shared.barrier, 1));
    });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cluster.global.tile .multicast::cluster
//   ptx: cp.async.bulk.tensor.@Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {@C}], [%r2], %rs1;
//   name: issuer.load(descriptor, at, tile, arrived, cluster.multicast(mask))
//   tests: gpu/cluster machine/cluster codegen/clusters
extern "C" __global__ void tile_load_multicast(const __grid_constant__ Maps<float> maps) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  const auto all          = cluster.everyone();
  if (auto issuer = cluster.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier, all); });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cluster.global.tile .multicast::cluster .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1, {@C}], [%r2], %rs1, %rd2;
//   name: issuer.load(descriptor, at, tile, arrived, cluster.multicast(mask), policy)
//   tests: gpu/cluster machine/cluster
extern "C" __global__ void tile_load_multicast_hint(const __grid_constant__ Maps<float> maps) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  const auto all          = cluster.everyone();
  const auto policy       = tma::evict_last();
  if (auto issuer = cluster.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier, all, policy); });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cta.global.tile .cta_group::1
//   ptx: cp.async.bulk.tensor.@Rd.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%r1], [%rd1, {@C}], [%r2];
//   name: issuer.load(descriptor, at, tile, arrived, tma::cta_group<1>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void tile_load_group_1(const __grid_constant__ Maps<float> maps) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier, tma::cta_group<1>()); });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cta.global.tile .cta_group::1 .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@Rd.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1.L2::cache_hint [%r1], [%rd1, {@C}], [%r2], %rd2;
//   name: issuer.load(descriptor, at, tile, arrived, tma::cta_group<1>(), policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void tile_load_group_1_hint(const __grid_constant__ Maps<float> maps) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  const auto policy     = tma::evict_first();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) {
      issuer.load(map, at, tile, shared.barrier, tma::cta_group<1>(), policy);
    });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cluster.global.tile .multicast::cluster .cta_group::1
//   ptx: cp.async.bulk.tensor.@Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::1 [%r1], [%rd1, {@C}], [%r2], %rs1;
//   name: issuer.load(descriptor, at, tile, arrived, cluster.multicast(mask), tma::cta_group<1>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void tile_load_multicast_group_1(const __grid_constant__ Maps<float> maps) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  const auto all          = cluster.everyone();
  if (auto issuer = cluster.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier, all, tma::cta_group<1>()); });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cluster.global.tile .cta_group::2
//   ptx: cp.async.bulk.tensor.@Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%r1], [%rd1, {@C}], [%r2];
//   name: issuer.load(descriptor, at, tile, arrived, tma::cta_group<2>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void tile_load_group_2(const __grid_constant__ Maps<float> maps) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier, tma::cta_group<2>()); });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cluster.global.tile .cta_group::2 .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2.L2::cache_hint [%r1], [%rd1, {@C}], [%r2], %rd2;
//   name: issuer.load(descriptor, at, tile, arrived, tma::cta_group<2>(), policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void tile_load_group_2_hint(const __grid_constant__ Maps<float> maps) {
  auto& shared          = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  const auto policy     = tma::evict_first();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) {
      issuer.load(map, at, tile, shared.barrier, tma::cta_group<2>(), policy);
    });
}

// row: cp.async.bulk.tensor.{1-5}d.shared::cluster.global.tile .multicast::cluster .cta_group::2
//   ptx: cp.async.bulk.tensor.@Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [%r1], [%rd1, {@C}], [%r2], %rs1;
//   name: issuer.load(descriptor, at, tile, arrived, cluster.multicast(mask), tma::cta_group<2>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void tile_load_multicast_group_2(const __grid_constant__ Maps<float> maps) {
  auto& shared            = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  const auto all          = cluster.everyone();
  if (auto issuer = cluster.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.load(map, at, tile, shared.barrier, all, tma::cta_group<2>()); });
}

// row: cp.async.bulk.tensor.{1-5}d.global.shared::cta.tile
//   ptx: cp.async.bulk.tensor.@Rd.global.shared::cta.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.store(descriptor, at, ready)
//   tests: gpu/tensor_ranks machine/tensor_ranks codegen/stores
extern "C" __global__ void tile_store(const __grid_constant__ Maps<float> maps) {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) { issuer.store(map, at, tma::as_loaded(tile)); });
}

// row: cp.async.bulk.tensor.{1-5}d.global.shared::cta.tile .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@Rd.global.shared::cta.tile.bulk_group.L2::cache_hint [%rd1, {@C}], [%r1], %rd2;
//   name: issuer.store(descriptor, at, ready, policy)
//   tests: gpu/hints machine/hints codegen/forms
extern "C" __global__ void tile_store_hint(const __grid_constant__ Maps<float> maps) {
  auto&      shared = tma::shared<Shared>();
  auto       block  = tma::this_block();
  const auto policy = tma::evict_first();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) { issuer.store(map, at, tma::as_loaded(tile), policy); });
}

// row: cp.async.bulk.prefetch.tensor.{1-5}d.L2.global.tile
//   ptx: cp.async.bulk.prefetch.tensor.@Rd.L2.global.tile [%rd1, {@C}];
//   name: issuer.prefetch(descriptor, at)
//   tests: gpu/prefetch machine/prefetch codegen/forms
extern "C" __global__ void tile_prefetch(const __grid_constant__ Maps<float> maps) {
  auto& shared = tma::shared<Shared>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) { issuer.prefetch(map, at); });
}

// row: cp.async.bulk.prefetch.tensor.{1-5}d.L2.global.tile .L2::cache_hint
//   ptx: cp.async.bulk.prefetch.tensor.@Rd.L2.global.tile.L2::cache_hint [%rd1, {@C}], %rd2;
//   name: issuer.prefetch(descriptor, at, policy)
//   tests: gpu/prefetch machine/prefetch
extern "C" __global__ void tile_prefetch_hint(const __grid_constant__ Maps<float> maps) {
  auto&      shared = tma::shared<Shared>();
  auto       block  = tma::this_block();
  const auto policy = tma::evict_last();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) { issuer.prefetch(map, at, policy); });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .add .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.add.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::add>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_add(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.reduce<tma::Reduction::add>(map, at, tma::as_loaded(tile)); });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .min .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.min.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::min>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_min(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.reduce<tma::Reduction::min>(map, at, tma::as_loaded(tile)); });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .max .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.max.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::max>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_max(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.reduce<tma::Reduction::max>(map, at, tma::as_loaded(tile)); });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .inc .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.inc.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::inc>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_inc(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.reduce<tma::Reduction::inc>(map, at, tma::as_loaded(tile)); });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .dec .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.dec.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::dec>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_dec(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.reduce<tma::Reduction::dec>(map, at, tma::as_loaded(tile)); });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .and .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.and.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::bit_and>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_bit_and(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) {
      issuer.reduce<tma::Reduction::bit_and>(map, at, tma::as_loaded(tile));
    });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .or .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.or.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::bit_or>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_bit_or(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared,
              [&](auto& map, auto at, auto& tile) { issuer.reduce<tma::Reduction::bit_or>(map, at, tma::as_loaded(tile)); });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .xor .tile
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.xor.tile.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::bit_xor>(descriptor, at, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void tile_reduce_bit_xor(const __grid_constant__ Maps<unsigned> maps) {
  auto& shared = tma::shared<SharedOf<unsigned>>();
  auto  block  = tma::this_block();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) {
      issuer.reduce<tma::Reduction::bit_xor>(map, at, tma::as_loaded(tile));
    });
}

// row: cp.reduce.async.bulk.tensor.{1-5}d.global.shared::cta .add .tile .L2::cache_hint
//   ptx: cp.reduce.async.bulk.tensor.@Rd.global.shared::cta.add.tile.bulk_group.L2::cache_hint [%rd1, {@C}], [%r1], %rd2;
//   name: issuer.reduce<op>(descriptor, at, ready, policy)
//   tests: gpu/hints machine/hints
extern "C" __global__ void tile_reduce_hint(const __grid_constant__ Maps<unsigned> maps) {
  auto&      shared = tma::shared<SharedOf<unsigned>>();
  auto       block  = tma::this_block();
  const auto policy = tma::evict_first();
  if (auto issuer = block.elect())
    each_rank(maps, shared, [&](auto& map, auto at, auto& tile) {
      issuer.reduce<tma::Reduction::add>(map, at, tma::as_loaded(tile), policy);
    });
}
