// Tensor copies that do not walk a box: pixels of a convolution (im2col), and four rows anywhere (gather4, scatter4).
#pragma once

#include "../core/traversal.hpp"
#include "ptx.hpp"

namespace tma::ptx {

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

// One statement a number of offsets, for a list that begins at `%first`: BY_OFFSETS(STATEMENT, "%5", "%6", "%7").
#define TMA_DETAIL_BY_OFFSETS(statement, o0, o1, o2)   \
  if constexpr (im2col_offsets<M, Rank> == 1) {        \
    statement(", {" o0 "}");                           \
  } else if constexpr (im2col_offsets<M, Rank> == 2) { \
    statement(", {" o0 ", " o1 "}");                   \
  } else {                                             \
    statement(", {" o0 ", " o1 ", " o2 "}");           \
  }

template <Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_load(u32 destination, const void* map, const Coordinates<Rank>& c,
                            const u16 (&offsets)[im2col_offsets<M, Rank>], u32 barrier, CopyExtra e = {}) {
  static_assert(check_im2col<M, Rank, reach_of<F>>() && check_cta_group<F>());
  constexpr int last = im2col_offsets<M, Rank> - 1;
#define TMA_DETAIL_LOAD(form, list, more, ...)                                                                   \
  TMA_DETAIL_ASM("cp.async.bulk.tensor." form "%5.global%6.mbarrier::complete_tx::bytes%7%8%9 [%0], [%1, {" list \
                 "}], [%2]" more ";" ::"r"(destination),                                                         \
                 "l"(map), "r"(barrier), "h"(e.mask), "l"(e.policy), "C"(DestinationText<F>::value),             \
                 "C"(TraversalText<M>::value), "C"(MulticastText<F.multicast>::value),                           \
                 "C"(CtaGroupText<F.cta_group>::value), "C"(HintText<F.hint>::value), "h"(offsets[0]),           \
                 "h"(offsets[last < 1 ? last : 1]), "h"(offsets[last]), __VA_ARGS__ : "memory")
#define TMA_DETAIL_LOAD_AT(info)                                                             \
  if constexpr (F.multicast && F.hint) {                                                     \
    TMA_DETAIL_BY_RANK(TMA_DETAIL_LOAD, "%13", "%14", "%15", "%16", "%17", info ", %3, %4"); \
  } else if constexpr (F.multicast) {                                                        \
    TMA_DETAIL_BY_RANK(TMA_DETAIL_LOAD, "%13", "%14", "%15", "%16", "%17", info ", %3");     \
  } else if constexpr (F.hint) {                                                             \
    TMA_DETAIL_BY_RANK(TMA_DETAIL_LOAD, "%13", "%14", "%15", "%16", "%17", info ", %4");     \
  } else {                                                                                   \
    TMA_DETAIL_BY_RANK(TMA_DETAIL_LOAD, "%13", "%14", "%15", "%16", "%17", info);            \
  }
  TMA_DETAIL_BY_OFFSETS(TMA_DETAIL_LOAD_AT, "%10", "%11", "%12")
#undef TMA_DETAIL_LOAD_AT
#undef TMA_DETAIL_LOAD
}

template <Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_prefetch(const void* map, const Coordinates<Rank>& c, const u16 (&offsets)[im2col_offsets<M, Rank>],
                                CopyExtra e = {}) {
  static_assert(check_im2col<M, Rank, Reach::further>());
  constexpr int last = im2col_offsets<M, Rank> - 1;
#define TMA_DETAIL_PREFETCH(form, list, more, ...)                                                            \
  TMA_DETAIL_ASM("cp.async.bulk.prefetch.tensor." form ".L2.global%2%3 [%0, {" list "}]" more ";" ::"l"(map), \
                 "l"(e.policy), "C"(TraversalText<M>::value), "C"(HintText<F.hint>::value), "h"(offsets[0]),  \
                 "h"(offsets[last < 1 ? last : 1]), "h"(offsets[last]), __VA_ARGS__)
#define TMA_DETAIL_PREFETCH_AT(info)                                                      \
  if constexpr (F.hint) {                                                                 \
    TMA_DETAIL_BY_RANK(TMA_DETAIL_PREFETCH, "%7", "%8", "%9", "%10", "%11", info ", %1"); \
  } else {                                                                                \
    TMA_DETAIL_BY_RANK(TMA_DETAIL_PREFETCH, "%7", "%8", "%9", "%10", "%11", info);        \
  }
  TMA_DETAIL_BY_OFFSETS(TMA_DETAIL_PREFETCH_AT, "%4", "%5", "%6")
#undef TMA_DETAIL_PREFETCH_AT
#undef TMA_DETAIL_PREFETCH
}

/// Stores through an im2col map have no offsets: the coordinates are the first pixel's.
template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void im2col_store(const void* map, const Coordinates<Rank>& c, u32 source, CopyExtra e = {}) {
  static_assert(Rank >= 3);
#define TMA_DETAIL_STORE(form, list, more, ...)                                                                             \
  TMA_DETAIL_ASM("cp.async.bulk.tensor." form ".global.shared::cta.im2col_no_offs.bulk_group%3 [%0, {" list "}], [%1]" more \
                 ";" ::"l"(map),                                                                                            \
                 "r"(source), "l"(e.policy), "C"(HintText<F.hint>::value), __VA_ARGS__ : "memory")
  if constexpr (F.hint) {
    TMA_DETAIL_BY_RANK(TMA_DETAIL_STORE, "%4", "%5", "%6", "%7", "%8", ", %2");
  } else {
    TMA_DETAIL_BY_RANK(TMA_DETAIL_STORE, "%4", "%5", "%6", "%7", "%8", "");
  }
#undef TMA_DETAIL_STORE
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
#define TMA_DETAIL_LOAD(more)                                                                                         \
  TMA_DETAIL_ASM("cp.async.bulk.tensor.2d%5.global.tile::gather4.mbarrier::complete_tx::bytes%6%7%8 [%0], [%1, {%9, " \
                 "%10, %11, %12, %13}], [%2]" more ";" ::"r"(destination),                                            \
                 "l"(map), "r"(barrier), "h"(e.mask), "l"(e.policy), "C"(DestinationText<F>::value),                  \
                 "C"(MulticastText<F.multicast>::value), "C"(CtaGroupText<F.cta_group>::value),                       \
                 "C"(HintText<F.hint>::value), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]),                \
                 "r"(c.at[4]) : "memory")
  if constexpr (F.multicast && F.hint) TMA_DETAIL_LOAD(", %3, %4");
  else if constexpr (F.multicast) TMA_DETAIL_LOAD(", %3");
  else if constexpr (F.hint) TMA_DETAIL_LOAD(", %4");
  else TMA_DETAIL_LOAD("");
