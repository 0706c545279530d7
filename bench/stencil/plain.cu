// Stencils through the caches: each thread loads its four columns of every layer, neighbours come from the next lanes.
#include "math.cuh"

namespace stencil {
namespace {

__device__ __forceinline__ float4 four_at(const Work& w, int plane, int row, int column) {
  const bool inside = plane >= 0 && plane < w.depth && row >= 0 && row < w.height;
  if (inside && column + 3 < w.width)
    return __ldg(reinterpret_cast<const float4*>(w.in + ((long long)plane * w.height + row) * w.pitch + column));
  return {value_at(w, plane, row, column), value_at(w, plane, row, column + 1), value_at(w, plane, row, column + 2), 0};
}

// A warp walks down `Each` rows.
template <Points P, int Each, int Warps> __global__ void __launch_bounds__(32 * Warps) rows_kernel(const Work w) {
  const int left = int(blockIdx.x) * columns, column = left + int(threadIdx.x) % 32 * piece;
  const int row = (int(blockIdx.y) * Warps + int(threadIdx.x) / 32) * Each;
  March<P>  march;
#pragma unroll
  for (int j = 0; j < Each + 2; ++j) {
    const float4 y = march.take(layer_of(four_at(w, 0, row + j - 1, column), side_of(w, 0, row + j - 1, left)));
    if (j >= 2 && row + j - 2 < w.height) put(w, 0, row + j - 2, column, y);
  }
}

// A warp has a row, and walks through `Each` planes.
template <int Each, int Warps> __global__ void __launch_bounds__(32 * Warps) planes_kernel(const Work w) {
  const int            left = int(blockIdx.x) * columns, column = left + int(threadIdx.x) % 32 * piece;
  const int            row = int(blockIdx.y) * Warps + int(threadIdx.x) / 32, first = int(blockIdx.z) * Each;
  March<Points::seven> march;
#pragma unroll 4
  for (int j = 0; j < Each + 2; ++j) {
    const int plane = first + j - 1;
    Layer     l     = layer_of(four_at(w, plane, row, column), side_of(w, plane, row, left));
    l.above         = four_at(w, plane, row - 1, column);
    l.below         = four_at(w, plane, row + 1, column);
    const float4 y  = march.take(l);
    if (j >= 2 && plane - 1 < w.depth && row < w.height) put(w, plane - 1, row, column, y);
  }
}

template <Points P, int Each, int Warps> Way rows(const char* name) {
  return {name, 0, [](const Work& w) {
            const dim3 grid(unsigned(over(w.width, columns)), unsigned(over(w.height, Each * Warps)));
            rows_kernel<P, Each, Warps><<<grid, 32 * Warps>>>(w);
          }};
}
template <int Each, int Warps> Way planes(const char* name) {
  return {name, 0, [](const Work& w) {
            const dim3 grid(unsigned(over(w.width, columns)), unsigned(over(w.height, Warps)),
                            unsigned(over(w.depth, Each)));
            planes_kernel<Each, Warps><<<grid, 32 * Warps>>>(w);
          }};
}

}  // namespace

// The best of those tried, of 1 to 32 rows or planes a warp and 4 to 16 warps a block.
std::vector<Way> plain(Points p) {
  if (p == Points::five) return {rows<Points::five, 2, 4>("plain loads")};
  if (p == Points::nine) return {rows<Points::nine, 3, 8>("plain loads")};
  return {planes<16, 4>("plain loads")};
}

}  // namespace stencil
