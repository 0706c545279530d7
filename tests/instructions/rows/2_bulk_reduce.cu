// 2 One-dimensional reductions
#include "common.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Pointers {
  void*                         to;
  template <class T> __device__ tma::AlignedPointer<T> of() const { return tma::assume_aligned(static_cast<T*>(to)); }
};

template <tma::Reduction Op, class T, class... Policy>
__device__ void reduce_one(const Pointers& to, const Policy&... policy) {
  auto& buffer = tma::shared<tma::Buffer<T, 64>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(buffer);
  if (auto issuer = block.elect()) issuer.template reduce<Op>(to.of<T>().template chunk<64>(0), ready, policy...);
}
template <tma::Reduction Op, class... T, class... Policy>
__device__ void reduce_all(const Pointers& to, const Policy&... policy) {
  (reduce_one<Op, T>(to, policy...), ...);
}

template <class T> struct Receiver {
  tma::Buffer<T, 64> from, to;
  tma::LoadBarrier   barrier;
};
template <tma::Reduction Op, class T> __device__ void reduce_peer() {
  auto& shared            = tma::shared<Receiver<T>>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  auto ready              = cluster.block().publish(shared.from);
  if (auto issuer = cluster.elect())
    issuer.template reduce<Op>(cluster.peer(shared.to, 1), ready, cluster.peer(shared.barrier, 1));
}
template <tma::Reduction Op, class... T> __device__ void reduce_peer_all() { (reduce_peer<Op, T>(), ...); }

// row: cp.reduce.async.bulk.global.shared::cta .add {u32, s32, u64, noftz.f16, noftz.bf16, f32, f64}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::add>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_add(Pointers to) {
  reduce_all<tma::Reduction::add, unsigned, int, unsigned long long, long long, __half, __nv_bfloat16, float, double>(to);
}

// row: cp.reduce.async.bulk.global.shared::cta .min {u32, s32, u64, s64, f16, bf16}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u64 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::min>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_min(Pointers to) {
  reduce_all<tma::Reduction::min, unsigned, int, unsigned long long, long long, __half, __nv_bfloat16>(to);
}

// row: cp.reduce.async.bulk.global.shared::cta .max {u32, s32, u64, s64, f16, bf16}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::max>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_max(Pointers to) {
  reduce_all<tma::Reduction::max, unsigned, int, unsigned long long, long long, __half, __nv_bfloat16>(to);
}

// row: cp.reduce.async.bulk.global.shared::cta .inc {u32}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::inc>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_inc(Pointers to) { reduce_all<tma::Reduction::inc, unsigned>(to); }

// row: cp.reduce.async.bulk.global.shared::cta .dec {u32}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::dec>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_dec(Pointers to) { reduce_all<tma::Reduction::dec, unsigned>(to); }

// row: cp.reduce.async.bulk.global.shared::cta .and {b32, b64}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b64 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::bit_and>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_bit_and(Pointers to) {
  reduce_all<tma::Reduction::bit_and, unsigned, int, unsigned long long, long long>(to);
}

// row: cp.reduce.async.bulk.global.shared::cta .or {b32, b64}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::bit_or>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_bit_or(Pointers to) {
  reduce_all<tma::Reduction::bit_or, unsigned, int, unsigned long long, long long>(to);
}

// row: cp.reduce.async.bulk.global.shared::cta .xor {b32, b64}
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%rd1], [%r1], %r2;
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%rd1], [%r1], %r2;
//   name: issuer.reduce<tma::Reduction::bit_xor>(chunk, ready)
//   tests: gpu/reduce machine/reduce codegen/forms codegen/facts_reductions
extern "C" __global__ void bulk_reduce_bit_xor(Pointers to) {
  reduce_all<tma::Reduction::bit_xor, unsigned, int, unsigned long long, long long>(to);
}

// row: cp.reduce.async.bulk.global.shared::cta .L2::cache_hint
//   ptx: cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [%rd1], [%r1], %r2, %rd2;
//   name: issuer.reduce<op>(chunk, ready, policy)
//   tests: gpu/hints machine/hints
extern "C" __global__ void bulk_reduce_hint(Pointers to) { reduce_all<tma::Reduction::add, float>(to, tma::evict_last()); }

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .add {u32, s32, u64}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r2], %r3, [%r4];
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 [%r1], [%r2], %r3, [%r4];
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::add>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_add() {
  reduce_peer_all<tma::Reduction::add, unsigned, int, unsigned long long, long long>();
}

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .min {u32, s32}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u32 [%r1], [%r2], %r3, [%r4];
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::min>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_min() { reduce_peer_all<tma::Reduction::min, unsigned, int>(); }

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .max {u32, s32}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u32 [%r1], [%r2], %r3, [%r4];
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::max>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_max() { reduce_peer_all<tma::Reduction::max, unsigned, int>(); }

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .inc {u32}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::inc>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_inc() { reduce_peer_all<tma::Reduction::inc, unsigned>(); }

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .dec {u32}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.dec.u32 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::dec>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_dec() { reduce_peer_all<tma::Reduction::dec, unsigned>(); }

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .and {b32}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::bit_and>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_bit_and() { reduce_peer_all<tma::Reduction::bit_and, unsigned, int>(); }

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .or {b32}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.or.b32 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::bit_or>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_bit_or() { reduce_peer_all<tma::Reduction::bit_or, unsigned, int>(); }

// row: cp.reduce.async.bulk.shared::cluster.shared::cta .xor {b32}
//   ptx: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b32 [%r1], [%r2], %r3, [%r4];
//   name: issuer.reduce<tma::Reduction::bit_xor>(peer, ready, peer_barrier)
//   tests: gpu/peers machine/peers
extern "C" __global__ void peer_reduce_bit_xor() { reduce_peer_all<tma::Reduction::bit_xor, unsigned, int>(); }
