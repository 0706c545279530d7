// The limit: the bytes of the weights, brought by the copy engine in chunks of 32 KiB and folded into a word a thread.
#include <tma/device/cache_policy.hpp>
#include <tma/tma.hpp>

#include "ways.hpp"

namespace skinny {
namespace {

constexpr int threads = 256, words = 8192, stages = 3, blocks = 2;  // words of a chunk; blocks of a multiprocessor
using Chunk = tma::Buffer<unsigned, words>;
using Ring  = tma::Pipeline<stages, Chunk>;

template <bool Hint>
__global__ void __launch_bounds__(threads) read(tma::AlignedPointer<const unsigned> in, int chunks, unsigned* out) {
  Ring       ring(tma::shared<Ring::Shared>());
  const int  first = int(blockIdx.x), step = int(gridDim.x);
  const auto once = tma::evict_first();
  unsigned   all  = 0;
  ring.for_each((chunks - first + step - 1) / step,
                [&](auto load, int i) {
                  const auto chunk = in.chunk<words>(first + i * step);
                  if constexpr (Hint) load(chunk, once);
                  else load(chunk);
                },
                [&](const Chunk& chunk, int) {
#pragma unroll
                  for (int v = 0; v < words / 4 / threads; ++v) {
                    const auto x = chunk.vector<4>(v * threads + int(threadIdx.x));
                    all ^= x[0] ^ x[1] ^ x[2] ^ x[3];
                  }
                });
  out[first * threads + int(threadIdx.x)] = all;
}

template <bool Hint> Prepared by_reading(const Problems& problems) {
  const auto prepare = [](const Problem& p) {
    const auto in     = tma::aligned(reinterpret_cast<const unsigned*>(p.w));
    const int  chunks = int(static_cast<long long>(p.n) * p.k / (words * 2));
    return [in, chunks, to = reinterpret_cast<unsigned*>(p.partials), grid = blocks * p.multiprocessors] {
      tma::launch(read<Hint>, {.grid = grid, .block = threads, .shared = tma::shared_bytes<Ring::Shared>}, in, chunks, to);
    };
  };
  return {each_in_turn(problems, prepare), double(blocks * stages * words * 4)};
}

}  // namespace

Prepared by_reading(const Problems& problems, bool hint) {
  return hint ? by_reading<true>(problems) : by_reading<false>(problems);
}

}  // namespace skinny
