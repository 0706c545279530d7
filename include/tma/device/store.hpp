#pragma once

#include "../core/prologue.hpp"

#include "../core/reduction.hpp"
#include "load.hpp"
#include "published.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

// A reduction: device/reduce.hpp has it.
template <Reduction Op> struct IssueReduction;

// What holds of every copy out of shared memory, whatever it does there.
template <class T> TMA_HOST_DEVICE constexpr bool check_written() {
  static_assert(!is_const_v<T>, "tma: this descriptor is of const elements: it can only be loaded from. Make one from a "
                                "view of non-const elements, which is checked for what a store needs");
  return !is_const_v<T>;
}

template <class T, int Count, class BufferT> TMA_DEVICE void check_chunk(const AlignedChunk<T, Count>& destination) {
  static_assert(!is_const_v<T>, "tma: the destination of a store is not const");
  static_assert(is_same_v<T, typename BufferT::value_type>, "tma: source and destination have the same element type");
  static_assert(BufferT::is_plain,
                "tma: a one-dimensional copy reads elements in a row; this tile is swizzled or padded. Store it through a "
                "descriptor");
  static_assert(AlignedChunk<T, Count>::payload_bytes <= BufferT::payload_bytes,
                "tma: the destination is longer than the buffer in shared memory");
  check(u64(destination.get()) % 16 == 0,
        "the destination of a bulk copy must be a multiple of 16. Fix: tma::BulkCopy1D, which copies to any address; the "
        "address modulo 16",
        i64(u64(destination.get()) % 16));
}

template <class T, int Rank, class Box, class TileT, class... Modifiers>
TMA_DEVICE void issue_store(const TmaDescriptor<T, Rank, Box>& descriptor, const place_t<Box, Rank>& at,
                            const Published<TileT>& tile, const Modifiers&... modifiers) {
  using Copies = box_copies_t<Box, Rank>;
  static_assert(Copies::stores, "tma: im2col along w alone is a way to load: PTX has no store of it");
  if constexpr (check_written<T>() && check_tile<T, Rank, Box, TileT>() &&
                check_modifiers<CopyKind::store, Modifiers...>() && Copies::stores) {
    if constexpr (checked) {
      check_copy<TileT>(descriptor, at, ptx::shared_address(tile->storage()));
      check_not_negative(at);
    }
    Copies::template store<form_of<Modifiers...>()>(tensor_map(descriptor), in_elements<T, Copies>(at),
                                                    ptx::shared_address(tile->storage()), extra_of(modifiers...));
  }
}

template <class T, int Count, class BufferT, class... Modifiers>
TMA_DEVICE void issue_store(const AlignedChunk<T, Count>& destination, const Published<BufferT>& buffer,
                            const Modifiers&... modifiers) {
  check_chunk<T, Count, BufferT>(destination);
  check_bulk_place(ptx::shared_address(buffer->storage()));
  if constexpr (check_modifiers<CopyKind::bulk_store, Modifiers...>())
    ptx::bulk_store<form_of<Modifiers...>()>(destination.get(), ptx::shared_address(buffer->storage()),
                                             AlignedChunk<T, Count>::payload_bytes, extra_of(modifiers...));
}

struct StoreAccess;

}  // namespace detail

/// The stores of one issuing thread, and their completion.
///
/// Belongs to the elected thread that made it; in other threads it does nothing. There are two completions, and they
/// are different things: `wait_source_free` (the engine has read shared memory, which may be overwritten) and
/// `wait_visible` (the bytes are written, and this thread sees them). The end of its scope waits until the sources are
/// free, so that a block does not leave with a store that still reads its shared memory.
///
/// Stores are not ordered with one another, nor with loads. A load does not complete here: it has `LoadBarrier`.
class StoreGroup {
  // What the compiler prints of a copy and of an assignment.
  using a_store_group_waits_once__move_it_or_pass_it_by_reference = StoreGroup;
  using a_store_group_is_not_assigned__call_its_store_again       = StoreGroup;

public:
  TMA_DEVICE explicit StoreGroup(const Issuer& issuer);

  template <class Other = void> TMA_DEVICE StoreGroup() { refuse<Other>(); }
  template <class Other>
    requires(!detail::is_same_v<Other, StoreGroup>)
  TMA_DEVICE explicit StoreGroup(const Other&) {
    refuse<Other>();
  }

  /// Hands the stores on, to wait for them elsewhere in the same thread.
  TMA_DEVICE StoreGroup(StoreGroup&& other) : elected_(other.elected_), unread_(other.unread_) { other.unread_ = false; }
  StoreGroup(const a_store_group_waits_once__move_it_or_pass_it_by_reference&)      = delete;
  StoreGroup& operator=(const a_store_group_is_not_assigned__call_its_store_again&) = delete;

  TMA_DEVICE ~StoreGroup() {
    if (unread_) ptx::bulk_wait_group_read<0>();
  }

