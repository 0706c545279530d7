// Blocks of the grid and a counter of theirs, on the machine: stands in for device/ptx_grid.
#pragma once

#include "../core/prologue.hpp"

#include "cuda/atomics.hpp"
#include "ptx_cluster.hpp"

namespace tma::inline TMA_ABI::ptx {

TMA_DEVICE u32 block_index(u32 x, u32 y, u32 z) {
  const auto& of = machine::rt::grid_size;
  return (z * of.y + y) * of.x + x;
}
TMA_DEVICE u32 block_index() {
  const auto& at = machine::rt::block_index;
  return block_index(at.x, at.y, at.z);
}
TMA_DEVICE u32 grid_blocks() {
  const auto& of = machine::rt::grid_size;
  return of.x * of.y * of.z;
}

TMA_DEVICE u32 cluster_index() {
  return (cluster_in_grid_z() * grid_clusters_y() + cluster_in_grid_y()) * grid_clusters_x() + cluster_in_grid_x();
}
TMA_DEVICE u32 grid_clusters() { return grid_clusters_x() * grid_clusters_y() * grid_clusters_z(); }

TMA_DEVICE u32 take_number(u32* counter, u32 last) { return atomicInc(counter, last); }

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
