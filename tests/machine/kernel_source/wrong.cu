// Kernels that take descriptors in ways that the copy engine cannot read, one a line that says so; read, and never compiled.
#include <tma/tma.hpp>

#include "wrong_types.hpp"

using Tile = tma::Tile<float, tma::Shape<8, 32>>;
using In   = tma::TmaDescriptor<const float, 2, Tile>;
template <class T> using Of = tma::TmaDescriptor<T, 2, tma::Tile<T, tma::Shape<8, 32>>>;
using Nearly [[maybe_unused]] = int;

__global__ void plain(tma::TmaDescriptor<const float, 2, Tile> in, float* out);  // wrong: plain
__global__ void constant(int n, const In in) {}                                   // wrong: constant
/* a comment, with
   two lines, and a // in it */ __global__ void after_a_comment(const In in) {}   // wrong: after_a_comment
template <class T> __global__ void __launch_bounds__(256, 2) bounded(const __grid_constant__ In in, const Of<T> out) {}  // wrong: bounded
__global__ void __cluster_dims__(2, 1, 1) clustered(Pair pair, int n) {}          // wrong: clustered
const char* const text = "a text with a quote \" and // no comment"; __global__ void after_a_text(In in) {}  // wrong: after_a_text
const char* const raw  = R"x(
__global__ void in_a_text(const In in) {}
)x"; __global__ void after_a_raw_text(const In in) {}                             // wrong: after_a_raw_text
// /* this is no comment over several lines
__global__ void raw_driver(CUtensorMap map) {}                                    // wrong: raw_driver
template <class Loads> __global__ void either(const tma::descriptor_for<Loads, const float, 2, Tile> in) {}  // wrong: either
static __global__  // wrong: several_lines
void several_lines(int n,
                   const Wide
                     in) {}
template <> __global__ void special<4>(const In in) {}                            // wrong: special
