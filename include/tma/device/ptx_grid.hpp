// Which block of the grid this is, and the numbers that blocks take from a counter of the grid.
#pragma once

#include "../core/prologue.hpp"

#include "ptx_cluster.hpp"

namespace tma::inline TMA_ABI::ptx {

/// A block's index in the grid, x fastest; this block's; and the number of blocks. For grids of fewer than 2^32 blocks.
TMA_DEVICE u32 block_index(u32 x, u32 y, u32 z) { return (z * gridDim.y + y) * gridDim.x + x; }
TMA_DEVICE u32 block_index() { return block_index(blockIdx.x, blockIdx.y, blockIdx.z); }
TMA_DEVICE u32 grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }

/// The same of clusters; of blocks in a kernel without.
TMA_DEVICE u32 cluster_index() {
  return (cluster_in_grid_z() * grid_clusters_y() + cluster_in_grid_y()) * grid_clusters_x() + cluster_in_grid_x();
}
TMA_DEVICE u32 grid_clusters() { return grid_clusters_x() * grid_clusters_y() * grid_clusters_z(); }

/// The number at `counter`, which then is one more, and 0 after `last`. Orders nothing (atom.relaxed.gpu.inc).
TMA_DEVICE u32 take_number(u32* counter, u32 last) { return atomicInc(counter, last); }

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
