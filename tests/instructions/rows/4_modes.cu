// 4 Tensor copies of pixels and of rows
#include "common.hpp"

using Column = tma::Tile<unsigned, tma::Shape<64, 32>>;
using Whole  = tma::Tile<unsigned, tma::Shape<128, 16>, tma::Swizzle::bytes_64>;
using Four   = tma::Tile<unsigned, tma::Shape<4, 32>>;

template <template <class> class Kind, class Tile> struct Convolution {
  tma::TmaDescriptor<unsigned, 3, Kind<Tile>> r3;
  tma::TmaDescriptor<unsigned, 4, Kind<Tile>> r4;
  tma::TmaDescriptor<unsigned, 5, Kind<Tile>> r5;
};
using Im2col     = Convolution<tma::Im2col, Column>;
using Im2colW    = Convolution<tma::Im2colW, Whole>;
using Im2colW128 = Convolution<tma::Im2colW128, Whole>;
using Table      = tma::TmaDescriptor<unsigned, 2, tma::Rows4<Four>>;

template <class Tile> struct Pixels {
  Tile             tile;
  tma::LoadBarrier barrier;
};

template <class Maps, class F> __device__ void each_im2col(const Maps& maps, F&& f) {
  f(maps.r3, tma::Im2colCoord<3>{{0, 0, 0}, {1}});
  f(maps.r4, tma::Im2colCoord<4>{{0, 0, 0, 0}, {1, 2}});
  f(maps.r5, tma::Im2colCoord<5>{{0, 0, 0, 0, 0}, {1, 2, 3}});
}
template <class Maps, class F> __device__ void each_im2col_inside(const Maps& maps, F&& f) {
  f(maps.r3, tma::Im2colCoord<3>{{0, 0, 0}});
  f(maps.r4, tma::Im2colCoord<4>{{0, 0, 0, 0}});
  f(maps.r5, tma::Im2colCoord<5>{{0, 0, 0, 0, 0}});
}
template <class Maps, class F> __device__ void each_im2col_w(const Maps& maps, F&& f) {
  f(maps.r3, tma::Im2colWCoord<3>{{0, 0, 0}, 1});
  f(maps.r4, tma::Im2colWCoord<4>{{0, 0, 0, 0}, 1});
  f(maps.r5, tma::Im2colWCoord<5>{{0, 0, 0, 0, 0}, 1});
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {@C}], [%r2], {@O};
//   name: issuer.load(Im2col descriptor, tma::Im2colCoord{at, offsets}, tile, arrived)
//   tests: gpu/im2col machine/im2col codegen/forms
extern "C" __global__ void im2col_load(const __grid_constant__ Im2col maps) {
  auto& shared          = tma::shared<Pixels<Column>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, {@C}], [%r2], {@O}, %rd2;
//   name: issuer.load(Im2col descriptor, tma::Im2colCoord{at, offsets}, tile, arrived, policy)
//   tests: gpu/im2col machine/im2col codegen/forms
extern "C" __global__ void im2col_load_hint(const __grid_constant__ Im2col maps) {
  auto& shared          = tma::shared<Pixels<Column>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  const auto policy     = tma::evict_first();
  if (auto issuer = block.elect())
    each_im2col(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, policy); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cluster.global.im2col .multicast::cluster
//   ptx: cp.async.bulk.tensor.@R3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {@C}], [%r2], {@O}, %rs1;
//   name: issuer.load(Im2col descriptor, tma::Im2colCoord{at, offsets}, tile, arrived, cluster.multicast(mask))
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_load_multicast(const __grid_constant__ Im2col maps) {
  auto& shared            = tma::shared<Pixels<Column>>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  const auto all          = cluster.everyone();
  if (auto issuer = cluster.elect())
    each_im2col(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, all); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col .cta_group::1
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.cta_group::1 [%r1], [%rd1, {@C}], [%r2], {@O};
//   name: issuer.load(Im2col descriptor, tma::Im2colCoord{at, offsets}, tile, arrived, tma::cta_group<1>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_load_group_1(const __grid_constant__ Im2col maps) {
  auto& shared          = tma::shared<Pixels<Column>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, tma::cta_group<1>()); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cluster.global.im2col .cta_group::2
//   ptx: cp.async.bulk.tensor.@R3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.cta_group::2 [%r1], [%rd1, {@C}], [%r2], {@O};
//   name: issuer.load(Im2col descriptor, tma::Im2colCoord{at, offsets}, tile, arrived, tma::cta_group<2>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_load_group_2(const __grid_constant__ Im2col maps) {
  auto& shared          = tma::shared<Pixels<Column>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, tma::cta_group<2>()); });
}

