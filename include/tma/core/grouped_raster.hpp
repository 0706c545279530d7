#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "count.hpp"
#include "meta.hpp"
#include "raster_group.hpp"
#include "tile_place.hpp"

namespace tma::inline TMA_ABI {

/// The order in which the tiles of a grid are taken: index -> row and column, each tile once.
///
/// The grid is cut into bands of `Group` rows. A band is walked column by column, and in a column from the first row of the
/// band to its last; the last band may be narrower. Blocks that run at the same time then share rows and columns of their
/// inputs in L2: with 8 rows a band and 64 blocks, 8 rows of A and 8 columns of B instead of 1 and 64. `RasterGroup::columns`:
/// bands of columns, walked row by row. `Group` 1 is plain row-major order, or column-major.
///
///     tma::GroupedRaster<8> raster(rows, columns);
///     for (int tile : tma::StaticTiles(raster.size())) {
///       auto [batch, row, column, valid] = raster(tile);
///
/// A cluster of `ClusterRows` x `ClusterColumns` blocks takes as many neighbouring tiles, and what is walked is these
/// rectangles. Rank r of the cluster has row r / ClusterColumns and column r % ClusterColumns of them. Where rows or columns
/// do not divide, the last rectangles reach beyond the grid: `size()` counts their tiles as well, so that all blocks of a
/// cluster take a step, and `valid` is false of those outside. A load there brings zeros, a store by the engine writes
/// nothing; who writes by threads asks `valid`.
///
/// A third extent, `batches`, is walked slowest. Any thread, and the host; it holds numbers alone. `size()` is at most
/// 2^31 - 1; extents are 0 or more: host code and the simulator refuse others, a kernel on a device does not look. An extent or
/// an index of 64 bits is refused.
template <int Group = 8, RasterGroup Of = RasterGroup::rows, int ClusterRows = 1, int ClusterColumns = 1>
class GroupedRaster {
  using u32 = detail::u32;

public:
  static_assert(Group >= 1 && Group <= 65535, "tma::GroupedRaster: a band has 1 to 65535 rows or columns");
  static_assert(ClusterRows >= 1 && ClusterColumns >= 1 && ClusterRows * ClusterColumns <= 16,
                "tma::GroupedRaster: a cluster has 1 to 16 blocks");

  static constexpr int cluster_size = ClusterRows * ClusterColumns;

  TMA_HOST_DEVICE constexpr GroupedRaster(detail::Int32 rows, detail::Int32 columns, detail::Int32 batches = 1)
      : rows_(u32(rows)),
        columns_(u32(columns)),
        batches_(u32(batches)),
        across_((by_rows ? rectangle_rows() : rectangle_columns())),
        along_((by_rows ? rectangle_columns() : rectangle_rows())),
        band_((across_ < Group ? across_ : Group) * along_) {
#if TMA_HAS_HOST_TEXT
    constexpr detail::i64 most  = 0x7fffffff;
    const detail::i64     place = detail::i64(across_) * along_;  // of a batch, in clusters
    const detail::i64     plane = place > most ? place : place * cluster_size;
    if (rows < 0 || columns < 0 || batches < 0)
      detail::refuse_count(
          "the extents of a tma::GroupedRaster must be 0 or more. Fix: look for a subtraction that went below "
          "zero; the smallest extent",
          rows < columns ? (rows < batches ? rows : batches) : (columns < batches ? columns : batches));
    else if (plane > most || plane * batches_ > most)
      detail::refuse_count(
          "the tiles of a tma::GroupedRaster must be at most 2^31 - 1. Fix: use larger tiles, or a launch for "
          "each part of the batches; tiles of one batch",
          plane);
#endif
  }

  /// How many indices there are: the tiles of the grid, and those of clusters that reach beyond it.
  TMA_HOST_DEVICE constexpr int size() const { return int(across_ * along_ * batches_ * cluster_size); }

  /// The place of `index`, 0 to size() - 1. Index modulo the cluster's size is the rank in it: what `StaticTiles` and the
  /// other schedulers give each block of a cluster.
  TMA_HOST_DEVICE constexpr TilePlace operator()(detail::Int32 index) const {
    const u32 unit = u32(index) / cluster_size, rank = u32(index) % cluster_size;
    const u32 plane = across_ * along_;
    const u32 batch = batches_ == 1 ? 0 : unit / plane;
    const u32 rest  = unit - batch * plane;
    const u32 band  = rest / band_;
    const u32 in    = rest - band * band_;
    const u32 first = band * Group;
    u32       a = first, b = in;
    if constexpr (Group > 1) {
      const u32 left = across_ - first, width = left < Group ? left : Group;
      b = in / width;
      a = first + (in - b * width);
    }
    const u32 row    = (by_rows ? a : b) * ClusterRows + rank / ClusterColumns;
    const u32 column = (by_rows ? b : a) * ClusterColumns + rank % ClusterColumns;
    return {int(batch), int(row), int(column), cluster_size == 1 || (row < rows_ && column < columns_)};
  }

private:
  static constexpr bool by_rows = Of == RasterGroup::rows;

  TMA_HOST_DEVICE constexpr u32 rectangle_rows() const { return (rows_ + (ClusterRows - 1)) / ClusterRows; }
  TMA_HOST_DEVICE constexpr u32 rectangle_columns() const { return (columns_ + (ClusterColumns - 1)) / ClusterColumns; }

  u32 rows_, columns_, batches_;
  u32 across_, along_;  // rectangles across the bands, and along them
  u32 band_;            // rectangles in a band that is whole
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