#undef TMA_DETAIL_LOAD
}

template <CopyForm F = CopyForm{}>
TMA_DEVICE void gather4_prefetch(const void* map, const Coordinates<5>& c, CopyExtra e = {}) {
  static_assert(check_gather4<Reach::further, HintText<F.hint>>());
#define TMA_DETAIL_PREFETCH(more)                                                                                  \
  TMA_DETAIL_ASM(                                                                                                  \
      "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4%2 [%0, {%3, %4, %5, %6, %7}]" more ";" ::"l"(map), \
      "l"(e.policy), "C"(HintText<F.hint>::value), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4]))
  if constexpr (F.hint) TMA_DETAIL_PREFETCH(", %1");
  else TMA_DETAIL_PREFETCH("");
#undef TMA_DETAIL_PREFETCH
}

template <CopyForm F = CopyForm{}>
TMA_DEVICE void scatter4_store(const void* map, const Coordinates<5>& c, u32 source, CopyExtra e = {}) {
  static_assert(TMA_DETAIL_HAS(scatter4, HintText<F.hint>),
                "tma: scatter4 needs sm_100a, sm_100f, sm_103a, sm_103f, sm_110a or sm_110f" TMA_DETAIL_COMPILING);
#define TMA_DETAIL_STORE(more)                                                                                          \
  TMA_DETAIL_ASM(                                                                                                       \
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group%3 [%0, {%4, %5, %6, %7, %8}], [%1]" more    \
      ";" ::"l"(map),                                                                                                   \
      "r"(source), "l"(e.policy), "C"(HintText<F.hint>::value), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), \
      "r"(c.at[4]) : "memory")
  if constexpr (F.hint) TMA_DETAIL_STORE(", %2");
  else TMA_DETAIL_STORE("");
#undef TMA_DETAIL_STORE
}

}  // namespace tma::ptx