// row: cp.async.bulk.prefetch.tensor.{3-5}d.L2.global.im2col
//   ptx: cp.async.bulk.prefetch.tensor.@R3d.L2.global.im2col [%rd1, {@C}], {@O};
//   name: issuer.prefetch(Im2col descriptor, tma::Im2colCoord{at, offsets})
//   tests: gpu/im2col machine/im2col codegen/forms
extern "C" __global__ void im2col_prefetch(const __grid_constant__ Im2col maps) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) each_im2col(maps, [&](auto& map, auto at) { issuer.prefetch(map, at); });
}

// row: cp.async.bulk.prefetch.tensor.{3-5}d.L2.global.im2col .L2::cache_hint
//   ptx: cp.async.bulk.prefetch.tensor.@R3d.L2.global.im2col.L2::cache_hint [%rd1, {@C}], {@O}, %rd2;
//   name: issuer.prefetch(Im2col descriptor, tma::Im2colCoord{at, offsets}, policy)
//   tests: gpu/im2col machine/im2col codegen/forms
extern "C" __global__ void im2col_prefetch_hint(const __grid_constant__ Im2col maps) {
  auto       block  = tma::this_block();
  const auto policy = tma::evict_last();
  if (auto issuer = block.elect()) each_im2col(maps, [&](auto& map, auto at) { issuer.prefetch(map, at, policy); });
}

// row: cp.async.bulk.tensor.{3-5}d.global.shared::cta.im2col_no_offs
//   ptx: cp.async.bulk.tensor.@R3d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.store(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col codegen/forms
extern "C" __global__ void im2col_store(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect()) each_im2col_inside(maps, [&](auto& map, auto at) { issuer.store(map, at, ready); });
}

