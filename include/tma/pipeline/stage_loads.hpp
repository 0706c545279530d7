#pragma once

#include "../core/prologue.hpp"

#include "../device/issuer.hpp"
#include "stage_fillers.hpp"
#include "stage_parts.hpp"

namespace tma::inline TMA_ABI {

template <class T, int Rank, class TileT> class ThreadDescriptor;

namespace detail {

template <class T> struct ThreadLoad;  // thread_loads.hpp

// What <tma/device/barrier_forms.hpp> has, which only some pipelines need: asked for by a template of its own argument.
template <class> inline constexpr Order always_ordered = Order::ordered;
template <class Dependent> using forms_for             = BarrierForms<always_ordered<Dependent>, Scope::block>;
template <class Dependent> TMA_HOST_DEVICE constexpr bool has_forms_for() {
  return has_forms<always_ordered<Dependent>, Scope::block>();
}

// What is assigned in the place of a value that is not there: the refusal is said already.
struct Refused {
  template <class T> TMA_DEVICE void operator=(const T&) const {}
};

// A value of a stage, as its producer sees it.
template <class T> class MetaPlace {
public:
  TMA_DEVICE      MetaPlace(T& value, bool leads) : value_(value), leads_(leads) {}
  TMA_DEVICE void operator=(const T& value) const {
    if (leads_) value_ = value;
  }

private:
  T&   value_;
  bool leads_;
};

// What is loaded into a stage, and written to it, by its producer. `Derived` has the batch: a pointer to it, or itself.
template <class Derived, class PipelineT, class Filler> class StageFiller {
  using Traits = typename PipelineT::traits;
  using List   = typename Traits::list;

  static constexpr int by_type = -1;

public:
  /// True in the thread that issues. Not needed: the loads and the value are issued and written once however many call them;
  /// but of a group, `if (stage) { ... }` around them all is one branch in place of one each.
  TMA_DEVICE explicit operator bool() const { return filler_.leads; }

  /// Loads the tile of `descriptor` at `at` into the stage's tile of the descriptor's type, or into the one named by a
  /// slot. Also written `load(descriptor, at)` where the argument is called `load`. `modifiers`: those of `Issuer::load`.
  template <class T, int Rank, class Box, class... Modifiers>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>& descriptor, const place_t<Box, Rank>& at,
                       const Modifiers&... modifiers) const {
    load(descriptor, at, Slot<by_type>(), modifiers...);
  }
  template <class T, int Rank, class Box, int I, class... Modifiers>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>& descriptor, const place_t<Box, Rank>& at, Slot<I>,
                       const Modifiers&... modifiers) const {
    constexpr int at_part = position<box_tile_t<Box>, I>();
    using Part            = typename List::template part<at_part>;
    static_assert(!Traits::by_threads, "tma::Pipeline: this pipeline's tiles are loaded by threads (tma::ThreadLoads): a "
                                       "kernel for both takes tma::descriptor_for<Loads, const T, Rank, Tile>");
    static_assert(Part::kind != PartKind::threads,
                  "tma::Pipeline: the copy engine loads parts that are a tma::Tile or a tma::Buffer; a tma::ByThreads is "
                  "written by threads, or loaded by them through a tma::ThreadDescriptor");
    if constexpr (Traits::engine && is_loaded<Part>()) {
      auto& object = objects_->template get<at_part>(stage_);
      if constexpr (is_same_v<typename Part::sharing, void>) {
        if constexpr (fills_one_block<Modifiers...>()) batch().load(descriptor, at, object, modifiers...);
      } else if constexpr (is_slice<Part, Box>()) Part::load(batch(), descriptor, at, object, modifiers...);
    }
  }
  template <class T, int Rank, class Box, class... Modifiers>
  TMA_DEVICE void operator()(const TmaDescriptor<const T, Rank, Box>& descriptor, const place_t<Box, Rank>& at,
                             const Modifiers&... modifiers) const {
    load(descriptor, at, modifiers...);
  }
  template <class T, int Rank, class Box, int I, class... Modifiers>
  TMA_DEVICE void operator()(const TmaDescriptor<const T, Rank, Box>& descriptor, const place_t<Box, Rank>& at,
                             Slot<I> where, const Modifiers&... modifiers) const {
    load(descriptor, at, where, modifiers...);
  }

