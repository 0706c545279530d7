// Inputs, and whether outputs are right.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <string>

#include "../../examples/gemm/gemm.hpp"

namespace check {

// Uniform in [-1, 1).
template <class T> void fill(T* data, std::size_t n, unsigned seed);

// No value of any product: what is not written is seen.
template <class T> void poison(T* data, std::size_t n);

// A B, an element a thread, sums in 32 bits: for small problems.
template <class T> void reference(const gemm::Problem<T>& problem);

// Nothing where the m x n elements of `c` are those expected, else what is wrong: a relative error of more than 2e-3 over all
// (Frobenius), or of 5 % of the root mean square anywhere, which is what the rounding of a sum to 16 bits can explain.
template <class T> std::string compare(const gemm::Problem<T>& problem, const T* expected);

}  // namespace check
