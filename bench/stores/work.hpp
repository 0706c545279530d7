// What is written, and where: the same for every variant.
#pragma once

#include <vector_types.h>

namespace stores {

// Whether tiles are stored or added to what is there; `add_each` by an instruction for every four bytes.
enum class Action { store, add, add_each };

// Tile `g % tiles` at every step g below `total`. In odd rounds the opposite is added, so that sums stay small and exact:
// after an odd number of rounds the sums are those of one.
struct Walk {
  int tiles, total;

  __host__ __device__ int  tile(int g) const { return g % tiles; }
  __host__ __device__ bool opposite(int g) const { return g / tiles % 2 != 0; }
};

// How tiles lie in memory: as boxes of a matrix, row by row of boxes. A tile in one piece is a box of whole rows.
struct Layout {
  int rows, columns;   // of a tile
  int matrix_columns;  // elements

  __host__ __device__ int elements() const { return rows * columns; }
  __host__ __device__ int across() const { return matrix_columns / columns; }
  // The element of its tile that element i of the memory is.
  __host__ __device__ int in_tile(unsigned long long i) const {
    const auto row = i / unsigned(matrix_columns), column = i % unsigned(matrix_columns);
    return int(row % unsigned(rows)) * columns + int(column % unsigned(columns));
  }
};

inline constexpr int depth          = 8;    // stores of a thread that may still read their source
inline constexpr int engine_threads = 128;  // of a block that the engine writes for

template <class T> inline constexpr bool is_stored           = false;
template <> inline constexpr bool        is_stored<unsigned> = true;

// Sixteen bytes of elements with their signs turned over; words, which are stored, stay.
template <class T> __host__ __device__ inline uint4 opposite(uint4 v) {
  constexpr unsigned signs = is_stored<T> ? 0 : sizeof(T) == 4 ? 0x80000000u : 0x80008000u;
  return {v.x ^ signs, v.y ^ signs, v.z ^ signs, v.w ^ signs};
}

}  // namespace stores
