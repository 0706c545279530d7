// The bench of reading: its kernels' shapes, and who adds variants.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "../harness/bench.hpp"
#include "../harness/require.hpp"

namespace bandwidth {

using Word = unsigned;

inline constexpr int consumers = 128;  // threads that fold what arrives, in every ring

// What is read: words one after another, which are a matrix as well.
struct Source {
  static constexpr int columns = 16384;  // of the matrix: 64 KiB a row

  const Word* data;
  long long   words;
  Word*       sum;  // of all words, modulo 2^32: wrong where one is left out or read twice
  int         multiprocessors;
};

// What a variant is, beside how to launch it: the axes of the plot.
struct Config {
  std::string structure;
  int         tile_bytes = 0, stages = 0, blocks = 0;  // blocks: on each multiprocessor
  double      in_flight() const { return double(tile_bytes) * stages * blocks; }
};

struct Reader {
  Config                config;
  harness::Kind         kind = harness::Kind::ours;
  std::function<void()> launch;

  std::string name() const {
    char text[96];
    if (config.stages == 0) std::snprintf(text, sizeof text, "%s", config.structure.c_str());
    else
      std::snprintf(text, sizeof text, "%s %g KiB x %d x %d", config.structure.c_str(), config.tile_bytes / 1024.,
                    config.stages, config.blocks);
    return text;
  }
};
using Readers = std::vector<Reader>;

// Adds `kernel` with so many blocks on each multiprocessor as fit: `launch(blocks)` queues it.
template <class Kernel, class Launch>
void add_for_blocks(Readers& to, harness::Kind kind, const Config& config, Kernel* kernel, int threads, int shared,
                    Launch launch) {
  if (shared > 48 * 1024)
    harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
                     "cudaFuncSetAttribute");
  int most = 0;
  harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, threads, std::size_t(shared)), "occupancy");
  for (const int blocks : {1, 2, 3, 4, 6, 8}) {
    if (blocks > most) break;
    Reader& reader       = to.emplace_back();
    reader.config        = config;
    reader.config.blocks = blocks;
    reader.kind          = kind;
    reader.launch        = [=] { launch(blocks); };
  }
}

void add_bulk(Readers& to, const Source& source);    // by this library, in one dimension
void add_tensor(Readers& to, const Source& source);  // in two
void add_hand(Readers& to, const Source& source);
void add_plain(Readers& to, const Source& source);
void add_cub(Readers& to, const Source& source);
#ifdef TMA_BENCH_CUTLASS
void add_cute(Readers& to, const Source& source);
#endif

}  // namespace bandwidth
