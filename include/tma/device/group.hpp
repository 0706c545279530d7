#pragma once

#include "../core/prologue.hpp"

#include "../core/pack.hpp"
#include "../core/shared_span.hpp"
#include "issuer.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

// One thread's share of a sequence: elements rank, rank + threads, rank + 2 threads, ...
//
// `Threads` and `Size` are 0 where they are known at run time only. Where both are known and divide, the loop has a
// constant trip count, and the compiler unrolls it.
template <class Access, int Size, int Threads> class Share {
public:
  static constexpr bool even = Size > 0 && Threads > 0 && Size % (Threads > 0 ? Threads : 1) == 0;

  struct End {};
  class Iterator {
  public:
    TMA_DEVICE decltype(auto) operator*() const { return access_(at_, further_); }
    TMA_DEVICE Iterator&      operator++() {
      if constexpr (even) further_ += Threads;
      else at_ += threads_;
      return *this;
    }
    TMA_DEVICE bool operator!=(End) const {
      if constexpr (even) return further_ < Size;
      else return at_ < size_;
    }

  private:
    friend class Share;
    TMA_DEVICE Iterator(Access access, int size, int rank, int threads)
        : access_(access),
          size_(size),
          threads_(threads),
          at_(rank) {}

    Access access_;
    int    size_, threads_, at_;
    int    further_ = 0;
  };

  TMA_DEVICE Share(Access access, int size, int rank, int threads) : first_(access, size, rank, threads) {}

  TMA_DEVICE Iterator begin() const { return first_; }
  TMA_DEVICE End      end() const { return {}; }

private:
  Iterator first_;
};

// True where `Step` elements on, in C order, is as far on in shared memory: whole repeats of the swizzle. One address then
// serves all of a thread's elements.
template <class Tile, int Step> TMA_HOST_DEVICE constexpr bool keeps_distance() {
  if constexpr (Tile::is_plain) return false;  // the compiler sees it by itself
  else
    return Step > 0 && Tile::pitch_bytes == Tile::row_bytes &&
           Step * int(sizeof(typename Tile::value_type)) % Tile::alignment == 0;
}

// The element, or vector, `further` after the i-th, where `further` is a multiple of `Threads`.
template <class Tile, int Threads> struct ElementAt {
  Tile*                     tile;
  TMA_DEVICE decltype(auto) operator()(int i, int further) const {
    if constexpr (keeps_distance<Tile, Threads>()) return (&(*tile)[i])[further];
    else return (*tile)[i + further];
  }
};

template <class Tile, int N, int Threads> struct VectorAt {
  Tile*                     tile;
  TMA_DEVICE decltype(auto) operator()(int i, int further) const {
    if constexpr (keeps_distance<Tile, N * Threads>()) return (&tile->template vector<N>(i))[further];
    else return tile->template vector<N>(i + further);
  }
};

template <class T> struct SpanAt {
  T*            data;
  TMA_DEVICE T& operator()(int i, int) const { return data[i]; }
};

// Copies asked of a group as a whole: refused, with what to write instead.
struct IssuesNothing {
  template <class T, int Rank, class DescriptorTile, class... More>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, DescriptorTile>&, const type_identity_t<Coord<Rank>>&,
                       const More&...) const {
    refuse_load<T>();
  }
  template <class T, int Count, class... More> TMA_DEVICE void load(const AlignedChunk<T, Count>&, const More&...) const {
    refuse_load<T>();
  }
  template <class T, int Rank, class DescriptorTile, class... More>
  TMA_DEVICE void store(const TmaDescriptor<T, Rank, DescriptorTile>&, const type_identity_t<Coord<Rank>>&,
                        const More&...) const {
    refuse_store<T>();
  }
  template <class T, int Count, class... More> TMA_DEVICE void store(const AlignedChunk<T, Count>&, const More&...) const {
    refuse_store<T>();
  }

private:
  template <class T> static TMA_HOST_DEVICE constexpr void refuse_load() {
    static_assert(always_false<T>, "tma: copies are issued by an elected thread: if (auto issuer = block.elect()) "
                                   "issuer.load(descriptor, at, tile, arrived)");
  }
  template <class T> static TMA_HOST_DEVICE constexpr void refuse_store() {
    static_assert(always_false<T>, "tma: copies are issued by an elected thread: if (auto issuer = block.elect()) "
                                   "issuer.store(descriptor, at, ready)");
  }
};

template <class T> inline constexpr bool is_span_v                = false;
template <class T> inline constexpr bool is_span_v<SharedSpan<T>> = true;

}  // namespace detail