  /// Loads `Count` elements into the stage's buffer of that size, or into the tile or buffer named by a slot. By threads
  /// where the buffer is theirs (`ByThreads<Buffer<T, Count>>`).
  template <class T, int Count, class... Modifiers>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, const Modifiers&... modifiers) const {
    load(source, Slot<by_type>(), modifiers...);
  }
  template <class T, int Count, int I, class... Modifiers>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, Slot<I>, const Modifiers&... modifiers) const {
    constexpr int at_part = position<Buffer<remove_cv_t<T>, Count>, I>();
    using Part            = typename List::template part<at_part>;
    if constexpr (is_loaded<Part>()) {
      auto& object = objects_->template get<at_part>(stage_);
      if constexpr (Traits::by_threads || Part::kind == PartKind::threads) {
        constexpr bool fits = is_same_v<typename Part::object, Buffer<remove_cv_t<T>, Count>>;
        static_assert(fits, "tma::Pipeline: threads load a chunk into a tma::Buffer of its type and size");
        if constexpr (fits && loads_by_threads<T>() && fills_one_block<Modifiers...>()) {
          ThreadLoad<T>::chunk(filler_.rank, filler_.threads, source, object);
          told_of_cp_async();
        }
      } else if constexpr (Traits::engine) {
        if constexpr (is_same_v<typename Part::sharing, void>) {
          if constexpr (fills_one_block<Modifiers...>()) batch().load(source, object, modifiers...);
        } else is_slice<Part, Buffer<remove_cv_t<T>, Count>>();
      }
    }
  }
  template <class T, int Count, class... Modifiers>
  TMA_DEVICE void operator()(const AlignedChunk<T, Count>& source, const Modifiers&... modifiers) const {
    load(source, modifiers...);
  }
  template <class T, int Count, int I, class... Modifiers>
  TMA_DEVICE void operator()(const AlignedChunk<T, Count>& source, Slot<I> where, const Modifiers&... modifiers) const {
    load(source, where, modifiers...);
  }

  /// The same load by threads, each of which brings its share: for tensors that the engine refuses, and devices without
  /// one. What stands in `modifiers` is a hint, and left out.
  template <class T, int Rank, class TileT, class... Modifiers>
  TMA_DEVICE void load(const ThreadDescriptor<const T, Rank, TileT>& descriptor, const place_t<TileT, Rank>& at,
                       const Modifiers&... modifiers) const {
    load(descriptor, at, Slot<by_type>(), modifiers...);
  }
  template <class T, int Rank, class TileT, int I, class... Modifiers>
  TMA_DEVICE void load(const ThreadDescriptor<const T, Rank, TileT>& descriptor, const place_t<TileT, Rank>& at, Slot<I>,
                       const Modifiers&...) const {
    constexpr int at_part                 = position<TileT, I>();
    using Part                            = typename List::template part<at_part>;
    [[maybe_unused]] constexpr bool alone = fills_one_block<Modifiers...>();
    constexpr bool                  fits  = is_same_v<typename Part::object, TileT>;
    static_assert(Traits::by_threads || Part::kind != PartKind::engine,
                  "tma::Pipeline: threads load into a pipeline of theirs, tma::Pipeline<Stages, tma::ThreadLoads, Tile>, or "
                  "into a part that is theirs, tma::ByThreads<Tile>");
    static_assert(fits || !is_loaded<Part>(), "tma::Pipeline: the descriptor was made for another tile than the part at "
                                              "this slot");
    if constexpr (fits && (Traits::by_threads || Part::kind == PartKind::threads)) {
      if constexpr (loads_by_threads<T>()) {
        ThreadLoad<T>::tile(filler_.rank, filler_.threads, descriptor, at, objects_->template get<at_part>(stage_));
        told_of_cp_async();
      }
    }
  }
  template <class T, int Rank, class TileT, class... Modifiers>
  TMA_DEVICE void operator()(const ThreadDescriptor<const T, Rank, TileT>& descriptor, const place_t<TileT, Rank>& at,
                             const Modifiers&... modifiers) const {
    load(descriptor, at, modifiers...);
  }
  template <class T, int Rank, class TileT, int I, class... Modifiers>
  TMA_DEVICE void operator()(const ThreadDescriptor<const T, Rank, TileT>& descriptor, const place_t<TileT, Rank>& at,
                             Slot<I> where, const Modifiers&... modifiers) const {
    load(descriptor, at, where, modifiers...);
  }

  /// The part named by a slot, which is a `ByThreads`: for the producer's threads to write. `stage[tma::slot<1>]`.
  template <int I> TMA_DEVICE auto& operator[](Slot<I>) const {
    constexpr bool exists = I >= 0 && I < List::count;
    static_assert(exists, "tma::Pipeline: the stage has no part at this slot");
    constexpr int at_part = exists ? I : 0;
    static_assert(!exists || List::template part<at_part>::kind == PartKind::threads,
                  "tma::Pipeline: a producer writes the parts that are tma::ByThreads; tiles and buffers are loaded, a "
                  "tma::Meta is assigned: stage.meta() = x");
    return objects_->template get<at_part>(stage_);
  }
  template <int I> TMA_DEVICE auto& get() const { return (*this)[Slot<I>()]; }

  /// The stage's value, to assign: `stage.meta() = x`. Of several, `stage.meta(tma::slot<2>) = x`. By a group: all its
  /// threads, with the same value.
  TMA_DEVICE auto meta() const {
    constexpr int values = List::template count_of_kind<PartKind::meta>();
    static_assert(values > 0, "tma::Pipeline: no part of this pipeline is a tma::Meta");
    static_assert(values < 2,
                  "tma::Pipeline: several parts of this pipeline are values; say which: stage.meta(tma::slot<1>)");
    if constexpr (values == 1) return meta(Slot<List::template first_of_kind<PartKind::meta>()>());
    else return Refused();
  }
  template <int I> TMA_DEVICE auto meta(Slot<I>) const {
    constexpr bool exists = I >= 0 && I < List::count;
    static_assert(exists, "tma::Pipeline: the stage has no part at this slot");
    constexpr int  at_part = exists ? I : 0;
    constexpr bool is_meta = List::template part<at_part>::kind == PartKind::meta;
    static_assert(is_meta || !exists, "tma::Pipeline: the part at this slot is not a tma::Meta");
    if constexpr (is_meta)
      return MetaPlace<typename List::template part<at_part>::object>(objects_->template get<at_part>(stage_),
                                                                      filler_.leads);
    else return Refused();
  }

  /// Each thread that has issued `cp.async` copies into this stage: its full phase then waits for them as well. Needs
  /// <tma/device/barrier_forms.hpp>. Who hands such bytes to the engine, or to the matrix units, publishes them first.
  TMA_DEVICE void wait_also_for_cp_async() const {
    static_assert(Traits::threads, "tma::Pipeline: no part of this pipeline is written by threads: tma::ByThreads<X>");
    if constexpr (has_forms_for<Traits>()) forms_for<Traits>::wait_also_for_cp_async(full_);
  }