// row: cp.async.bulk.tensor.{3-5}d.global.shared::cta.im2col_no_offs .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@R3d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [%rd1, {@C}], [%r1], %rd2;
//   name: issuer.store(Im2col descriptor, tma::Im2colCoord{at}, ready, policy)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_store_hint(const __grid_constant__ Im2col maps) {
  auto&      shared = tma::shared<Pixels<Column>>();
  auto       block  = tma::this_block();
  auto       ready  = block.publish(shared.tile);
  const auto policy = tma::evict_first();
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.store(map, at, ready, policy); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .add .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.add.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::add>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_add(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::add>(map, at, ready); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .min .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.min.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::min>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_min(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::min>(map, at, ready); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .max .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.max.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::max>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_max(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::max>(map, at, ready); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .inc .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.inc.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::inc>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_inc(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::inc>(map, at, ready); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .dec .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.dec.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::dec>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_dec(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::dec>(map, at, ready); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .and .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.and.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::bit_and>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_bit_and(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::bit_and>(map, at, ready); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .or .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.or.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::bit_or>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_bit_or(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::bit_or>(map, at, ready); });
}

// row: cp.reduce.async.bulk.tensor.{3-5}d.global.shared::cta .xor .im2col_no_offs
//   ptx: cp.reduce.async.bulk.tensor.@R3d.global.shared::cta.xor.im2col_no_offs.bulk_group [%rd1, {@C}], [%r1];
//   name: issuer.reduce<tma::Reduction::bit_xor>(Im2col descriptor, tma::Im2colCoord{at}, ready)
//   tests: gpu/im2col machine/im2col
extern "C" __global__ void im2col_reduce_bit_xor(const __grid_constant__ Im2col maps) {
  auto& shared = tma::shared<Pixels<Column>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect())
    each_im2col_inside(maps, [&](auto& map, auto at) { issuer.reduce<tma::Reduction::bit_xor>(map, at, ready); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col::w
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2};
//   name: issuer.load(Im2colW descriptor, tma::Im2colWCoord{at, offset}, tile, arrived)
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_load(const __grid_constant__ Im2colW maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col::w .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2}, %rd2;
//   name: issuer.load(Im2colW descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_load_hint(const __grid_constant__ Im2colW maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  const auto policy     = tma::evict_first();
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, policy); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cluster.global.im2col::w .multicast::cluster
//   ptx: cp.async.bulk.tensor.@R3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2}, %rs1;
//   name: issuer.load(Im2colW descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, cluster.multicast(mask))
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_load_multicast(const __grid_constant__ Im2colW maps) {
  auto& shared            = tma::shared<Pixels<Whole>>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  const auto all          = cluster.everyone();
  if (auto issuer = cluster.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, all); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col::w .cta_group::1
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.cta_group::1 [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2};
//   name: issuer.load(Im2colW descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, tma::cta_group<1>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_load_group_1(const __grid_constant__ Im2colW maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, tma::cta_group<1>()); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cluster.global.im2col::w .cta_group::2
//   ptx: cp.async.bulk.tensor.@R3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.cta_group::2 [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2};
//   name: issuer.load(Im2colW descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, tma::cta_group<2>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_load_group_2(const __grid_constant__ Im2colW maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, tma::cta_group<2>()); });
}

// row: cp.async.bulk.prefetch.tensor.{3-5}d.L2.global.im2col::w
//   ptx: cp.async.bulk.prefetch.tensor.@R3d.L2.global.im2col::w [%rd1, {@C}], {%rs1, %rs2};
//   name: issuer.prefetch(Im2colW descriptor, tma::Im2colWCoord{at, offset})
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_prefetch(const __grid_constant__ Im2colW maps) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) each_im2col_w(maps, [&](auto& map, auto at) { issuer.prefetch(map, at); });
}

// row: cp.async.bulk.prefetch.tensor.{3-5}d.L2.global.im2col::w .L2::cache_hint
//   ptx: cp.async.bulk.prefetch.tensor.@R3d.L2.global.im2col::w.L2::cache_hint [%rd1, {@C}], {%rs1, %rs2}, %rd2;
//   name: issuer.prefetch(Im2colW descriptor, tma::Im2colWCoord{at, offset}, policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_prefetch_hint(const __grid_constant__ Im2colW maps) {
  auto       block  = tma::this_block();
  const auto policy = tma::evict_last();
  if (auto issuer = block.elect()) each_im2col_w(maps, [&](auto& map, auto at) { issuer.prefetch(map, at, policy); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col::w::128
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2};
//   name: issuer.load(Im2colW128 descriptor, tma::Im2colWCoord{at, offset}, tile, arrived)
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_128_load(const __grid_constant__ Im2colW128 maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col::w::128 .L2::cache_hint
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2}, %rd2;
//   name: issuer.load(Im2colW128 descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_128_load_hint(const __grid_constant__ Im2colW128 maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  const auto policy     = tma::evict_first();
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, policy); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cluster.global.im2col::w::128 .multicast::cluster
//   ptx: cp.async.bulk.tensor.@R3d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2}, %rs1;
//   name: issuer.load(Im2colW128 descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, cluster.multicast(mask))
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_128_load_multicast(const __grid_constant__ Im2colW128 maps) {
  auto& shared            = tma::shared<Pixels<Whole>>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  const auto all          = cluster.everyone();
  if (auto issuer = cluster.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, all); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cta.global.im2col::w::128 .cta_group::1
//   ptx: cp.async.bulk.tensor.@R3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes.cta_group::1 [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2};
//   name: issuer.load(Im2colW128 descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, tma::cta_group<1>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_128_load_group_1(const __grid_constant__ Im2colW128 maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, tma::cta_group<1>()); });
}

// row: cp.async.bulk.tensor.{3-5}d.shared::cluster.global.im2col::w::128 .cta_group::2
//   ptx: cp.async.bulk.tensor.@R3d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes.cta_group::2 [%r1], [%rd1, {@C}], [%r2], {%rs1, %rs2};
//   name: issuer.load(Im2colW128 descriptor, tma::Im2colWCoord{at, offset}, tile, arrived, tma::cta_group<2>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_128_load_group_2(const __grid_constant__ Im2colW128 maps) {
  auto& shared          = tma::shared<Pixels<Whole>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect())
    each_im2col_w(maps, [&](auto& map, auto at) { issuer.load(map, at, shared.tile, shared.barrier, tma::cta_group<2>()); });
}

// row: cp.async.bulk.prefetch.tensor.{3-5}d.L2.global.im2col::w::128
//   ptx: cp.async.bulk.prefetch.tensor.@R3d.L2.global.im2col::w::128 [%rd1, {@C}], {%rs1, %rs2};
//   name: issuer.prefetch(Im2colW128 descriptor, tma::Im2colWCoord{at, offset})
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_128_prefetch(const __grid_constant__ Im2colW128 maps) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) each_im2col_w(maps, [&](auto& map, auto at) { issuer.prefetch(map, at); });
}

