// What is done with the bytes: as little as shows that all were read.
#pragma once

namespace bandwidth {

template <class Vector> __device__ __forceinline__ void fold(unsigned& all, const Vector& v) {
  if constexpr (requires { v.w; }) all += v.x + v.y + v.z + v.w;
  else all += v[0] + v[1] + v[2] + v[3];
}

// Whole warps, at their end.
__device__ __forceinline__ void give(unsigned all, unsigned* sum) {
  all = __reduce_add_sync(0xffffffff, all);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, all);
}

}  // namespace bandwidth