protected:
  using Batch   = typename Traits::batch;
  using Objects = typename Traits::objects;

  TMA_DEVICE StageFiller(Objects& objects, u32 full, int stage, const Filler& filler)
      : objects_(&objects),
        full_(full),
        stage_(stage),
        filler_(filler) {}

private:
  TMA_DEVICE Batch& batch() const { return static_cast<const Derived*>(this)->batch(); }

  // Whether threads can load elements `T`: their loads are included.
  template <class T> static TMA_HOST_DEVICE constexpr bool loads_by_threads() {
    constexpr bool included = is_complete_v<ThreadLoad<T>>;
    static_assert(included, "tma: loads by threads are in a header of their own: #include <tma/pipeline/thread_loads.hpp>");
    return included;
  }
  // After a load by threads. A ring that threads load says it once for all loads of a stage.
  TMA_DEVICE void told_of_cp_async() const {
    if constexpr (!Traits::by_threads) wait_also_for_cp_async();
  }

  // Whether there is anything to load into a part.
  template <class Part> static TMA_HOST_DEVICE constexpr bool is_loaded() {
    static_assert(Part::kind != PartKind::meta, "tma::Pipeline: the part at this slot is a tma::Meta, which is not loaded "
                                                "but assigned: stage.meta() = x");
    return Part::kind != PartKind::meta;
  }

  // Whether a load of a part that blocks do not share goes into this block alone.
  template <class... Modifiers> static TMA_HOST_DEVICE constexpr bool fills_one_block() {
    constexpr bool alone = !is_multicast_v<Modifiers...>;
    static_assert(alone,
                  "tma::Pipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of "
                  "another block, which has not freed it and does not expect the bytes. Name the part as one that blocks "
                  "share, and leave the tma::Multicast out: tma::SharedInCluster<Tile, tma::ClusterShape<N>>, of which "
                  "each block loads a slice");
    return alone;
  }

  // Whether `Loaded` is what one block loads of a tile that several share.
  template <class Part, class Loaded> static TMA_HOST_DEVICE constexpr bool is_slice() {
    constexpr bool fits = is_same_v<Loaded, typename Part::loaded>;
    static_assert(fits, "tma::Pipeline: of a tile that blocks of a cluster share each of them loads a slice: the descriptor "
                        "is one of tma::slice_t<Tile, Blocks>");
    return fits;
  }

  // Where a load of `TileT` goes.
  template <class TileT, int I> static TMA_HOST_DEVICE constexpr int position() {
    if constexpr (I != by_type) {
      static_assert(I >= 0 && I < List::count, "tma::Pipeline: the stage has no tile at this slot");
      return I >= 0 && I < List::count ? I : 0;
    } else {
      // A whole tile in the place of the slice that is loaded of it is told so by `is_slice`.
      constexpr bool shared = List::template times<TileT> == 0 && List::template objects<TileT> > 0;
      static_assert(List::template times<TileT> > 0 || shared,
                    "tma::Pipeline: no tile of this pipeline has the type of this load. Name the descriptor's tile (or a "
                    "tma::Buffer of the chunk's size) among the pipeline's tiles");
      static_assert(List::template times<TileT> < 2,
                    "tma::Pipeline: several tiles of this pipeline have this type; say which: load(descriptor, at, "
                    "tma::slot<0>)");
      if constexpr (shared) return List::template index_of_object<TileT>();
      else return List::template times<TileT> == 1 ? List::template index<TileT>() : 0;
    }
  }

