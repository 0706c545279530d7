// The bench of streaming: what is streamed, and who adds variants of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../harness/bench.hpp"
#include "../harness/require.hpp"
#include "ops.hpp"

namespace stream {

using Variants = std::vector<harness::Variant>;

// Two inputs and an output. `slots` of them lie one after another: a launch takes those of its round, so that it finds none in
// the cache where they are many.
template <class T> struct Arrays {
  const T * a, *b;
  T*        y;
  long long n;      // elements of an array; multiples of 64 KiB, but for those that say so
  int       slots;  // 1: the same ones each time
  long long apart;  // elements from a slot to the next

  long long at(int round) const { return round % slots * apart; }
};

// The same as matrices, of `columns` columns.
inline constexpr int columns = 32768;

// Each adds its variants of y = op(a, b). The first of `add_ours` is the one that the summary takes.
template <class T, class Op> void add_ours(Variants& to, const Arrays<T>& arrays, const Op& op);
template <class T, class Op> void add_hand(Variants& to, const Arrays<T>& arrays, const Op& op);
template <class T, class Op> void add_plain(Variants& to, const Arrays<T>& arrays, const Op& op);
template <class T, class Op> void add_cub(Variants& to, const Arrays<T>& arrays, const Op& op);

void add_matrix(Variants& to, const Arrays<float>& arrays);  // copies of boxes

// Copies between any pointers. `alike`: both lie alike modulo 16 bytes.
template <class T> void add_ragged(Variants& to, const Arrays<T>& arrays, bool alike);

// The sum of a * b, into `result`; and how far that is from right, as a part of the sum of |a * b|.
void   add_dot(Variants& to, const Arrays<float>& arrays, float* result, int multiprocessors);
void   add_cublas_dot(Variants& to, const Arrays<float>& arrays, float* result);
double dot_error(const Arrays<float>& arrays, const float* result);

// Reads `bytes` of `data` and nothing else.
void read_all(const void* data, std::size_t bytes, float* result);

// How many elements of y are not op(a, b).
template <class T, class Op> long long count_wrong(const Arrays<T>& arrays, const Op& op);

}  // namespace stream
