#pragma once

#include "../core/prologue.hpp"

#include "../core/count.hpp"
#include "block.hpp"

namespace tma::inline TMA_ABI {

/// A one-dimensional copy between global and shared memory by the copy engine.
///
/// `BulkCopy1D` copies any number of elements from or to any pointer: the 16-byte aligned body by the engine, at most 15
/// bytes on either side by the threads of one warp.
/// `BulkCopy1D<Count>` copies exactly `Count` elements, a multiple of 16 bytes, from or to an `AlignedPointer`: one
/// instruction and no branches.
///
/// The object has no state. There is no bounds check: what is asked for is copied.
template <int Count = 0> class BulkCopy1D {
public:
  static_assert(Count > 0, "tma::BulkCopy1D: the count is at least 1; without one it is given at run time");

  /// Loads into `buffer`; completes a phase of `barrier`. One issuing thread. `modifiers`: those of `Issuer::load`.
  template <class T, class BufferT, class Barrier, class... Modifiers>
  TMA_DEVICE void load(const Issuer& issuer, BufferT& buffer, AlignedPointer<T> source, const Barrier& barrier,
                       const Modifiers&... modifiers) const {
    issuer.load(source.template chunk<Count>(0), buffer, barrier, modifiers...);
  }

  /// Stores from a published buffer. One issuing thread; the result waits. `modifiers`: those of `Issuer::store`.
  template <class T, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup store(const Issuer& issuer, AlignedPointer<T> destination, const Source& buffer,
                              const Modifiers&... modifiers) const {
    return issuer.store(destination.template chunk<Count>(0), buffer, modifiers...);
  }

  template <class BufferT, class T, class... More> TMA_DEVICE void load(const Issuer&, BufferT&, T*, const More&...) const {
    refuse_pointer<T>();
  }
  template <class T, class... More> TMA_DEVICE void store(const Issuer&, T*, const More&...) const { refuse_pointer<T>(); }

  template <class Derived, int Threads, class BufferT, class Pointer, class... More>
  TMA_DEVICE void load(const ThreadGroup<Derived, Threads>&, BufferT&, Pointer, const More&...) const {
    refuse_group<Derived>();
  }
  template <class Derived, int Threads, class Pointer, class... More>
  TMA_DEVICE void store(const ThreadGroup<Derived, Threads>&, Pointer, const More&...) const {
    refuse_group<Derived>();
  }

private:
  template <class T> static TMA_HOST_DEVICE constexpr void refuse_pointer() {
    static_assert(detail::always_false<T>,
                  "tma::BulkCopy1D: nothing promises that this plain pointer is a multiple of 16. Pass the kernel a "
                  "tma::AlignedPointer from tma::aligned(pointer), which looks, or copy with a BulkCopy1D of run-time "
                  "length, which takes any pointer");
  }
  template <class Group> static TMA_HOST_DEVICE constexpr void refuse_group() {
    static_assert(detail::always_false<Group>,
                  "tma::BulkCopy1D<Count>: one elected thread issues it: if (auto issuer = block.elect()) copy.load(issuer, "
                  "...) or copy.store(issuer, ...). A BulkCopy1D of run-time length takes the whole group");
  }
};

template <> class BulkCopy1D<0> {
public:
  /// Loads `count` elements of `source`, of any alignment, into `buffer`; completes a phase of `barrier`. Returns where
  /// they will be once `barrier` has been waited for: element i is `result[i]`.
  ///
  /// All threads of the group. `count` is 0 to the buffer's size, a 32-bit number; 0 completes the phase at once. Visible to every thread
  /// that waits for the phase, the bytes moved by threads as well.
  template <class Derived, int Threads, class T, class BufferT, class Barrier, class... Modifiers>
  TMA_DEVICE SharedSpan<detail::remove_cv_t<T>> load(const ThreadGroup<Derived, Threads>& group, BufferT& buffer, T* source,
                                                     detail::Int32 count, const Barrier& barrier,
                                                     const Modifiers&... modifiers) const {
    static_assert(!(detail::is_same_v<Modifiers, Multicast> || ...),
                  "tma::BulkCopy1D: a copy of run-time length has ends that threads move, into this block alone. Multicast "
                  "chunks: issuer.load(pointer.chunk<Count>(i), buffer, arrived, cluster.multicast(mask))");
    static_assert(detail::check_modifiers<detail::CopyKind::bulk_load, Modifiers...>());
    using Value = detail::remove_cv_t<T>;
    static_assert(detail::is_same_v<Value, typename BufferT::value_type>,
                  "tma::BulkCopy1D: source and destination have the same element type");
    static_assert(BufferT::is_plain && has_slack<BufferT>(),
                  "tma::BulkCopy1D: a pointer of unknown alignment needs 16 bytes of slack in shared memory: use a "
                  "tma::RaggedBuffer<T, Count>");
    detail::check(
        count >= 0 && count <= BufferT::size,
        "the count is 0 to the size of the buffer: it must not be more. Fix: a larger tma::RaggedBuffer, or several copies; "
        "the count, in elements",
        count);

    const Cut   cut(source, count);
    auto* const first = static_cast<unsigned char*>(buffer.storage()) + cut.shift;
    if (group.rank() < 32) {
      cut.move_ends(group, first, source);
      ptx::sync_warp();  // the ends are in place before the arrival below, which publishes them
      if (ptx::elect_sync()) {
        const detail::u32 address = detail::load_barrier_address(barrier);
        if constexpr (detail::checked)
          if (cut.body > 0) detail::note_copy(address, ptx::shared_address(first + cut.head), cut.body, modifiers...);
        if (cut.body > 0)
          ptx::bulk_load<detail::form_of<Modifiers...>()>(ptx::shared_address(first + cut.head), bytes_of(source) + cut.head,
                                                          cut.body, address, detail::extra_of(modifiers...));
        ptx::mbarrier_arrive_expect_tx(address, cut.body);
      }
    }
    return {reinterpret_cast<Value*>(first), count};
  }

  /// Stores a published span to `destination`, of any alignment. All threads of the group. Where span and destination
  /// lie alike modulo 16 bytes the engine moves the body, else the threads move everything: a copy loaded from one
  /// pointer and stored to another keeps the engine only if both have the same offset.
  ///
  /// `wait_source_free` of the result covers the engine's part; before the group overwrites the span it also meets
  /// (`group.sync()`).
  template <class Derived, int Threads, class T, class... Modifiers>
  TMA_DEVICE StoreGroup store(const ThreadGroup<Derived, Threads>& group, T* destination,
                              const Published<SharedSpan<T>>& source, const Modifiers&... modifiers) const {
    static_assert(!(detail::is_same_v<Modifiers, ByteMask> || ...),
                  "tma::BulkCopy1D: a copy of run-time length writes every byte. Mask stores of chunks: "
                  "issuer.store(pointer.chunk<Count>(i), ready, mask)");
    static_assert(detail::check_modifiers<detail::CopyKind::bulk_store, Modifiers...>());
    const Cut         cut(destination, source->size());
    const auto* const first  = bytes_of(source->data());
    const bool        alike  = (ptx::shared_address(first) & 15) == cut.shift;
    const Issuer      issuer = group.elect();
    StoreGroup        stores(issuer);
    if (alike) {
      if (group.rank() < 32) cut.move_ends(group, bytes_of(destination), source->data());
      if (issuer && cut.body > 0)
        detail::StoreAccess::bulk(stores, bytes_of(destination) + cut.head, first + cut.head, cut.body, modifiers...);
    } else {
      for (int i = group.rank(); i < source->size(); i += group.size()) destination[i] = (*source)[i];
    }
    return stores;
  }

  // What the two above do not take.
  template <class BufferT, class T, class... More>
  TMA_DEVICE SharedSpan<detail::remove_cv_t<T>> load(const Issuer&, BufferT&, T*, detail::Int32, const More&...) const {
    static_assert(detail::always_false<T>, "tma::BulkCopy1D: a copy of run-time length is made by all threads of a group: "
                                           "copy.load(block, buffer, pointer, count, arrived), outside of any election");
    return {nullptr, 0};
  }
  template <class T, class... More> TMA_DEVICE void store(const Issuer&, T*, const More&...) const {
    static_assert(detail::always_false<T>, "tma::BulkCopy1D: a copy of run-time length is made by all threads of a group: "
                                           "copy.store(block, pointer, ready), outside of any election");
  }
  template <class Derived, int Threads, class T, class Source>
  TMA_DEVICE void store(const ThreadGroup<Derived, Threads>&, T*, const Source&) const {
    constexpr bool published = detail::is_published_v<Source>;
    static_assert(
        published,
        "tma: the span is not published: the engine may read stale shared memory. Write auto ready = "
        "block.publish(span); by all threads that wrote it, and store ready (or tma::as_loaded(span) for bytes that "
        "a load brought and nobody changed)");
    static_assert(!published || !detail::is_const_v<T>, "tma: the destination of a store is not const");
    static_assert(!published || detail::is_const_v<T>,
                  "tma::BulkCopy1D: source and destination have the same element type, and the source is a published "
                  "tma::SharedSpan: what a load of run-time length returned");
  }

private:
  template <class T> static TMA_DEVICE auto bytes_of(T* p) {
    if constexpr (detail::is_const_v<T>) return reinterpret_cast<const unsigned char*>(p);
    else return reinterpret_cast<unsigned char*>(p);
  }

  template <class BufferT> static TMA_HOST_DEVICE constexpr bool has_slack() {
    if constexpr (requires { BufferT::has_slack; })
      return BufferT::has_slack || alignof(typename BufferT::value_type) % 16 == 0;
    else return false;
  }

  // A range of bytes of global memory, cut at the 16-byte boundaries inside it.
  struct Cut {
    detail::u32 shift;  // of the first byte from the boundary before it
    detail::u32 head;   // bytes up to the first boundary
    detail::u32 body;   // whole 16-byte pieces
    detail::u32 tail;   // what is left

    template <class T> TMA_DEVICE Cut(const T* pointer, int count) {
      const detail::u32 bytes = detail::u32(count) * detail::u32(sizeof(T));
      shift                   = detail::u32(detail::u64(pointer)) & 15;
      head                    = (16 - shift) & 15;
      if (head > bytes) head = bytes;
      body = (bytes - head) & ~15u;
      tail = bytes - head - body;
    }

    // The group's first warp moves head and tail, one unit a lane: at most 30 units of at least one byte.
    template <class Group, class T> TMA_DEVICE void move_ends(const Group& group, unsigned char* to, const T* from) const {
      using Unit                  = UnitOf<alignof(T)>;
      constexpr detail::u32 unit  = sizeof(Unit);
      const detail::u32     heads = head / unit;
      const detail::u32     lanes = group.size() < 32 ? group.size() : 32;
      for (detail::u32 i = group.rank(); i < heads + tail / unit; i += lanes) {
        const detail::u32 at              = i < heads ? i * unit : head + body + (i - heads) * unit;
        *reinterpret_cast<Unit*>(to + at) = *reinterpret_cast<const Unit*>(bytes_of(from) + at);
      }
    }
  };

  template <int Alignment> struct UnitFor {
    using type = detail::u64;
  };
  template <int Alignment> using UnitOf = typename UnitFor<Alignment>::type;
};

template <> struct BulkCopy1D<0>::UnitFor<1> {
  using type = unsigned char;
};
template <> struct BulkCopy1D<0>::UnitFor<2> {
  using type = unsigned short;
};
template <> struct BulkCopy1D<0>::UnitFor<4> {
  using type = unsigned int;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