// row: cp.async.bulk.prefetch.tensor.{3-5}d.L2.global.im2col::w::128 .L2::cache_hint
//   ptx: cp.async.bulk.prefetch.tensor.@R3d.L2.global.im2col::w::128.L2::cache_hint [%rd1, {@C}], {%rs1, %rs2}, %rd2;
//   name: issuer.prefetch(Im2colW128 descriptor, tma::Im2colWCoord{at, offset}, policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void im2col_w_128_prefetch_hint(const __grid_constant__ Im2colW128 maps) {
  auto       block  = tma::this_block();
  const auto policy = tma::evict_last();
  if (auto issuer = block.elect()) each_im2col_w(maps, [&](auto& map, auto at) { issuer.prefetch(map, at, policy); });
}

// row: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4
//   ptx: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r20, %r21, %r22, %r23, %r24}], [%r2];
//   name: issuer.load(Rows4 descriptor, tma::rows(...), tile, arrived)
//   tests: codegen/forms_blackwell
extern "C" __global__ void gather4_load(const __grid_constant__ Table table) {
  auto& shared          = tma::shared<Pixels<Four>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect()) issuer.load(table, tma::rows(3, 1, 4, 1, 0), shared.tile, arrived);
}

// row: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4 .L2::cache_hint
//   ptx: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, {%r20, %r21, %r22, %r23, %r24}], [%r2], %rd2;
//   name: issuer.load(Rows4 descriptor, tma::rows(...), tile, arrived, policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void gather4_load_hint(const __grid_constant__ Table table) {
  auto& shared          = tma::shared<Pixels<Four>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect()) issuer.load(table, tma::rows(3, 1, 4, 1, 0), shared.tile, arrived, tma::evict_first());
}

// row: cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4 .multicast::cluster
//   ptx: cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r20, %r21, %r22, %r23, %r24}], [%r2], %rs1;
//   name: issuer.load(Rows4 descriptor, tma::rows(...), tile, arrived, cluster.multicast(mask))
//   tests: codegen/forms_blackwell
extern "C" __global__ void gather4_load_multicast(const __grid_constant__ Table table) {
  auto& shared            = tma::shared<Pixels<Four>>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  if (auto issuer = cluster.elect()) issuer.load(table, tma::rows(3, 1, 4, 1, 0), shared.tile, arrived, cluster.everyone());
}

// row: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4 .cta_group::1
//   ptx: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::1 [%r1], [%rd1, {%r20, %r21, %r22, %r23, %r24}], [%r2];
//   name: issuer.load(Rows4 descriptor, tma::rows(...), tile, arrived, tma::cta_group<1>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void gather4_load_group_1(const __grid_constant__ Table table) {
  auto& shared          = tma::shared<Pixels<Four>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect()) issuer.load(table, tma::rows(3, 1, 4, 1, 0), shared.tile, arrived, tma::cta_group<1>());
}

// row: cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4 .cta_group::2
//   ptx: cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::2 [%r1], [%rd1, {%r20, %r21, %r22, %r23, %r24}], [%r2];
//   name: issuer.load(Rows4 descriptor, tma::rows(...), tile, arrived, tma::cta_group<2>())
//   tests: codegen/forms_blackwell
extern "C" __global__ void gather4_load_group_2(const __grid_constant__ Table table) {
  auto& shared          = tma::shared<Pixels<Four>>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect()) issuer.load(table, tma::rows(3, 1, 4, 1, 0), shared.tile, arrived, tma::cta_group<2>());
}

// row: cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4
//   ptx: cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd1, {%r20, %r21, %r22, %r23, %r24}];
//   name: issuer.prefetch(Rows4 descriptor, tma::rows(...))
//   tests: codegen/forms_blackwell
extern "C" __global__ void gather4_prefetch(const __grid_constant__ Table table) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) issuer.prefetch(table, tma::rows(3, 1, 4, 1, 0));
}

// row: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4
//   ptx: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {%r20, %r21, %r22, %r23, %r24}], [%r1];
//   name: issuer.store(Rows4 descriptor, tma::rows(...), ready)
//   tests: codegen/forms_blackwell
extern "C" __global__ void scatter4_store(const __grid_constant__ Table table) {
  auto& shared = tma::shared<Pixels<Four>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect()) issuer.store(table, tma::rows(3, 1, 4, 1, 0), ready);
}

// row: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4 .L2::cache_hint
//   ptx: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group.L2::cache_hint [%rd1, {%r20, %r21, %r22, %r23, %r24}], [%r1], %rd2;
//   name: issuer.store(Rows4 descriptor, tma::rows(...), ready, policy)
//   tests: codegen/forms_blackwell
extern "C" __global__ void scatter4_store_hint(const __grid_constant__ Table table) {
  auto& shared = tma::shared<Pixels<Four>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(shared.tile);
  if (auto issuer = block.elect()) issuer.store(table, tma::rows(3, 1, 4, 1, 0), ready, tma::evict_first());
}
