// The instructions: the only room with inline assembly, and the only one that reads thread indices or addresses.
//
// Each function is one instruction. It takes shared memory as 32-bit shared-window addresses (`shared_address`) and
// global memory and tensor maps as generic pointers. Whatever orders memory for the caller has the "memory" clobber,
// so that the compiler moves no access across it. Destinations are `.shared::cta` unless the form says that a cluster is
// meant. (A checked build notes what is done to a barrier before it is: TMA_DETAIL_NOTE.)
#pragma once

#include "../core/prologue.hpp"

#include "../core/config.hpp"
#include "../core/meta.hpp"
#include "ptx_where.hpp"

#if defined(TMA_DETAIL_WATCHED)
#  include "barrier_notes.hpp"
#endif

namespace tma::inline TMA_ABI::ptx {

// --- threads that meet ---------------------------------------------------------------------------------------------

/// True in exactly one of the warp's running threads, the same one at every call. All of them must call it together. (Before
/// sm_90: in the warp's first thread.)
TMA_DEVICE bool elect_sync() {
  u32 elected = 0;
#if defined(TMA_DETAIL_BEFORE_SM_90)
  TMA_DETAIL_ASM_80("mov.u32 %0, %%laneid;" : "=r"(elected));
  return elected == 0;
#else
  TMA_DETAIL_ASM("{\n\t"
                 ".reg .pred p;\n\t"
                 "elect.sync _|p, 0xffffffff;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}" : "=r"(elected));
  return elected != 0;
#endif
}

TMA_DEVICE void sync_block() { __syncthreads(); }
TMA_DEVICE void sync_warp() { __syncwarp(); }
// A value that all lanes have, in a form that the compiler knows to be the same for all: matrix instructions take their
// operands from uniform registers, and a value that is not known to be uniform is moved there anew before each.
TMA_DEVICE u32 uniform(u32 value) { return __shfl_sync(0xffffffffu, value, 0); }

/// Named barrier `id` (1 to 15) among `threads` threads, a multiple of 32.
TMA_DEVICE void sync_threads(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

// --- mbarrier ------------------------------------------------------------------------------------------------------

TMA_DEVICE void mbarrier_init(u32 barrier, u32 arrivals) {
  TMA_DETAIL_NOTE(initialised(barrier, arrivals));
  TMA_DETAIL_ASM_80("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

TMA_DEVICE void mbarrier_inval(u32 barrier) {
  TMA_DETAIL_NOTE(invalidated(barrier));
  TMA_DETAIL_ASM_80("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

TMA_DEVICE void mbarrier_arrive(u32 barrier) {
  TMA_DETAIL_NOTE(arrivals(barrier, 1, 0));
  TMA_DETAIL_ASM_80("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

TMA_DEVICE void mbarrier_arrive_expect_tx(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(arrivals(barrier, 1, bytes));
  TMA_DETAIL_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// `x`, as a value that the compiler knows nothing of. No instruction.
TMA_DEVICE u32 opaque(u32 x) {
  asm("" : "+r"(x));
  return x;
}

/// True once the phase with this parity has completed. Does not suspend the thread.
TMA_DEVICE bool mbarrier_test_wait(u32 barrier, u32 parity) {
  u32 done = 0;
  TMA_DETAIL_ASM_80("{\n\t"
                    ".reg .pred p;\n\t"
                    "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                    "selp.u32 %0, 1, 0, p;\n\t"
                    "}" : "=r"(done) : "r"(barrier),
                    "r"(parity) : "memory");
  return done != 0;
}

/// The same; may suspend the thread for a while before it says no. (Before sm_90 it does not.)
TMA_DEVICE bool mbarrier_try_wait(u32 barrier, u32 parity) {
#if defined(TMA_DETAIL_BEFORE_SM_90)
  return mbarrier_test_wait(barrier, parity);
#else
  u32 done = 0;
  TMA_DETAIL_ASM("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}" : "=r"(done) : "r"(barrier),
                 "r"(parity) : "memory");
  return done != 0;
#endif
}

// --- fences --------------------------------------------------------------------------------------------------------

/// Makes this thread's `mbarrier_init`s visible to the engine and to other blocks of the cluster.
TMA_DEVICE void fence_mbarrier_init() { TMA_DETAIL_FENCE("fence.mbarrier_init.release.cluster;" :: : "memory"); }

/// Orders this thread's accesses to shared memory before later ones of the copy engine.
TMA_DEVICE void fence_proxy_async_shared() { TMA_DETAIL_FENCE("fence.proxy.async.shared::cta;" :: : "memory"); }

// --- one-dimensional copies ----------------------------------------------------------------------------------------
// One statement an instruction: it is given all operands that a form may have, and its text names those of this one. The
// assembler drops the moves of the others.

template <CopyForm F = CopyForm{}>
TMA_DEVICE void bulk_load(u32 destination, const void* source, u32 bytes, u32 barrier, CopyExtra e = {}) {
  TMA_DETAIL_ASM("{\n\t"
                 ".reg .b16 blocks;\n\t"
                 ".reg .b64 policy;\n\t"
                 "mov.b16 blocks, %4;\n\t"
                 "mov.b64 policy, %5;\n\t"
                 "cp.async.bulk%6.global.mbarrier::complete_tx::bytes%7%8 [%0], [%1], %2, [%3]%9%10;\n\t"
                 "}" ::"r"(destination),
                 "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(barrier), "h"(e.mask), "l"(e.policy),
                 "C"(DestinationText<F>::value), "C"(MulticastText<F.multicast>::value), "C"(HintText<F.hint>::value),
                 "C"(MulticastText<F.multicast>::operand), "C"(HintText<F.hint>::operand) : "memory");
}

template <CopyForm F = CopyForm{}> TMA_DEVICE void bulk_store(void* destination, u32 source, u32 bytes, CopyExtra e = {}) {
  static_assert(!F.byte_mask || TMA_DETAIL_HAS(byte_mask, HintText<F.hint>),
                "tma: a store of some bytes of every 16 (byte_mask) needs sm_100 or newer" TMA_DETAIL_COMPILING);
  TMA_DETAIL_ASM("{\n\t"
                 ".reg .b16 mask;\n\t"
                 ".reg .b64 policy;\n\t"
                 "mov.b16 mask, %3;\n\t"
                 "mov.b64 policy, %4;\n\t"
                 "cp.async.bulk.global.shared::cta.bulk_group%5%6 [%0], [%1], %2%7%8;\n\t"
                 "}" ::"l"(__cvta_generic_to_global(destination)),
                 "r"(source), "r"(bytes), "h"(e.bytes), "l"(e.policy), "C"(HintText<F.hint>::value),
                 "C"(ByteMaskText<F.byte_mask>::value), "C"(HintText<F.hint>::operand),
                 "C"(ByteMaskText<F.byte_mask>::operand) : "memory");
}

// --- tensor copies: coordinates as the instruction wants them, fastest first ---------------------------------------

template <int Rank> struct Coordinates {
  int at[Rank];

  TMA_DEVICE int operator[](int d) const { return d < Rank ? at[d < Rank ? d : 0] : 0; }
};

// What a statement through a map begins with: %0 the policy, %1 to %5 the coordinates, named for its text.
#define TMA_DETAIL_AT                 \
  "{\n\t"                             \
  ".reg .b64 policy;\n\t"             \
  ".reg .b32 c0, c1, c2, c3, c4;\n\t" \
  "mov.b64 policy, %0;\n\t"           \
  "mov.b32 c0, %1; mov.b32 c1, %2; mov.b32 c2, %3; mov.b32 c3, %4; mov.b32 c4, %5;\n\t"
#define TMA_DETAIL_AT_OPERANDS "l"(e.policy), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])

template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_load(u32 destination, const void* map, const Coordinates<Rank>& c, u32 barrier, CopyExtra e = {}) {
  static_assert(check_cta_group<F>());
  TMA_DETAIL_ASM(
      TMA_DETAIL_AT
      ".reg .b16 blocks;\n\t"
      "mov.b16 blocks, %9;\n\t"
      "cp.async.bulk.tensor.%10%11.global.tile.mbarrier::complete_tx::bytes%12%13%14 [%6], [%7, {%15}], [%8]%16%17;\n\t"
      "}" ::TMA_DETAIL_AT_OPERANDS,
      "r"(destination), "l"(map), "r"(barrier), "h"(e.mask), "C"(RankText<Rank>::value), "C"(DestinationText<F>::value),
      "C"(MulticastText<F.multicast>::value), "C"(CtaGroupText<F.cta_group>::value), "C"(HintText<F.hint>::value),
      "C"(RankText<Rank>::operand), "C"(MulticastText<F.multicast>::operand), "C"(HintText<F.hint>::operand) : "memory");
}

template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_store(const void* map, const Coordinates<Rank>& c, u32 source, CopyExtra e = {}) {
  TMA_DETAIL_ASM(TMA_DETAIL_AT "cp.async.bulk.tensor.%8.global.shared::cta.tile.bulk_group%9 [%6, {%10}], [%7]%11;\n\t"
                               "}" ::TMA_DETAIL_AT_OPERANDS,
                 "l"(map), "r"(source), "C"(RankText<Rank>::value), "C"(HintText<F.hint>::value),
                 "C"(RankText<Rank>::operand), "C"(HintText<F.hint>::operand) : "memory");
}

// --- bulk groups: what completes stores, per thread ----------------------------------------------------------------

TMA_DEVICE void bulk_commit_group() { TMA_DETAIL_ASM("cp.async.bulk.commit_group;" :: : "memory"); }

/// Until at most `Pending` of this thread's newest groups still read their source.
template <int Pending> TMA_DEVICE void bulk_wait_group_read() {
  TMA_DETAIL_ASM("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Until at most `Pending` of this thread's newest groups are not yet written and visible to this thread.
template <int Pending> TMA_DEVICE void bulk_wait_group() {
  TMA_DETAIL_ASM("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
