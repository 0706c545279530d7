#pragma once

#include "../core/prologue.hpp"

#include "../core/tile_or_end.hpp"
#include "../core/tile_or_end64.hpp"
#include "../device/grid.hpp"
#include "../device/step_count.hpp"

namespace tma::inline TMA_ABI {

/// The tiles of this block in a kernel that has fewer blocks than tiles: its own index in the grid, and from there on every
/// tile that is as many blocks further.
///
///     for (int tile : tma::StaticTiles(count)) ...     // `count` tiles, numbered from 0; 0 and less do nothing
///
/// With clusters, `ClusterSize` is the number of blocks in each (0: whatever the kernel was launched with). A cluster then
/// takes `ClusterSize` tiles at a step, one for each block by its rank: cluster c begins with tile c * ClusterSize + rank. All
/// blocks of a cluster take the same number of steps, so that loads for one another, arrivals and meetings agree. Where
/// `count` is no multiple, the last step gives some blocks a tile of `count` or more: such a block has no tile, and takes the
/// step as the others do. (A `tma::GroupedRaster` of the cluster's shape has a size that is a multiple, and says `valid`.)
///
/// Each thread that walks has one of its own: all threads of a block, or the producer's and each consumer's, see the same
/// sequence, and no memory is shared. `next()` is the same walk, asked step by step; it goes on where the last step was.
///
/// The grid, of any shape, has up to 2^31 - 1 blocks, counted x fastest; `count` is up to 2^31 - 1, with clusters up to
/// 2^31 - ClusterSize. Of a count of 64 bits the tiles are `long long`, and `next()` answers a `tma::TileOrEnd64`; with
/// clusters `Index` says so: `tma::StaticTiles<2, long long>(count)`.
template <int ClusterSize = 1, class Index = int> class StaticTiles {
  using u32 = detail::u32;

public:
  static_assert(detail::is_same_v<Index, int> || detail::is_same_v<Index, long long>,
                "tma::StaticTiles: tiles are counted by int or by long long");
  static_assert(ClusterSize >= 0 && ClusterSize <= 16, "tma::StaticTiles: a cluster has at most 8 blocks, 16 where the "
                                                       "device allows it");

  struct End {};

  class Iterator {
    using Number = detail::conditional_t<detail::is_same_v<Index, int>, u32, detail::u64>;

  public:
    TMA_DEVICE Index operator*() const {
      if constexpr (ClusterSize == 1) return Index(at_);
      else return Index(at_ * size() + rank_);
    }
    // No sum of two numbers below 2^31 is too large for 32 bits without sign.
    TMA_DEVICE Iterator& operator++() {
      at_ += step_;
      return *this;
    }
    TMA_DEVICE bool operator!=(End) const { return at_ < end_; }

  private:
    friend class StaticTiles;
    TMA_DEVICE explicit Iterator(Index count) {
      const Number tiles = count > 0 ? Number(count) : 0;
      if constexpr (ClusterSize == 1) {
        at_   = ptx::block_index();
        step_ = ptx::grid_blocks();
        end_  = tiles;
      } else {
        if constexpr (detail::checked && ClusterSize > 0)
          detail::check(ptx::cluster_size() == ClusterSize,
                        "tma::StaticTiles is of another cluster: launch the kernel with .cluster = its size",
                        ptx::cluster_size());
        rank_ = ptx::cluster_rank();
        size_ = ptx::cluster_size();
        at_   = ptx::cluster_index();
        step_ = ptx::grid_clusters();
        end_  = (tiles + size() - 1) / size();
      }
    }

    TMA_DEVICE u32 size() const {
      if constexpr (ClusterSize > 0) return ClusterSize;
      else return size_;
    }

    Number at_, end_, step_;  // in clusters, where there are
    u32    rank_ = 0, size_ = 1;
  };

  template <class Count>
    requires(detail::is_count_v<Count>)
  TMA_DEVICE explicit StaticTiles(Count count) : at_(Index(detail::step_count(count))) {
    static_assert(
        sizeof(detail::step_t<Count>) <= sizeof(Index),
        "tma::StaticTiles: the count has 64 bits and would be cut: tma::StaticTiles<ClusterSize, long long>(count), "
        "or int(count) where it is known to fit");
  }

  TMA_DEVICE Iterator begin() const { return at_; }
  TMA_DEVICE End      end() const { return {}; }

  /// The next tile of this block, or that there is none.
  TMA_DEVICE auto next() {
    if constexpr (detail::is_same_v<Index, int>) return next_as<TileOrEnd>();
    else return next_as<TileOrEnd64>();
  }

private:
  template <class Answer> TMA_DEVICE Answer next_as() {
    if (!(at_ != End())) return {};
    const Answer tile(*at_);
    ++at_;
    return tile;
  }

  Iterator at_;
};

template <class Count> StaticTiles(Count) -> StaticTiles<1, detail::step_t<Count>>;

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