  /// Stores `tile`, which must be published, to where `descriptor` has it at `at`. Elements outside the tensor are not
  /// written; `at` is not negative. `modifiers`: a CachePolicy.
  template <class T, int Rank, class Box, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup& store(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                               const Source& tile, const Modifiers&... modifiers) {
    require_published<Source>();
    if constexpr (detail::is_published_v<Source>) commit([&] { detail::issue_store(descriptor, at, tile, modifiers...); });
    return *this;
  }

  /// Stores `Count` elements from a published buffer, or tile without swizzle. `modifiers`: a CachePolicy, a ByteMask.
  template <class T, int Count, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup& store(const AlignedChunk<T, Count>& destination, const Source& buffer,
                               const Modifiers&... modifiers) {
    require_published<Source>();
    if constexpr (detail::is_published_v<Source>) commit([&] { detail::issue_store(destination, buffer, modifiers...); });
    return *this;
  }

  /// As the stores above, but combines by `Op` what it brings with what is there, element by element, each of them at once
  /// for all who reduce there. Which types: core/reduction.hpp. Needs <tma/device/reduce.hpp>.
  template <Reduction Op, class T, int Rank, class Box, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup& reduce(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                                const Source& tile, const Modifiers&... modifiers) {
    if constexpr (can_reduce<Op, Source>())
      commit([&] { detail::IssueReduction<Op>::issue(descriptor, at, tile, modifiers...); });
    return *this;
  }
  template <Reduction Op, class T, int Count, class Source, class... Modifiers>
  TMA_DEVICE StoreGroup& reduce(const AlignedChunk<T, Count>& destination, const Source& buffer,
                                const Modifiers&... modifiers) {
    if constexpr (can_reduce<Op, Source>())
      commit([&] { detail::IssueReduction<Op>::issue(destination, buffer, modifiers...); });
    return *this;
  }

  /// Until the engine has read the sources of all but the `Newer` newest stores: they may be overwritten (by this
  /// thread; by others after they have met it). Says nothing of the destination.
  template <int Newer = 0> TMA_DEVICE void wait_source_free() {
    if (elected_) ptx::bulk_wait_group_read<Newer>();
    if constexpr (Newer == 0) unread_ = false;
  }

  /// Until all but the `Newer` newest stores are written and visible to this thread; their sources are free as well.
  /// Others see them after an ordinary release by this thread. Loads by the engine of this block, issued after that, read
  /// them; those of another block after `tma::acquire_global()` (device/global_fence.hpp).
  template <int Newer = 0> TMA_DEVICE void wait_visible() {
    if (elected_) ptx::bulk_wait_group<Newer>();
    if constexpr (Newer == 0) unread_ = false;
  }

  template <class T, int Rank, class Box, class... More>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>&, const detail::place_t<Box, Rank>&, const More&...) {
    refuse_load<T>();
  }
  template <class T, int Count, class... More> TMA_DEVICE void load(const AlignedChunk<T, Count>&, const More&...) {
    refuse_load<T>();
  }

private:
  friend struct detail::StoreAccess;

  template <class Other> static TMA_HOST_DEVICE constexpr void refuse() {
    static_assert(detail::always_false<Other>,
                  "tma::StoreGroup: stores belong to the elected thread: tma::StoreGroup stores(issuer), with auto issuer = "
                  "block.elect()");
  }

  template <class T> static TMA_HOST_DEVICE constexpr void refuse_load() {
    static_assert(detail::always_false<T>, "tma: a load does not complete in a StoreGroup. Loads complete on a LoadBarrier: "
                                           "issuer.load(descriptor, at, tile, arrived), then arrived.wait()");
  }

  template <class Source> static TMA_HOST_DEVICE constexpr void require_published() {
    static_assert(detail::is_published_v<Source>,
                  "tma: the tile is not published: the engine may read stale shared memory. Write auto ready = "
                  "block.publish(tile); by all threads that wrote it, and store ready (or tma::as_loaded(tile) for "
                  "bytes that a load brought and nobody changed)");
  }

  template <Reduction Op, class Source> static TMA_HOST_DEVICE constexpr bool can_reduce() {
    require_published<Source>();
    static_assert(detail::is_complete_v<detail::IssueReduction<Op>>,
                  "tma: reductions are in a header of their own: #include <tma/device/reduce.hpp>");
    return detail::is_published_v<Source> && detail::is_complete_v<detail::IssueReduction<Op>>;
  }

  template <class Issue> TMA_DEVICE void commit(Issue issue) {
    if (elected_) {
      issue();
      ptx::bulk_commit_group();
    }
    unread_ = elected_;
  }

  bool elected_;
  bool unread_ = false;  // this thread's newest store may still read its source, and nobody has waited for it
};

namespace detail {

struct StoreAccess {
  template <class... Modifiers>
  static TMA_DEVICE void bulk(StoreGroup& stores, void* destination, const void* source, u32 bytes,
                              const Modifiers&... modifiers) {
    stores.commit([&] {
      ptx::bulk_store<form_of<Modifiers...>()>(destination, ptx::shared_address(source), bytes, extra_of(modifiers...));
    });
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