/// What a group of threads does together: the base of `Block` and of the pipeline's consumers.
///
/// A group has a rank for each of its threads (0 to size - 1), formed into warps of 32 in rank order. Its members call
/// the functions marked "all threads" together, none of them diverged.
template <class Derived, int Threads> class ThreadGroup : public detail::IssuesNothing {
public:
  ThreadGroup(const ThreadGroup&)            = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  /// This thread's rank in the group.
  TMA_DEVICE int rank() const { return int(rank_); }
  /// Threads in the group.
  TMA_DEVICE int size() const {
    if constexpr (Threads > 0) return Threads;
    else return size_;
  }

  /// All threads. The right to issue copies, to one thread of the group's first warp, the same one at every call.
  [[nodiscard]] TMA_DEVICE Issuer elect() const {
    // Not `&&`: the election is for whole warps, and a branch around it would only cost.
    const bool one = ptx::elect_sync();
    return detail::IssuerAccess::make(one & (rank_ < 32));
  }

  /// All threads that wrote `source`, and those that will store it. Orders every member's earlier accesses to shared
  /// memory before later stores of it by the copy engine (each thread fences, then the group meets). The result is what
  /// a store takes; a write to `source` after this call is not in it. It refers to `source`, which must live as long: a
  /// temporary is refused.
  template <class Source> [[nodiscard]] TMA_DEVICE Published<Source> publish(const Source& source) const {
    ptx::fence_proxy_async_shared();
    static_cast<const Derived*>(this)->sync();
    return detail::PublishAccess::publish(source);
  }
  template <class Source> TMA_DEVICE Published<Source> publish(const Source&& source) const {
    refuse_temporary<Source>();
    return detail::PublishAccess::publish(source);
  }

  /// Publishes several at the cost of one: `auto [a, b] = block.publish(tile_a, tile_b);`
  template <class First, class Second, class... More>
  [[nodiscard]] TMA_DEVICE auto publish(const First& first, const Second& second, const More&... more) const {
    ptx::fence_proxy_async_shared();
    static_cast<const Derived*>(this)->sync();
    return detail::Pack<Published<First>, Published<Second>, Published<More>...>{{detail::PublishAccess::publish(first)},
                                                                                 {detail::PublishAccess::publish(second)},
                                                                                 {detail::PublishAccess::publish(more)}...};
  }
  template <class... Sources>
    requires(sizeof...(Sources) > 1 && !(detail::is_lvalue_v<Sources> && ...))
  TMA_DEVICE auto publish(Sources&&... sources) const {
    refuse_temporary<Sources...>();
    return publish(static_cast<const detail::remove_cvref_t<Sources>&>(sources)...);
  }

  /// All threads. They have read what they want of `place` (a tile, buffer or span), and a load may overwrite it: every
  /// member's earlier accesses are ordered before later loads into it. The group meets; the warp that issues fences after
  /// that. Not needed after a store of a published tile: its `wait_source_free` and a meeting are enough.
  template <class Place> TMA_DEVICE void release([[maybe_unused]] const Place& place) const {
    static_cast<const Derived*>(this)->sync();
    if (rank_ < 32) ptx::fence_proxy_async_shared();
  }

  /// This thread's share of the elements of a tile or buffer, for a range-for: together the members visit each once.
  template <class TileT>
    requires(!detail::is_span_v<TileT>)
  TMA_DEVICE auto elements(TileT& tile) const {
    constexpr bool has_size = requires { TileT::size; };
    static_assert(has_size, "tma: elements() goes over a tma::Tile, a tma::Buffer or a tma::SharedSpan");
    if constexpr (has_size)
      return detail::Share<detail::ElementAt<TileT, Threads>, TileT::size, Threads>({&tile}, TileT::size, rank(), size());
    else return elements(SharedSpan<int>(nullptr, 0));
  }

  /// The same of what a copy of run-time length has loaded.
  template <class T> TMA_DEVICE auto elements(const SharedSpan<T>& span) const {
    return detail::Share<detail::SpanAt<T>, 0, Threads>({span.data()}, span.size(), rank(), size());
  }

  /// The same by groups of `N` neighbouring elements of a row, at most 16 bytes: one shared-memory access each.
  template <int N, class TileT> TMA_DEVICE auto vectors(TileT& tile) const {
    constexpr bool has_size = requires { TileT::row_elements; } || detail::is_buffer_v<detail::remove_cv_t<TileT>>;
    static_assert(has_size, "tma: vectors() goes over a tma::Tile or a tma::Buffer, whose elements are aligned");
    if constexpr (has_size) {
      static_assert(TileT::size % N == 0, "tma: the tile holds a whole number of vectors");
      using At = detail::VectorAt<TileT, N, Threads>;
      return detail::Share<At, TileT::size / N, Threads>({&tile}, TileT::size / N, rank(), size());
    } else {
      return elements(SharedSpan<Vec<int, 1>>(nullptr, 0));
    }
  }

private:
  template <class... Sources> static TMA_HOST_DEVICE constexpr void refuse_temporary() {
    static_assert(detail::always_false<Sources...>,
                  "tma: what publish() returns refers to its argument, which must be a variable: this is a temporary, which "
                  "ends with the statement. Give it a name first: auto span = ...; auto ready = block.publish(span);");
  }

protected:
  TMA_DEVICE explicit ThreadGroup(detail::u32 rank) : rank_(rank), size_(int(ptx::block_threads())) {}

  detail::u32 rank_;
  int         size_;  // of the block: asked for once
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
