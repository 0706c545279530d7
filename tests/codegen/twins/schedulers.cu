// Tiles for blocks that stay: what a grid-stride loop costs by hand, and taking numbers from a counter.
#include <tma/core/grouped_raster.hpp>
#include <tma/pipeline/atomic_tiles.hpp>
#include <tma/pipeline/static_tiles.hpp>
#include <tma/tma.hpp>

using u32 = unsigned;

// --- every tile that is as many blocks further ---

extern "C" __global__ void tma_static(int count, int* out) {
  for (int tile : tma::StaticTiles(count)) out[tile] = tile + int(threadIdx.x);
}
extern "C" __global__ void raw_static(int count, int* out) {
  const u32 tiles  = count > 0 ? u32(count) : 0;
  u32       tile   = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const u32 blocks = gridDim.x * gridDim.y * gridDim.z;
  for (; tile < tiles; tile += blocks) out[int(tile)] = int(tile) + int(threadIdx.x);
}

// --- in clusters of two ---

#define RAW_REGISTER(function, name)              \
  __device__ __forceinline__ u32 function() {     \
    u32 value;                                    \
    asm("mov.u32 %0, %%" name ";" : "=r"(value)); \
    return value;                                 \
  }
RAW_REGISTER(cluster_rank, "cluster_ctarank")
RAW_REGISTER(cluster_x, "clusterid.x")
RAW_REGISTER(cluster_y, "clusterid.y")
RAW_REGISTER(cluster_z, "clusterid.z")
RAW_REGISTER(clusters_x, "nclusterid.x")
RAW_REGISTER(clusters_y, "nclusterid.y")
RAW_REGISTER(clusters_z, "nclusterid.z")

extern "C" __global__ void tma_static_clusters(int count, int* out) {
  for (int tile : tma::StaticTiles<2>(count))
    if (tile < count) out[tile] = int(threadIdx.x);
}
extern "C" __global__ void raw_static_clusters(int count, int* out) {
  const u32 rank = cluster_rank(), clusters = clusters_x() * clusters_y() * clusters_z();
  const u32 units = ((count > 0 ? u32(count) : 0) + 1) / 2;
  for (u32 unit = (cluster_z() * clusters_y() + cluster_y()) * clusters_x() + cluster_x(); unit < units; unit += clusters) {
    const int tile = int(unit * 2 + rank);
    if (tile < count) out[tile] = int(threadIdx.x);
  }
}

// --- by demand ---

extern "C" __global__ void tma_atomic(int count, u32* counter, int* out) {
  tma::AtomicTiles tiles(count, counter);
  for (int tile : tiles) out[tile] = 1;
}
extern "C" __global__ void raw_atomic(int count, u32* counter, int* out) {
  const u32 blocks = gridDim.x * gridDim.y * gridDim.z, tiles = count > 0 ? u32(count) : 0;
  u32       tile = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  while (tile < tiles) {
    out[int(tile)] = 1;
    tile           = atomicInc(counter, tiles - 1) + blocks;
  }
}

// --- in groups of rows ---

extern "C" __global__ void tma_raster(int rows, int columns, int* out) {
  const tma::GroupedRaster<8> raster(rows, columns);
  for (int tile : tma::StaticTiles(raster.size())) {
    const auto at = raster(tile);
    out[tile]     = at.row * 1000 + at.column;
  }
}
extern "C" __global__ void raw_raster(int rows, int columns, int* out) {
  const u32 band = (u32(rows) < 8 ? u32(rows) : 8) * u32(columns), size = u32(rows) * u32(columns);
  const u32 tiles  = int(size) > 0 ? size : 0;
  u32       tile   = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const u32 blocks = gridDim.x * gridDim.y * gridDim.z;
  for (; tile < tiles; tile += blocks) {
    const u32 group = tile / band, in = tile - group * band, first = group * 8;
    const u32 left = u32(rows) - first, width = left < 8 ? left : 8;
    const u32 column = in / width, row = first + (in - column * width);
    out[int(tile)] = int(row) * 1000 + int(column);
  }
}
