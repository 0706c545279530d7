// The work, as every implementation is given it: of a stack of matrices each is transposed. A permutation of three dimensions
// is one as well: what becomes the innermost dimension is the matrix's rows, what was it its columns, and the third the stack.
#pragma once

#include <cuda_runtime_api.h>

namespace transpose {

// Distances in elements; neighbours in a row are side by side. Distances and `rows` are whole vectors of 16 bytes.
struct Work {
  int       batches, rows, columns;  // of the input
  long long from_batch, from_row;
  long long to_batch, to_row;  // to_row: in the output, from one column of the input to the next
};

using Half = unsigned short;  // any element of 16 bits: nothing is computed

template <class T> inline constexpr int vector = 16 / int(sizeof(T));  // elements

constexpr int blocks_of(int n, int each) { return (n + each - 1) / each; }

// A dense matrix.
constexpr Work matrix(int rows, int columns) { return {1, rows, columns, 0, columns, 0, rows}; }

// In which order blocks take tiles, who run at the same time as their numbers are close. All walk the output as it lies in
// memory, so that it is written in one piece: first along its rows, which is down the input.
struct Order {
  bool stack_first;  // one panel of columns of all matrices, then the next; not all panels of a matrix
  bool two;          // two panels in turns, half a matrix apart
};

template <class T> Order order_of(const Work& w) {
  // Where rows are a multiple of 128 KiB apart, the parts of them that a panel reads are spread unevenly over the channels of
  // memory. A second panel, far from it, evens that out.
  return {w.to_batch < w.to_row, w.from_row * (long long)sizeof(T) % (128 * 1024) == 0};
}

inline dim3 grid_of(const Work& w, const Order& order, int tile_rows, int tile_columns) {
  const auto down = unsigned(blocks_of(w.rows, tile_rows)), panels = unsigned(blocks_of(w.columns, tile_columns));
  const auto stack = unsigned(w.batches);
  return order.stack_first ? dim3(down, stack, panels) : dim3(down, panels, stack);
}

// The same where rows stay rows.
inline dim3 grid_of_rows(const Work& w, const Order& order, int tile_rows, int tile_columns) {
  const auto along = unsigned(blocks_of(w.columns, tile_columns)), down = unsigned(blocks_of(w.rows, tile_rows));
  const auto stack = unsigned(w.batches);
  return order.stack_first ? dim3(along, stack, down) : dim3(along, down, stack);
}

#ifdef __CUDACC__
struct Place {
  int batch, row, column;  // where a block's tile begins
};

// Of two panels in turns, half of all apart, that which comes at `panel`.
__device__ __forceinline__ int in_turns(int panel, int panels) { return panel / 2 + panel % 2 * ((panels + 1) / 2); }

template <int Rows, int Columns> __device__ __forceinline__ Place place(const Order& order) {
  const int panels = int(order.stack_first ? gridDim.z : gridDim.y);
  const int stack  = int(order.stack_first ? blockIdx.y : blockIdx.z);
  int       panel  = int(order.stack_first ? blockIdx.z : blockIdx.y);
  if (order.two) panel = in_turns(panel, panels);
  return {stack, int(blockIdx.x) * Rows, panel * Columns};
}

template <int Rows, int Columns> __device__ __forceinline__ Place place_of_rows(const Order& order) {
  const int stack = int(order.stack_first ? blockIdx.y : blockIdx.z);
  const int down  = int(order.stack_first ? blockIdx.z : blockIdx.y);
  return {stack, down * Rows, int(blockIdx.x) * Columns};
}
#endif

}  // namespace transpose
