// The shapes that were found to be best of many, and how kernels of them are launched.
#pragma once

#include "../harness/require.hpp"
#include "tiles.hpp"

namespace transpose {

// Shared memory that a block asks for beside what it uses, so that no more than `blocks` run on a multiprocessor beside each
// other. Where more do, more bytes are in flight than memory needs, and all of it gets a little slower.
constexpr int more_shared(int blocks, std::size_t used) {
  constexpr int of_multiprocessor = 228 * 1024, of_system = 1024;  // compute capability 9.0; the second by each block
  return of_multiprocessor / blocks - of_system - int(used);
}

template <class T, int Rows, int Columns, int Threads, int Blocks> struct Shape {
  using Tiles                  = transpose::Tiles<T, Rows, Columns>;
  static constexpr int threads = Threads;

  static Order order(const Work& w) { return order_of<T>(w); }
  static dim3  grid(const Work& w) { return grid_of(w, order(w), Rows, Columns); }

  static constexpr int more(std::size_t used) { return more_shared(Blocks, used); }
};

// Calls f with the shape for that work.
template <class T, class F> auto with_shape(const Work& w, F&& f) {
  if constexpr (sizeof(T) == 4) return f(Shape<T, 64, 64, 128, 4>());
  else return w.rows > 64 ? f(Shape<T, 128, 128, 128, 2>()) : f(Shape<T, 64, 128, 128, 4>());
}

template <class Kernel> int blocks_that_fit(Kernel kernel, int threads, int dynamic_shared) {
  int blocks = 0;
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), "the carve-out");
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_shared), "the opt-in");
  harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, std::size_t(dynamic_shared)),
                   "occupancy");
  return blocks;
}

// Bytes that the blocks on one multiprocessor have asked for when none has arrived.
template <class Kernel> double in_flight(Kernel kernel, int threads, int dynamic_shared, int bytes) {
  return double(blocks_that_fit(kernel, threads, dynamic_shared)) * bytes;
}

}  // namespace transpose
