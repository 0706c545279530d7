#pragma once

#include "load.hpp"
#include "store.hpp"

namespace tma {

/// The right to issue copies: held by one thread of a group, from `block.elect()`. There is no other way to get one.
///
///     if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
///
/// True in the elected thread. In the others it is false and whatever is asked of it does nothing, so that a copy is
/// issued once even where the `if` was forgotten.
class Issuer {
  // What the compiler prints where an issuer is copied or made by hand.
  using the_right_to_issue_stays_with_the_elected_thread__pass_it_by_reference = Issuer;
  using an_issuer_comes_from_block_elect                                       = bool;

public:
  Issuer(const the_right_to_issue_stays_with_the_elected_thread__pass_it_by_reference&)            = delete;
  Issuer& operator=(const the_right_to_issue_stays_with_the_elected_thread__pass_it_by_reference&) = delete;

  TMA_DEVICE explicit operator bool() const { return elected_; }

  /// Loads the tile of `descriptor` at `at` into `tile`; completes a phase of `barrier` (a LoadBarrier or its
  /// MbarrierPhase) by itself. Elements outside the tensor are filled, and counted. Returns at once. Where threads have
  /// used the tile before, they release it first (`block.release(tile)`). For several loads that complete together:
  /// `LoadBatch`.
  template <class T, int Rank, class DescriptorTile, class TileT, class Barrier>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, DescriptorTile>& descriptor,
                       const detail::type_identity_t<Coord<Rank>>& at, TileT& tile, const Barrier& barrier) const {
    LoadBatch(*this, barrier).load(descriptor, at, tile);
  }

  /// Loads `Count` elements into `buffer`; completes a phase of `barrier` by itself.
  template <class T, int Count, class BufferT, class Barrier>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, BufferT& buffer, const Barrier& barrier) const {
    LoadBatch(*this, barrier).load(source, buffer);
  }

  /// Stores a published tile to where `descriptor` has it at `at`. The result waits, at its scope's end by itself.
  template <class T, int Rank, class DescriptorTile, class Source>
  TMA_DEVICE StoreGroup store(const TmaDescriptor<T, Rank, DescriptorTile>& descriptor,
                              const detail::type_identity_t<Coord<Rank>>& at, const Source& tile) const {
    StoreGroup stores(*this);
    stores.store(descriptor, at, tile);
    return stores;
  }

  /// Stores `Count` elements from a published buffer.
  template <class T, int Count, class Source>
  TMA_DEVICE StoreGroup store(const AlignedChunk<T, Count>& destination, const Source& buffer) const {
    StoreGroup stores(*this);
    stores.store(destination, buffer);
    return stores;
  }

  template <class T, int Rank, class DescriptorTile, class Source, class Barrier>
  TMA_DEVICE void store(const TmaDescriptor<T, Rank, DescriptorTile>&, const detail::type_identity_t<Coord<Rank>>&,
                        const Source&, const Barrier&) const {
    detail::refuse_barrier<Barrier>();
  }
  template <class T, int Count, class Source, class Barrier>
  TMA_DEVICE void store(const AlignedChunk<T, Count>&, const Source&, const Barrier&) const {
    detail::refuse_barrier<Barrier>();
  }

  template <class T, int Rank, class DescriptorTile, class TileT>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, DescriptorTile>&, const detail::type_identity_t<Coord<Rank>>&,
                       const TileT&) const {
    static_assert(detail::always_false<TileT>, "tma: a load says what it completes on: issuer.load(descriptor, at, tile, "
                                               "arrived), then arrived.wait()");
  }
  template <class T, int Count, class BufferT> TMA_DEVICE void load(const AlignedChunk<T, Count>&, const BufferT&) const {
    static_assert(detail::always_false<BufferT>, "tma: a load says what it completes on: issuer.load(chunk, buffer, "
                                                 "arrived), then arrived.wait()");
  }

private:
  friend struct detail::IssuerAccess;
  TMA_DEVICE explicit Issuer(an_issuer_comes_from_block_elect elected = false) : elected_(elected) {}
  bool elected_;
};

namespace detail {

struct IssuerAccess {
  static TMA_DEVICE Issuer make(bool elected) { return Issuer(elected); }
};

}  // namespace detail

template <class Barrier>
TMA_DEVICE LoadBatch::LoadBatch(const Issuer& issuer, const Barrier& barrier)
    : elected_(bool(issuer)),
      barrier_(detail::load_barrier_address(barrier)) {}

TMA_DEVICE StoreGroup::StoreGroup(const Issuer& issuer) : elected_(bool(issuer)) {}

}  // namespace tma
