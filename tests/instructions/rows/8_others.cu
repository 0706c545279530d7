// 8 Policies, elections, launches
#include "common.hpp"

using Tile = tma::Tile<float, tma::Shape<8, 32>>;

// row: createpolicy.fractional
//   ptx: createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd1, %f1;
//   ptx: createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, %f1;
//   ptx: createpolicy.fractional.L2::evict_normal.L2::evict_unchanged.b64 %rd1, %f1;
//   ptx: createpolicy.fractional.L2::evict_unchanged.L2::evict_unchanged.b64 %rd1, %f1;
//   ptx: createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd1, %f1;
//   name: tma::evict_first(fraction), evict_last, evict_normal, evict_unchanged
//   tests: gpu/hints machine/hints codegen/forms
extern "C" __global__ void policies(unsigned long long* out, float fraction) {
  out[0] = tma::evict_first(fraction).bits();
  out[1] = tma::evict_last(fraction).bits();
  out[2] = tma::evict_normal(fraction).bits();
  out[3] = tma::evict_unchanged(fraction).bits();
  out[4] = tma::evict_last<tma::CachePriority::evict_first>(fraction).bits();
}

// row: createpolicy.range
//   ptx: createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd1, [%rd2], %r1, %r2;
//   name: tma::cache_policy_in<priority>(base, bytes, total)
//   tests: gpu/hints machine/hints
extern "C" __global__ void policy_range(unsigned long long* out, const float* base) {
  out[0] = tma::cache_policy_in<tma::CachePriority::evict_last>(base, 1 << 20, 1 << 22).bits();
}

// row: elect.sync
//   ptx: elect.sync _|%p1, 0xffffffff;
//   name: block.elect()
//   tests: gpu/election machine/election
extern "C" __global__ void elect(int* out) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) out[0] = 1;
}

// row: griddepcontrol.wait, .launch_dependents
//   ptx: griddepcontrol.wait;
//   ptx: griddepcontrol.launch_dependents;
//   name: tma::wait_for_previous_grid(), tma::let_next_grid_start()
//   tests: gpu/dependent_launch codegen/facts_clusters
extern "C" __global__ void grid_dependency() {
  tma::wait_for_previous_grid();
  tma::let_next_grid_start();
}

// row: setmaxnreg
//   ptx: setmaxnreg.inc.sync.aligned.u32 232;
//   ptx: setmaxnreg.dec.sync.aligned.u32 40;
//   name: tma::grow_registers<n>(), tma::shrink_registers<n>()
//   tests: codegen/facts_clusters
extern "C" __global__ void registers() {
  if (threadIdx.x < 128) tma::shrink_registers<40>();
  else tma::grow_registers<232>();
}

// row: clusterlaunchcontrol.try_cancel
//   ptx: clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];
//   ptx: clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rq1;
//   name: tma::request_block(issuer, request, arrived), request.answer()
//   tests: codegen/facts_launches codegen/facts_schedulers
extern "C" __global__ void launch_control(unsigned* out) {
  struct S {
    tma::BlockRequest request;
    tma::LoadBarrier  barrier;
  };
  auto& shared          = tma::shared<S>();
  auto [block, arrived] = tma::this_block(shared.barrier);
  if (auto issuer = block.elect()) tma::request_block(issuer, shared.request, arrived);
  arrived.wait();
  if (auto answer = shared.request.answer()) out[0] = answer.x;
}

// row: clusterlaunchcontrol.try_cancel .multicast::cluster::all
//   ptx: clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r1], [%r2];
//   name: tma::request_cluster(issuer, request, arrived)
//   tests: codegen/facts_launches codegen/facts_schedulers
extern "C" __global__ void launch_control_cluster() {
  struct S {
    tma::BlockRequest request;
    tma::LoadBarrier  barrier;
  };
  auto& shared            = tma::shared<S>();
  auto [cluster, arrived] = tma::this_cluster(shared.barrier);
  if (auto issuer = cluster.elect()) tma::request_cluster(issuer, shared.request, arrived);
}

// row: st.bulk
//   ptx: st.bulk.weak.shared::cta [%r1], %rd1, 0;
//   name: tma::zero(tile)
//   tests: codegen/facts_launches
extern "C" __global__ void bulk_zero() { tma::zero(tma::shared<Tile>()); }

// row: st.async .release.global
//   ptx: st.async.release.gpu.global.b32 [%rd1], %r1;
//   name: tma::release_store(flag, value)
//   tests: codegen/facts_launches
extern "C" __global__ void release_store(int* flag) { tma::release_store(flag, 1); }

// row: wgmma.fence
//   ptx: wgmma.fence.sync.aligned;
//   name: tma::wgmma_fence()
//   tests: codegen/facts_clusters
extern "C" __global__ void wgmma() { tma::wgmma_fence(); }

// row: cp.async.{ca, cg}, zeros behind the source
//   ptx: cp.async.cg.shared::cta.global [%r1], [%rd1], 16, %r2;
//   ptx: cp.async.ca.shared::cta.global [%r1], [%rd1], 8, %r2;
//   name: tma::Pipeline<Stages, tma::ThreadLoads, Tile>
//   tests: gpu/thread_loads machine/thread_loads codegen/facts_thread_loads
using ByThreads = tma::descriptor_for<tma::ThreadLoads, const float, 2, Tile>;
extern "C" __global__ void thread_loads(const __grid_constant__ ByThreads in) {
  using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile>;
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [&](const Tile&, int) {});
}
