// Reading without the copy engine: vector loads into registers, all of a round's before the first is used.
#include "bandwidth.hpp"
#include "fold.cuh"

namespace bandwidth {
namespace {

// Blocks that stay, `Vectors` loads of 16 bytes in flight for each thread.
template <int Vectors, int Threads>
__global__ void __launch_bounds__(Threads) stay(const uint4* in, long long n, Word* sum) {
  Word all = 0;
  for (long long at = (long long)(blockIdx.x) * Threads * Vectors + threadIdx.x; at < n;
       at += (long long)(gridDim.x) * Threads * Vectors) {
    uint4 v[Vectors];
#pragma unroll
    for (int k = 0; k < Vectors; ++k) v[k] = __ldcs(in + at + k * Threads);
#pragma unroll
    for (int k = 0; k < Vectors; ++k) fold(all, v[k]);
  }
  give(all, sum);
}

template <int Vectors, int Threads> void add(Readers& to, const Source& s) {
  const auto kernel = stay<Vectors, Threads>;
  add_for_blocks(to, harness::Kind::plain, {"plain loads", Threads * 16, Vectors, 0}, kernel, Threads, 0, [=](int blocks) {
    kernel<<<unsigned(blocks * s.multiprocessors), Threads>>>(reinterpret_cast<const uint4*>(s.data), s.words / 4, s.sum);
  });
}

}  // namespace

void add_plain(Readers& to, const Source& source) {
  add<1, 256>(to, source);
  add<2, 256>(to, source);
  add<4, 256>(to, source);
  add<8, 256>(to, source);
  add<16, 256>(to, source);
  add<4, 512>(to, source);
  add<8, 512>(to, source);
}

}  // namespace bandwidth
