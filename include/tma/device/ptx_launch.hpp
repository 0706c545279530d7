// What a block asks of the grid's launch, and of the SM: the next block's index, the kernel before, registers.
#pragma once

#include "../core/prologue.hpp"

#include "ptx.hpp"
#include "ptx_words.hpp"

namespace tma::inline TMA_ABI::ptx {

// --- the kernel before and the kernel after in a stream --------------------------------------------------------------

TMA_DEVICE void grid_dependency_wait() { TMA_DETAIL_ASM("griddepcontrol.wait;" :: : "memory"); }
TMA_DEVICE void grid_dependency_launch() { TMA_DETAIL_ASM("griddepcontrol.launch_dependents;" :: : "memory"); }

// --- registers of a warpgroup -----------------------------------------------------------------------------------------

template <int Registers> TMA_DEVICE void register_budget_increase() {
  static_assert(TMA_DETAIL_HAS(register_budget, detail::Indices<Registers>),
                "tma: setmaxnreg needs sm_90a, or a target of kind a or f from sm_100 on" TMA_DETAIL_COMPILING);
  if constexpr (TMA_DETAIL_HAS(register_budget, detail::Indices<Registers>))
    TMA_DETAIL_ASM("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers> TMA_DEVICE void register_budget_decrease() {
  static_assert(TMA_DETAIL_HAS(register_budget, detail::Indices<Registers>),
                "tma: setmaxnreg needs sm_90a, or a target of kind a or f from sm_100 on" TMA_DETAIL_COMPILING);
  if constexpr (TMA_DETAIL_HAS(register_budget, detail::Indices<Registers>))
    TMA_DETAIL_ASM("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

// --- what the tensor cores' own instructions need ------------------------------------------------------------------

template <class Never = void> TMA_DEVICE void wgmma_fence() {
  static_assert(TMA_DETAIL_HAS(wgmma, Never), "tma: wgmma.fence needs sm_90a" TMA_DETAIL_COMPILING);
  if constexpr (TMA_DETAIL_HAS(wgmma, Never)) TMA_DETAIL_ASM("wgmma.fence.sync.aligned;" :: : "memory");
}

// --- the index of a block that has not started -----------------------------------------------------------------------

/// Asks for it; the 16 bytes at `result` are written by the engine's proxy, and complete on `barrier`. With `Cluster`
/// in every block of the cluster at the same place.
template <bool Cluster> TMA_DEVICE void launch_try_cancel(u32 result, u32 barrier) {
  if constexpr (Cluster) {
    static_assert(TMA_DETAIL_HAS(launch_control_multicast, detail::Indices<int(Cluster)>),
                  "tma: clusterlaunchcontrol for a whole cluster needs a target of kind a or f from sm_100 on"  //
                  TMA_DETAIL_COMPILING);
    if constexpr (TMA_DETAIL_HAS(launch_control_multicast, detail::Indices<int(Cluster)>))
      TMA_DETAIL_ASM("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all"
                     ".b128 [%0], [%1];" ::"r"(result),
                     "r"(barrier) : "memory");
  } else {
    static_assert(TMA_DETAIL_HAS(launch_control, detail::Indices<int(Cluster)>),
                  "tma: clusterlaunchcontrol needs sm_100 or newer" TMA_DETAIL_COMPILING);
    if constexpr (TMA_DETAIL_HAS(launch_control, detail::Indices<int(Cluster)>))
      TMA_DETAIL_ASM(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(result),
          "r"(barrier) : "memory");
  }
}

/// Reads the answer, two words of 64 bits: whether there is a block, and its index.
template <class Index> TMA_DEVICE bool launch_query(const u64 (&answer)[2], Index& x, Index& y, Index& z) {
  static_assert(TMA_DETAIL_HAS(launch_control, Index),
                "tma: clusterlaunchcontrol needs sm_100 or newer" TMA_DETAIL_COMPILING);
  u32 given = 0;
  if constexpr (TMA_DETAIL_HAS(launch_control, Index)) {
    u32 a = 0, b = 0, c = 0;
    TMA_DETAIL_ASM("{\n\t"
                   ".reg .pred p;\n\t"
                   ".reg .b128 answer;\n\t"
                   "mov.b128 answer, {%4, %5};\n\t"
                   "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\n\t"
                   "selp.u32 %0, 1, 0, p;\n\t"
                   "mov.u32 %1, 0;\n\t"
                   "mov.u32 %2, 0;\n\t"
                   "mov.u32 %3, 0;\n\t"
                   "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, answer;\n\t"
                   "}" : "=r"(given),
                   "=r"(a), "=r"(b), "=r"(c) : "l"(answer[0]), "l"(answer[1]));
    x = Index(a), y = Index(b), z = Index(c);
  }
  return given != 0;
}

// --- stores --------------------------------------------------------------------------------------------------------

/// Zeros, `bytes` of them, a multiple of 8 at a multiple of 8, by this thread and in order with its other stores.
template <class Never = void> TMA_DEVICE void bulk_zero(u32 destination, u64 bytes) {
  static_assert(TMA_DETAIL_HAS(bulk_zero, Never), "tma: st.bulk needs sm_100 or newer" TMA_DETAIL_COMPILING);
  if constexpr (TMA_DETAIL_HAS(bulk_zero, Never))
    TMA_DETAIL_ASM("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(destination), "l"(bytes) : "memory");
}

/// A store to global memory that is a release of `S` and does not hold up the thread. Without .mmio, which a flag in memory
/// does not need, and which the assembler of 13.5 refuses for .gpu.
template <Scope S, class Bits> TMA_DEVICE void release_store(void* destination, Bits value) {
  static_assert(TMA_DETAIL_HAS(release_store, Bits), "tma: st.async.release needs sm_100 or newer" TMA_DETAIL_COMPILING);
  static_assert(S == Scope::device || S == Scope::system);
  if constexpr (!TMA_DETAIL_HAS(release_store, Bits)) return;
  else if constexpr (sizeof(Bits) == 8)
    TMA_DETAIL_ASM("st.async.release%2.global.b64 [%0], %1;" ::"l"(__cvta_generic_to_global(destination)), "l"(value),
                   "C"(ScopeText<S>::value) : "memory");
  else
    TMA_DETAIL_ASM("st.async.release%2.global.b32 [%0], %1;" ::"l"(__cvta_generic_to_global(destination)), "r"(value),
                   "C"(ScopeText<S>::value) : "memory");
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
