// Input and output of transposes, and what an output must be.
#pragma once

#include <string>
#include <type_traits>

#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "transpose.hpp"

namespace transpose {

// Whether the columns of the input become the rows of the output, or rows stay rows.
enum class Turn { transposed, rows };

// How an output is looked at: element (b, r, c) of the input lies there.
struct Places {
  int       batches, rows, columns;
  long long from_batch, from_row, to_batch, to_row, to_column;
};

inline Places places_of(const Work& w, Turn turn) {
  const bool rows = turn == Turn::rows;
  return {w.batches, w.rows, w.columns, w.from_batch, w.from_row, w.to_batch, rows ? w.to_row : 1, rows ? 1 : w.to_row};
}

template <class T> __global__ void count_wrong(const T* from, const T* to, Places p, unsigned* wrong) {
  const int column = int(blockIdx.x * 32 + threadIdx.x);
  for (int k = 0; k < 32; k += 8) {
    const int row = int(blockIdx.y * 32 + threadIdx.y) + k;
    if (row < p.rows && column < p.columns &&
        from[blockIdx.z * p.from_batch + row * p.from_row + column] !=
            to[blockIdx.z * p.to_batch + row * p.to_row + column * p.to_column])
      atomicAdd(wrong, 1u);
  }
}

// Input and output of every point: as much memory as the largest takes. What is cold are 4 or 2 GiB each way, many times L2,
// so that no launch finds anything of the one before.
struct Buffers {
  std::size_t                    bytes;
  harness::DeviceArray<unsigned> from, to, wrong{1};
  Buffers(std::size_t n, unsigned seed) : bytes(n), from(n / 4), to(n / 4) {
    harness::randomise<<<4096, 256>>>(from.data, n / 4, seed);
    harness::require(cudaDeviceSynchronize(), "randomise");
  }
};

// Nothing where the output is right, else what is wrong. It spoils the output, so that the next variant is not right by what
// this one wrote.
template <class T> std::string verify(const Buffers& buffers, const Places& p) {
  harness::require(cudaMemset(buffers.wrong.data, 0, 4), "cudaMemset");
  const dim3 grid(unsigned(blocks_of(p.columns, 32)), unsigned(blocks_of(p.rows, 32)), unsigned(p.batches));
  using Bits = std::conditional_t<sizeof(T) == 4, unsigned, Half>;  // a NaN is not equal to itself
  count_wrong<<<grid, dim3(32, 8)>>>(reinterpret_cast<const Bits*>(buffers.from.data),
                                     reinterpret_cast<const Bits*>(buffers.to.data), p, buffers.wrong.data);
  unsigned wrong = 0;
  harness::require(cudaMemcpy(&wrong, buffers.wrong.data, 4, cudaMemcpyDeviceToHost), "count_wrong");
  harness::require(cudaMemset(buffers.to.data, 0xff, buffers.bytes), "cudaMemset");
  return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
}

}  // namespace transpose
