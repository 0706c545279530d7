// What the stages of a pipeline are made of: Pipeline<Stages, Parts...> takes tiles, buffers, and these.
#pragma once

#include "../core/prologue.hpp"

#include "../core/buffer.hpp"
#include "../core/tile.hpp"

namespace tma::inline TMA_ABI {

struct EngineLoads;  // core/loads.hpp
struct ThreadLoads;
class Multicast;  // device/modifiers.hpp

/// A part of a stage that the producer's threads write, beside what the engine loads: `ByThreads<Tile>`,
/// `ByThreads<Buffer<int, 40>>`, `ByThreads<Row>` of any struct without a constructor. One thread or `producer_warps<N>`, by
/// plain stores (`stage[tma::slot<1>][i] = x`) or by `cp.async`, of which the stage is told (`wait_also_for_cp_async`). The
/// full barrier counts an arrival a warp for it, beside the engine's bytes. Consumers see `const X&`.
template <class X> struct ByThreads;

/// A value a stage, written by the producer (`stage.meta() = x`) and read by the consumers as `const T&`: which output tile
/// this step belongs to, whether it is the last. A pipeline of such parts alone hands values from threads to threads.
template <class T> struct Meta;

/// Among the parts: no thread reads what the engine has loaded, the matrix units alone do (wgmma), which read as the engine
/// writes. The producer then has no fence between what threads have read and what is loaded over it. For loops of tiles so
/// small that a fence a step shows: 4 KiB or less, from the second-level cache.
struct MatrixReads {};

/// Names a part of a stage by position, where its type does not: `load(a, at, tma::slot<0>)`.
template <int I> struct Slot {};
template <int I> inline constexpr Slot<I> slot{};

namespace detail {

enum class PartKind : int { refused, option, engine, threads, meta };

// One entry of a pipeline's list: what kind it is, the object it has in each stage, and the tile or buffer that one load
// brings (a slice of the object where blocks of a cluster share the work: cluster_parts.hpp).
template <class P> struct PartOf {
  static constexpr PartKind kind = (is_tile_v<P> || is_buffer_v<P>) && !is_const_v<P> ? PartKind::engine : PartKind::refused;
  using object                   = P;
  using loaded                   = P;
  using sharing                  = void;
};
template <class X> struct PartOf<ByThreads<X>> {
  static constexpr PartKind kind = PartKind::threads;
  using object                   = X;
  using loaded                   = X;
  using sharing                  = void;
  static_assert(__is_trivially_constructible(X) && !is_const_v<X>,
                "tma::ByThreads: the part lies uninitialised in shared memory: it has no constructor and is not const");
};
template <class T> struct PartOf<Meta<T>> {
  static constexpr PartKind kind = PartKind::meta;
  using object                   = T;
  using loaded                   = Meta<T>;
  using sharing                  = void;
  static_assert(__is_trivially_copyable(T) && __is_trivially_constructible(T) && !is_const_v<T>,
                "tma::Meta: a value that is copied as its bytes, has no constructor, and is not const");
};
struct OptionPart {
  static constexpr PartKind kind = PartKind::option;
  using sharing                  = void;
};
template <> struct PartOf<EngineLoads> : OptionPart {};
template <> struct PartOf<ThreadLoads> : OptionPart {};
template <> struct PartOf<MatrixReads> : OptionPart {};

// What reports call a part, with its slot and its stage.
template <class P> TMA_HOST_DEVICE constexpr const char* part_name() {
  if constexpr (P::kind == PartKind::meta) return "value %d of stage %d";
  else if constexpr (is_tile_v<typename P::object>) return "tile %d of stage %d";
  else if constexpr (is_buffer_v<typename P::object>) return "buffer %d of stage %d";
  else return "part %d of stage %d";
}

template <class... P> struct Parts {
  static constexpr int count = int(sizeof...(P));

  template <int I> using part                                          = type_at<I, P...>;
  template <class Loaded> static constexpr int                 times   = count_of<Loaded, typename P::loaded...>;
  template <class Object> static constexpr int                 objects = count_of<Object, typename P::object...>;
  template <class Loaded> static TMA_HOST_DEVICE constexpr int index() { return index_of<Loaded, typename P::loaded...>(); }

  template <class Object> static TMA_HOST_DEVICE constexpr int index_of_object() {
    return index_of<Object, typename P::object...>();
  }

  template <PartKind K> static TMA_HOST_DEVICE constexpr int count_of_kind() { return (int(P::kind == K) + ... + 0); }
  template <PartKind K> static TMA_HOST_DEVICE constexpr int first_of_kind() {
    constexpr bool is[] = {P::kind == K..., true};
    int            i    = 0;
    while (!is[i]) ++i;
    return i < count ? i : 0;
  }
};

// The entries without the options.
template <class Done, class... Rest> struct PartsOf;
template <class... Done> struct PartsOf<Parts<Done...>> {
  using type = Parts<Done...>;
};
template <class... Done, class Next, class... Rest>
struct PartsOf<Parts<Done...>, Next, Rest...>
    : PartsOf<conditional_t<PartOf<Next>::kind == PartKind::option, Parts<Done...>, Parts<Done..., PartOf<Next>>>, Rest...> {
};

// The sharing of all of a ring's parts together: void where none is shared.
template <class A, class B> struct JoinSharing;  // cluster_parts.hpp
template <class A> struct JoinSharing<A, void> {
  using type = A;
};
template <class B> struct JoinSharing<void, B> {
  using type = B;
};
template <> struct JoinSharing<void, void> {
  using type = void;
};
template <class... S> struct SharingOf {
  using type = void;
};
template <class Head, class... Tail>
struct SharingOf<Head, Tail...> : JoinSharing<Head, typename SharingOf<Tail...>::type> {};
// Whether a load of a part that blocks do not share goes into this block alone.
template <class... Modifiers> TMA_HOST_DEVICE constexpr bool fills_one_block() {
  constexpr bool alone = !(is_same_v<Modifiers, Multicast> || ...);
  static_assert(alone,
                "tma::Pipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of "
                "another block, which has not freed it and does not expect the bytes. Name the part as one that blocks "
                "share, and leave the tma::Multicast out: tma::SharedInCluster<Tile, tma::ClusterShape<N>>, of which "
                "each block loads a slice");
  return alone;
}

// The objects of all stages: an array a part, so that each keeps its own alignment and stride.
template <int Stages, class... P> struct StageObjects {};
template <int Stages, class Last> struct StageObjects<Stages, Last> {
  typename Last::object head[Stages];

  template <int I> TMA_DEVICE auto& get(int stage) { return head[stage]; }
};
template <int Stages, class Head, class... Tail> struct StageObjects<Stages, Head, Tail...> {
  typename Head::object         head[Stages];
  StageObjects<Stages, Tail...> tail;

  template <int I> TMA_DEVICE auto& get(int stage) {
    if constexpr (I == 0) return head[stage];
    else return tail.template get<I - 1>(stage);
  }
};
template <int Stages, class List> struct ObjectsOf;
template <int Stages, class... P> struct ObjectsOf<Stages, Parts<P...>> {
  using type = StageObjects<Stages, P...>;
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
