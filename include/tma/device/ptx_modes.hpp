// Tensor copies that do not walk a box: pixels of a convolution (im2col), and four rows anywhere (gather4, scatter4).
#pragma once

#include "../core/prologue.hpp"

#include "../core/traversal.hpp"
#include "ptx.hpp"

namespace tma::inline TMA_ABI::ptx {

template <Traversal> struct TraversalText;
template <> struct TraversalText<Traversal::im2col> {
  static constexpr const char value[] = ".im2col";
};
template <> struct TraversalText<Traversal::im2col_w> {
  static constexpr const char value[] = ".im2col::w";
};
template <> struct TraversalText<Traversal::im2col_w128> {
  static constexpr const char value[] = ".im2col::w::128";
};

/// What an im2col load says beside the coordinates: a filter's offset in each dimension but the outermost and the
/// innermost, fastest first; or, where it walks along w alone, how long the halo is and the filter's offset in w.
template <Traversal M, int Rank> inline constexpr int im2col_offsets = M == Traversal::im2col ? Rank - 2 : 2;

// Some targets fill the block's own shared memory in these ways, and can do no more: no other block's, no prefetch.
enum class Reach : int { own_block, further };

template <CopyForm F>
inline constexpr Reach reach_of = F.cluster || F.multicast || F.cta_group != 0 ? Reach::further : Reach::own_block;

template <Traversal M, int Rank, Reach R> TMA_HOST_DEVICE constexpr bool check_im2col() {
  static_assert(M >= Traversal::im2col && Rank >= 3 && Rank <= 5);
  constexpr bool far = R == Reach::further;
  static_assert(M != Traversal::im2col_w || far || TMA_DETAIL_HAS(im2col_w, Coordinates<Rank>),
                "tma: im2col along w alone needs sm_100 or newer" TMA_DETAIL_COMPILING);
  static_assert(M != Traversal::im2col_w || !far || TMA_DETAIL_HAS(im2col_w_cluster, Coordinates<Rank>),
                "tma: im2col along w alone into the cluster, with a cta_group, or as a prefetch, needs sm_100a, sm_100f, "
                "sm_103a, sm_103f, sm_110a or sm_110f" TMA_DETAIL_COMPILING);
  static_assert(M != Traversal::im2col_w128 || TMA_DETAIL_HAS(im2col_w_128, Coordinates<Rank>),
                "tma: im2col of 128 pixels along w needs sm_100a, sm_100f, sm_103a, sm_103f, sm_110a or "
                "sm_110f" TMA_DETAIL_COMPILING);
  return true;
}

template <int Offsets> struct OffsetsText {
  static constexpr const char operand[] = ", {o0, o1, o2}";
};
template <> struct OffsetsText<2> {
  static constexpr const char operand[] = ", {o0, o1}";
};
template <> struct OffsetsText<1> {
  static constexpr const char operand[] = ", {o0}";
};
template <Traversal M, int Rank> using OffsetsTextOf = OffsetsText<im2col_offsets<M, Rank>>;

// Behind TMA_DETAIL_AT: three offsets, of which the text names those there are.
#define TMA_DETAIL_OFFSETS(o0, o1, o2) \
  ".reg .b16 o0, o1, o2;\n\t"          \
  "mov.b16 o0, " o0 "; mov.b16 o1, " o1 "; mov.b16 o2, " o2 ";\n\t"
#define TMA_DETAIL_OFFSETS_OPERANDS "h"(offsets[0]), "h"(offsets[last < 1 ? last : 1]), "h"(offsets[last])

template <Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_load(u32 destination, const void* map, const Coordinates<Rank>& c,
                            const u16 (&offsets)[im2col_offsets<M, Rank>], u32 barrier, CopyExtra e = {}) {
  static_assert(check_im2col<M, Rank, reach_of<F>>() && check_cta_group<F>());
  constexpr int last = im2col_offsets<M, Rank> - 1;
  TMA_DETAIL_ASM(
      TMA_DETAIL_AT TMA_DETAIL_OFFSETS("%6", "%7", "%8") ".reg .b16 blocks;\n\t"
                                                         "mov.b16 blocks, %12;\n\t"
                                                         "cp.async.bulk.tensor.%13%14.global%15.mbarrier::complete_tx::"
                                                         "bytes%16%17%18 [%9], [%10, {%19}], [%11]%20%21%22;\n\t"
                                                         "}" ::TMA_DETAIL_AT_OPERANDS,
      TMA_DETAIL_OFFSETS_OPERANDS, "r"(destination), "l"(map), "r"(barrier), "h"(e.mask), "C"(RankText<Rank>::value),
      "C"(DestinationText<F>::value), "C"(TraversalText<M>::value), "C"(MulticastText<F.multicast>::value),
      "C"(CtaGroupText<F.cta_group>::value), "C"(HintText<F.hint>::value), "C"(RankText<Rank>::operand),
      "C"(OffsetsTextOf<M, Rank>::operand), "C"(MulticastText<F.multicast>::operand),
      "C"(HintText<F.hint>::operand) : "memory");
}

template <Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_prefetch(const void* map, const Coordinates<Rank>& c, const u16 (&offsets)[im2col_offsets<M, Rank>],
                                CopyExtra e = {}) {
  static_assert(check_im2col<M, Rank, Reach::further>());
  constexpr int last = im2col_offsets<M, Rank> - 1;
  TMA_DETAIL_ASM(TMA_DETAIL_AT TMA_DETAIL_OFFSETS(
                     "%6", "%7", "%8") "cp.async.bulk.prefetch.tensor.%10.L2.global%11%12 [%9, {%13}]%14%15;\n\t"
                                       "}" ::TMA_DETAIL_AT_OPERANDS,
                 TMA_DETAIL_OFFSETS_OPERANDS, "l"(map), "C"(RankText<Rank>::value), "C"(TraversalText<M>::value),
                 "C"(HintText<F.hint>::value), "C"(RankText<Rank>::operand), "C"(OffsetsTextOf<M, Rank>::operand),
                 "C"(HintText<F.hint>::operand));
}

/// Stores through an im2col map have no offsets: the coordinates are the first pixel's.
template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_store(const void* map, const Coordinates<Rank>& c, u32 source, CopyExtra e = {}) {
  static_assert(Rank >= 3);
  TMA_DETAIL_ASM(TMA_DETAIL_AT
                 "cp.async.bulk.tensor.%8.global.shared::cta.im2col_no_offs.bulk_group%9 [%6, {%10}], [%7]%11;\n\t"
                 "}" ::TMA_DETAIL_AT_OPERANDS,
                 "l"(map), "r"(source), "C"(RankText<Rank>::value), "C"(HintText<F.hint>::value),
                 "C"(RankText<Rank>::operand), "C"(HintText<F.hint>::operand) : "memory");
}

// --- four rows: the column, then the rows ---

template <Reach R, class Dependent> TMA_HOST_DEVICE constexpr bool check_gather4() {
  static_assert(R == Reach::further || TMA_DETAIL_HAS(gather4, Dependent),
                "tma: gather4 needs sm_100 or newer" TMA_DETAIL_COMPILING);
  static_assert(
      R == Reach::own_block || TMA_DETAIL_HAS(gather4_cluster, Dependent),
      "tma: gather4 into the cluster, with a cta_group, or as a prefetch, needs sm_100a, sm_100f, sm_103a, sm_103f, "
      "sm_110a or sm_110f" TMA_DETAIL_COMPILING);
  return true;
}

template <CopyForm F = CopyForm{}>
TMA_DEVICE void gather4_load(u32 destination, const void* map, const Coordinates<5>& c, u32 barrier, CopyExtra e = {}) {
  static_assert(check_gather4<reach_of<F>, HintText<F.hint>>());
  TMA_DETAIL_ASM(TMA_DETAIL_AT ".reg .b16 blocks;\n\t"
                               "mov.b16 blocks, %9;\n\t"
                               "cp.async.bulk.tensor.2d%10.global.tile::gather4.mbarrier::complete_tx::bytes%11%12%13 "
                               "[%6], [%7, {c0, c1, c2, c3, c4}], [%8]%14%15;\n\t"
                               "}" ::TMA_DETAIL_AT_OPERANDS,
                 "r"(destination), "l"(map), "r"(barrier), "h"(e.mask), "C"(DestinationText<F>::value),
                 "C"(MulticastText<F.multicast>::value), "C"(CtaGroupText<F.cta_group>::value), "C"(HintText<F.hint>::value),
                 "C"(MulticastText<F.multicast>::operand), "C"(HintText<F.hint>::operand) : "memory");
}

template <CopyForm F = CopyForm{}>
TMA_DEVICE void gather4_prefetch(const void* map, const Coordinates<5>& c, CopyExtra e = {}) {
  static_assert(check_gather4<Reach::further, HintText<F.hint>>());
  TMA_DETAIL_ASM(TMA_DETAIL_AT "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4%7 [%6, {c0, c1, c2, c3, c4}]%8;\n\t"
                               "}" ::TMA_DETAIL_AT_OPERANDS,
                 "l"(map), "C"(HintText<F.hint>::value), "C"(HintText<F.hint>::operand));
}

template <CopyForm F = CopyForm{}>
TMA_DEVICE void scatter4_store(const void* map, const Coordinates<5>& c, u32 source, CopyExtra e = {}) {
  static_assert(TMA_DETAIL_HAS(scatter4, HintText<F.hint>),
                "tma: scatter4 needs sm_100a, sm_100f, sm_103a, sm_103f, sm_110a or sm_110f" TMA_DETAIL_COMPILING);
  TMA_DETAIL_ASM(
      TMA_DETAIL_AT
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group%8 [%6, {c0, c1, c2, c3, c4}], [%7]%9;\n\t"
      "}" ::TMA_DETAIL_AT_OPERANDS,
      "l"(map), "r"(source), "C"(HintText<F.hint>::value), "C"(HintText<F.hint>::operand) : "memory");
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
