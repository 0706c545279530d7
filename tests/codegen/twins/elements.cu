// Access to a tile by the threads of a block: shares of its elements, vectors, rows and columns, swizzled or not.
#include <tma/tma.hpp>

#include "raw.hpp"

using Tile     = tma::Tile<float, tma::Shape<32, 32>>;
using Swizzled = tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128>;
using Narrow   = tma::Tile<float, tma::Shape<32, 16>, tma::Swizzle::bytes_128>;  // rows of 64 bytes, padded to 128

// --- every element once, by a block of any size ---

extern "C" __global__ void tma_elements(float factor, float* out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (float& x : block.elements(tile)) x *= factor;
  block.sync();
  *out = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_elements(float factor, float* out) {
  __shared__ alignas(128) float tile[1024];
  const int                     rank = int(raw::thread_rank()), threads = int(raw::block_threads());
  for (int i = rank; i < 1024; i += threads) tile[i] *= factor;
  __syncthreads();
  *out = tile[rank ^ 1];
}

// --- by a block whose size the kernel knows ---

extern "C" __global__ void tma_elements_256(float factor, float* out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block<256>();
  for (float& x : block.elements(tile)) x *= factor;
  block.sync();
  *out = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_elements_256(float factor, float* out) {
  __shared__ alignas(128) float tile[1024];
  const int                     rank = int(raw::thread_rank());
  for (int k = 0; k < 4; ++k) tile[rank + k * 256] *= factor;
  __syncthreads();
  *out = tile[rank ^ 1];
}

// --- by a block whose size is known and does not divide the tile ---

extern "C" __global__ void tma_elements_96(float factor, float* out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block<96>();
  for (float& x : block.elements(tile)) x *= factor;
  block.sync();
  *out = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_elements_96(float factor, float* out) {
  __shared__ alignas(128) float tile[1024];
  const int                     rank = int(raw::thread_rank());
  for (int i = rank; i < 1024; i += 96) tile[i] *= factor;
  __syncthreads();
  *out = tile[rank ^ 1];
}

// --- by 16 bytes ---

extern "C" __global__ void tma_vectors(float factor, float* out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (auto& v : block.vectors<4>(tile))
    for (float& x : v) x *= factor;
  block.sync();
  *out = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_vectors(float factor, float* out) {
  __shared__ alignas(128) float tile[1024];
  const int                     rank = int(raw::thread_rank()), threads = int(raw::block_threads());
  for (int i = rank; i < 256; i += threads) {
    float4& v = reinterpret_cast<float4*>(tile)[i];
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    v.w *= factor;
  }
  __syncthreads();
  *out = tile[rank ^ 1];
}

extern "C" __global__ void tma_vectors_128(float factor, float* out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block<128>();
  for (auto& v : block.vectors<4>(tile))
    for (float& x : v) x *= factor;
  block.sync();
  *out = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_vectors_128(float factor, float* out) {
  __shared__ alignas(128) float tile[1024];
  const int                     rank = int(raw::thread_rank());
  for (int k = 0; k < 2; ++k) {
    float4& v = reinterpret_cast<float4*>(tile)[rank + k * 128];
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    v.w *= factor;
  }
  __syncthreads();
  *out = tile[rank ^ 1];
}

// --- by row and column ---

extern "C" __global__ void tma_row_column(int row, float* out) {
  auto& tile             = tma::shared<Tile>();
  tile(row, threadIdx.x) = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile(threadIdx.x, row);
}

extern "C" __global__ void raw_row_column(int row, float* out) {
  __shared__ alignas(128) float tile[1024];
  tile[row * 32 + int(threadIdx.x)] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[int(threadIdx.x) * 32 + row];
}

extern "C" __global__ void tma_column_sum(int rows, float* out) {
  auto&     tile   = tma::shared<Tile>();
  const int column = threadIdx.x;
  float     sum    = 0;
  for (int row = 0; row < rows; ++row) sum += tile(row, column);
  out[column] = sum;
}

extern "C" __global__ void raw_column_sum(int rows, float* out) {
  __shared__ alignas(128) float tile[1024];
  const int                     column = threadIdx.x;
  float                         sum    = 0;
  for (int row = 0; row < rows; ++row) sum += tile[row * 32 + column];
  out[column] = sum;
}

// --- a swizzled tile, by row and column: a transposition without bank conflicts ---

// Where the engine puts an element: bits 4 to 6 of its column's bytes are exclusive-ored with the lowest bits of its row.
__device__ __forceinline__ float& raw_at(float* tile, unsigned row, unsigned column) {
  return *reinterpret_cast<float*>(reinterpret_cast<char*>(tile) + (row * 128 + ((column * 4) ^ ((row & 7) << 4))));
}

extern "C" __global__ void tma_swizzled(const float* in, float* out) {
  auto& tile = tma::shared<Swizzled>();
  for (int row = threadIdx.y; row < 32; row += 8) tile(row, threadIdx.x) = in[row * 32 + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8) out[row * 32 + threadIdx.x] = tile(threadIdx.x, row);
}

extern "C" __global__ void raw_swizzled(const float* in, float* out) {
  __shared__ alignas(1024) float tile[1024];
  for (int row = threadIdx.y; row < 32; row += 8) raw_at(tile, row, threadIdx.x) = in[row * 32 + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8) out[row * 32 + threadIdx.x] = raw_at(tile, threadIdx.x, row);
}

extern "C" __global__ void tma_swizzled_sums(float* out) {
  auto& tile    = tma::shared<Swizzled>();
  float row_sum = 0, column_sum = 0;
  for (int i = 0; i < 32; ++i) column_sum += tile(i, threadIdx.x);
  for (int i = 0; i < 32; ++i) row_sum += tile(threadIdx.x, i);
  out[threadIdx.x] = row_sum * column_sum;
}

extern "C" __global__ void raw_swizzled_sums(float* out) {
  __shared__ alignas(1024) float tile[1024];
  float                          row_sum = 0, column_sum = 0;
  for (int i = 0; i < 32; ++i) column_sum += raw_at(tile, i, threadIdx.x);
  for (int i = 0; i < 32; ++i) row_sum += raw_at(tile, threadIdx.x, i);
  out[threadIdx.x] = row_sum * column_sum;
}

// --- a swizzled tile in C order ---

// The same element by its number: rows are as wide as the swizzle, so the row is part of the offset.
__device__ __forceinline__ float& raw_number(float* tile, int i) { return tile[i ^ int((unsigned(i) / 32 & 7) << 2)]; }

extern "C" __global__ void tma_swizzled_elements(float factor, float* out) {
  auto& tile  = tma::shared<Swizzled>();
  auto  block = tma::this_block();
  for (float& x : block.elements(tile)) x *= factor;
  block.sync();
  *out = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_swizzled_elements(float factor, float* out) {
  __shared__ alignas(1024) float tile[1024];
  const int                      rank = int(raw::thread_rank()), threads = int(raw::block_threads());
  for (int i = rank; i < 1024; i += threads) raw_number(tile, i) *= factor;
  __syncthreads();
  *out = raw_number(tile, rank ^ 1);
}

extern "C" __global__ void tma_swizzled_elements_256(float factor, float* out) {
  auto& tile  = tma::shared<Swizzled>();
  auto  block = tma::this_block<256>();
  for (float& x : block.elements(tile)) x *= factor;
  block.sync();
  *out = tile[block.rank() ^ 1];
}

extern "C" __global__ void raw_swizzled_elements_256(float factor, float* out) {
  __shared__ alignas(1024) float tile[1024];
  const int                      rank = int(raw::thread_rank());
  float*                         mine = &raw_number(tile, rank);  // 256 floats on, the swizzle begins anew
  for (int k = 0; k < 4; ++k) mine[k * 256] *= factor;
  __syncthreads();
  *out = raw_number(tile, rank ^ 1);
}

// --- a tile whose rows are narrower than its swizzle ---

extern "C" __global__ void tma_padded_vectors(float factor, float* out) {
  auto& tile  = tma::shared<Narrow>();
  auto  block = tma::this_block<128>();
  for (auto& v : block.vectors<4>(tile))
    for (float& x : v) x *= factor;
  block.sync();
  *out = tile(block.rank() ^ 1, 3);
}

extern "C" __global__ void raw_padded_vectors(float factor, float* out) {
  __shared__ alignas(1024) float tile[1024];
  const int                      rank = int(raw::thread_rank());
  const unsigned                 at   = unsigned(rank * 4);
  float4&                        v    = reinterpret_cast<float4&>(raw_at(tile, at / 16, at % 16));
  v.x *= factor;
  v.y *= factor;
  v.z *= factor;
  v.w *= factor;
  __syncthreads();
  *out = raw_at(tile, unsigned(rank ^ 1), 3);
}
