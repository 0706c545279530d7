// The reader of kernels.cuh in PTX written by hand, for matrices; by loads of threads; and the reference
// that all are verified against.
#pragma once

#include "../harness/ptx.cuh"
#include "kernels.cuh"

namespace geometry {

namespace hand {

using namespace by_hand;

struct alignas(64) Map {
  unsigned long long bits[16];
};

template <int BoxBytes>
__global__ void __launch_bounds__(engine_threads) read(const __grid_constant__ Map map, Boxes boxes, unsigned* result) {
  constexpr int                            stages = ring_bytes / BoxBytes, vectors = BoxBytes / 16;
  __shared__ alignas(1024) unsigned char   room[ring_bytes];
  __shared__ alignas(8) unsigned long long word[2 * stages];
  const unsigned                           first = address(room), full = address(word), empty = full + 8 * stages;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      init(full + 8 * s, 1);
      init(empty + 8 * s, consumers);
    }
    fence_init();
  }
  __syncthreads();
  unsigned   stage = 0, parity = 0;
  const auto advance = [&] {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  };
  if (threadIdx.x < 32) {
    if (threadIdx.x != 0) return;
    for (int t = int(blockIdx.x); t < boxes.total; t += int(gridDim.x)) {
      const auto at = place<2>(boxes, t & (boxes.count - 1));
      wait(empty + 8 * stage, parity ^ 1);
      fence_proxy();
      arm(full + 8 * stage, BoxBytes);
      load_box(first + stage * BoxBytes, &map, at[0], at[1], full + 8 * stage);
      advance();
    }
    return;
  }
  unsigned  all  = 0;
  const int rank = int(threadIdx.x) - 32;
  for (int t = int(blockIdx.x); t < boxes.total; t += int(gridDim.x)) {
    wait(full + 8 * stage, parity);
    const uint4* const box = reinterpret_cast<const uint4*>(room + stage * BoxBytes);
#pragma unroll
    for (int v = 0; v < vectors; v += 32 * consumers)
      if (vectors >= 32 * consumers || v + rank < vectors) fold(all, box[v + rank]);
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(empty + 8 * stage);
    advance();
  }
  add(all, result);
}

}  // namespace hand

// A matrix of words in boxes of 4 KiB: 16 bytes a thread. `across`: of those in a row of a box, as a power of two.
__global__ void __launch_bounds__(plain_threads)
    plain(const unsigned char* data, long pitch, Boxes boxes, int across, unsigned* result) {
  unsigned  all = 0;
  const int row = int(threadIdx.x) >> across, column = int(threadIdx.x) & ((1 << across) - 1);
#pragma unroll 4
  for (int t = int(blockIdx.x); t < boxes.total; t += int(gridDim.x)) {
    const auto at = place<2>(boxes, t & (boxes.count - 1));
    fold(all, *reinterpret_cast<const uint4*>(data + (at[0] + row) * pitch + long(at[1]) * 4 + column * 16));
  }
  add(all, result);
}

// What all boxes hold, once: any shape, in pieces of 16 bytes.
__global__ void reference(const unsigned char* data, Spec s, int pieces, unsigned* result) {
  unsigned   all   = 0;
  const int  inner = s.rank - 1;
  const auto count = static_cast<long long>(pieces) * s.boxes.count;
  for (auto i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    int  t = int(i / pieces), piece = int(i % pieces);
    bool inside = true;
    long offset = 0;
    for (int d = inner; d >= 0; --d) {
      const int wide = d == inner ? s.box[d] * s.element_size / 16 : s.box[d];
      const int k = piece % wide, box = t & ((1 << s.boxes.shift[d]) - 1);
      piece /= wide;
      t >>= s.boxes.shift[d];
      const int at = box * s.boxes.step[d] + s.boxes.origin[d] + (d == inner ? k * 16 / s.element_size : k * s.skip[d]);
      inside &= at >= 0 && at < s.extent[d];
      offset += at * s.stride[d];
    }
    if (inside) fold(all, *reinterpret_cast<const uint4*>(data + offset));
  }
  add(all, result);
}

}  // namespace geometry
