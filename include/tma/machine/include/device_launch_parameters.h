// Stand-in for CUDA's header of this name: where a thread is.
#pragma once

#include "vector_types.h"

inline constexpr const uint3& threadIdx = ::tma::machine::rt::thread_index;
inline constexpr const uint3& blockIdx  = ::tma::machine::rt::block_index;
inline constexpr const uint3& blockDim  = ::tma::machine::rt::block_size;
inline constexpr const uint3& gridDim   = ::tma::machine::rt::grid_size;
inline constexpr int          warpSize  = 32;
