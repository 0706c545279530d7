// What the bench measures of a ring, and in which shapes: the same for every implementation.
//
// A ring is a producer warp, whose one elected thread loads tile after tile, and consumer warps, which all use every tile.
// All implementations load the same boxes of the same tensor map: rows of 32 floats, so that a tile is contiguous.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

namespace ring {

enum class Measure {
  stream,         // steps of the loop
  issue_to_wait,  // one load into an idle ring: from before the producer acquires until a consumer has the tile
  hand_off        // a full ring: from before the consumers' release until the producer may load
};

// Who reads the tiles of a ring, which decides what its producer does before it loads over them: where threads read, PTX
// asks for a proxy fence between their reads and the engine's write; the matrix units read as the engine writes. Rings of
// both kinds are measured by the same consumers, which are threads, so that the two differ in the fence and in nothing else.
enum class Reads { threads, matrix };

inline const char* name(Reads reads) { return reads == Reads::threads ? "threads" : "matrix"; }

struct Config {
  int stages, tile_bytes, consumer_warps;
};

inline constexpr int row_bytes = 128;

inline constexpr int tile_sizes[] = {1024, 4096, 16384};

// A configuration as a type.
template <int Stages, int TileBytes, int ConsumerWarps> struct Shape {
  static constexpr int    stages = Stages, tile_bytes = TileBytes, consumer_warps = ConsumerWarps;
  static constexpr int    consumers = 32 * consumer_warps, threads = consumers + 32;
  static constexpr Config config() { return {stages, tile_bytes, consumer_warps}; }
};

namespace detail {

template <int... I> struct Ints {};

template <int S, int T, class F, int... W> void   each_warps(F& f, Ints<W...>) { (f(Shape<S, T, W>()), ...); }
template <int S, class F, int... T, class W> void each_tile(F& f, Ints<T...>, W warps) { (each_warps<S, T>(f, warps), ...); }
template <class F, int... S, class T, class W> void each(F& f, Ints<S...>, T tiles, W warps) {
  (each_tile<S>(f, tiles, warps), ...);
}

}  // namespace detail

// Calls f(Shape) for each configuration of a measurement. The latencies are of one ring depth: they do not depend on it.
template <Measure M, class F> void each_shape(F f) {
  using detail::Ints;
  if constexpr (M == Measure::stream) detail::each(f, Ints<1, 2, 4, 8>(), Ints<1024, 4096, 16384>(), Ints<1, 4, 8, 12>());
  else if constexpr (M == Measure::issue_to_wait) detail::each(f, Ints<4>(), Ints<1024, 4096, 16384>(), Ints<1, 8>());
  else detail::each(f, Ints<4>(), Ints<1024>(), Ints<1, 4, 8, 12>());
}

// Which tiles a block loads, and how much of each its consumers read.
struct Work {
  int  steps;
  int  block_stride, step_stride, mask, first;  // tile of step i: first + block * block_stride + (i & mask) * step_stride
  bool whole;                                   // consumers read all of each tile; else a vector of 16 bytes each

  __host__ __device__ int tile(int block, int i) const { return first + block * block_stride + (i & mask) * step_stride; }
};

// Where a kernel writes.
struct Results {
  unsigned*  folded;    // a value for each consumer of each block: what it has read
  unsigned*  arrivals;  // null, or a sum over block 0's barriers: arrivals that complete a phase
  long long* begin;     // of latencies, by step
  long long* end;       // by step and consumer warp
};

struct Job {
  Work    work;
  int     blocks;
  Results results;
};

struct Variant {
  std::string                     implementation;
  Measure                         measure;
  Reads                           reads;
  Config                          config;
  int                             arrivals_per_stage;  // by its protocol; the bench counts them as well
  std::function<void(const Job&)> launch;
};

struct Source {
  const float* data;
  std::size_t  bytes;
  CUtensorMap  maps[3];  // by tile_sizes

  const CUtensorMap& map(int tile_bytes) const {
    for (int i = 0; i < 2; ++i)
      if (tile_sizes[i] == tile_bytes) return maps[i];
    return maps[2];
  }
};

using Variants = std::vector<Variant>;

void add_ours(Variants& to, const Source& source);
void add_hand(Variants& to, const Source& source);
#if defined(TMA_BENCH_CUTLASS)
void        add_cutlass(Variants& to, const Source& source);
std::string cutlass_version();
#endif

// What scopes cost, in PTX: a name and a launch whose average cycles go to `cycles`.
struct Form {
  std::string                        name;
  std::function<void(float* cycles)> launch;
};
std::vector<Form> scopes();

}  // namespace ring
