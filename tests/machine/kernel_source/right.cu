// Kernels that take descriptors, and what looks like it, in ways that are right; read, and never compiled.
#include <tma/tma.hpp>

#include "wrong_types.hpp"

using Tile    = tma::Tile<float, tma::Shape<8, 32>>;
using In      = tma::TmaDescriptor<const float, 2, Tile>;
using Pointer = const In*;
using Slots   = tma::DescriptorSlots<In>;
struct Request {
  const In*  in;
  int        n;
  static In  made(const In& from);
};

__global__ void one(const __grid_constant__ In in, float* out) {}
__global__ void two(const __grid_constant__ In a, const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> b) {}
__global__ void __launch_bounds__(128) pair(const __grid_constant__ Pair pair) {}
__global__ void slots(tma::DescriptorSlots<In> in, Slots more, Pointer pointer, const In* plain, Request request) {}
__global__ void numbers(int n = (1 < 2), float x = 3.f) {}
template <class Map> __global__ void any(const Map in) {}  // a type that nobody can know from here
// __global__ void in_a_comment(const In in) {}
/* __global__ void in_a_longer_comment(const In in) {}
   __global__ void and_its_end(const In in) {} */
const char* const text = R"(__global__ void in_a_text(const In in) {})";
#define KERNEL __global__ void
KERNEL named(const __grid_constant__ In in) {}
void host(const In in);
__device__ void device(const In& in);