protected:
  Objects*                     objects_;
  u32                          full_;
  int                          stage_;
  [[no_unique_address]] Filler filler_;
};

}  // namespace detail

/// The stage a producer fills: handed to the function that issues its loads. By one elected thread; by all threads of a group
/// where the producer is one (`producer_warps<N>`, or threads load).
///
/// Each tile of the stage is loaded at most once. The barrier is told what was issued, so that a load may be left out: the
/// consumers then find the tile as it was.
template <class PipelineT, class Filler = detail::OneThread>
class StageLoads : public detail::StageFiller<StageLoads<PipelineT, Filler>, PipelineT, Filler> {
  using the_loads_of_one_step_are_not_those_of_another = StageLoads;  // what the compiler prints of an assignment

  using Base = detail::StageFiller<StageLoads, PipelineT, Filler>;

public:
  StageLoads(const StageLoads&)                                                           = default;
  TMA_DEVICE StageLoads& operator=(const the_loads_of_one_step_are_not_those_of_another&) = delete;

private:
  template <int, class...> friend class Pipeline;
  template <class, class, class> friend class detail::StageFiller;

  TMA_DEVICE StageLoads(typename Base::Batch& batch, typename Base::Objects& objects, detail::u32 full, int stage,
                        const Filler& filler)
      : Base(objects, full, stage, filler),
        batch_(&batch) {}
  TMA_DEVICE typename Base::Batch& batch() const { return *batch_; }

  typename Base::Batch* batch_;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
