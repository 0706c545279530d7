// What all ways to share a tile have in common: the matrix, who reads what of it when, and what is done with the bytes.
//
// A cluster reads every `clusters`-th tile of a matrix whose rows are 1 KiB; each of its blocks gets the whole tile. A tile is
// contiguous in memory and lies in shared memory as it does there.
#pragma once

#include <cuda.h>

#include <functional>
#include <vector>

namespace sharing {

constexpr int row_words = 256, row_bytes = 1024;

// How the blocks of a cluster come by a tile that all of them need.
enum class Form {
  each,    // each block loads all of it for itself
  slices,  // each block loads a slice, and multicasts it to all
  turns,   // the blocks take turns: one loads all of it, and multicasts it
  one,     // the first block loads all tiles
};

// What consumers do with a tile: each thread of a warp looks at one word of it; or 8 warps read all, and each frees it; or they
// read all, meet, and free it once.
enum class Reads { sample, all, all_then_meet };

__host__ __device__ constexpr int consumer_warps(Reads r) { return r == Reads::sample ? 1 : 8; }
__host__ __device__ constexpr int releases(Reads r) { return r == Reads::all ? 8 : 1; }
__host__ __device__ constexpr int threads(Reads r) { return 32 + 32 * consumer_warps(r); }

// KiB of a tile. Each warp that reads costs arrivals in every block: larger tiles, fewer of them.
constexpr int rows_of_tile(Reads r) { return r == Reads::sample ? 16 : 32; }
// Two blocks fit on a multiprocessor.
constexpr int stages_of(int tile_rows) { return 96 / tile_rows; }

struct Work {
  int clusters, steps;  // tiles that each cluster reads
  int tiles;            // of the part of the matrix that is read, over and over where it has fewer than are read
  int sharing;          // blocks that read the same tiles
};

// The tiles of one cluster.
class Walk {
public:
  __device__ explicit Walk(const Work& work)
      : index_(int(blockIdx.x) / work.sharing),
        clusters_(work.clusters),
        tiles_(work.tiles) {}
  __device__ int  index() const { return index_; }
  __device__ void next() {
    index_ += clusters_;
    if (index_ >= tiles_) index_ -= tiles_;
  }

private:
  int index_, clusters_, tiles_;
};

// Depends on every word that was read, and on their order.
template <Reads R> struct Fold {
  static constexpr int threads = 32 * consumer_warps(R);
  unsigned             value   = 0;

  __device__ __forceinline__ void take(const unsigned* tile, int words, int rank, int step) {
    if constexpr (R == Reads::sample) {
      add(tile[(step * threads + rank) % words]);
    } else {
      const auto* vectors = reinterpret_cast<const uint4*>(tile);
#pragma unroll 4
      for (int v = rank; v < words / 4; v += threads) add(vectors[v].x ^ vectors[v].y ^ vectors[v].z ^ vectors[v].w);
    }
  }
  __device__ void add(unsigned word) { value = value * 31 + word; }
};

// A launch: where it reads, how, and where each consumer thread leaves its fold.
struct Source {
  const unsigned* matrix;  // of 1 KiB rows
  long long       rows;
  Work            work;
  unsigned*       folded;
};

// A kernel of one form and geometry.
struct Way {
  Form  form      = Form::each;
  Reads reads     = Reads::sample;
  int   blocks    = 1;  // in a cluster
  int   tile_rows = 0;  // KiB of a tile
  int   stages    = 0;
  int   shared    = 0;  // bytes of a block
  bool  by_hand   = false;
  bool  own       = false;  // of `each`: the blocks read different tiles

  const void*                        kernel = nullptr;
  std::function<void(const Source&)> launch = {};

  int tile_bytes() const { return tile_rows * row_bytes; }
};

Way hand(Form form, Reads reads, int blocks);
// Those of the library that are compiled.
std::vector<Way> ours();
Way              ours_each(Reads reads, int blocks);
Way              ours_one(int blocks);  // all is read

// A descriptor of boxes of `box_rows` whole rows, by hand.
CUtensorMap encode(const unsigned* matrix, long long rows, int box_rows);

}  // namespace sharing
