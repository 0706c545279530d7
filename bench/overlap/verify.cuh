// What the configurations must have done, told by kernels that visit element by element.
#pragma once

#include <string>

#include "../harness/device_array.hpp"
#include "candidates.cuh"

namespace overlap {

namespace detail {

// Elements of the output that are not what the change makes of the inputs, bit by bit; `b` where there are two.
static __global__ void count_wrong(const float* a, const float* b, const float* out, std::size_t vectors, Change change,
                                   unsigned* wrong) {
  const auto at = [](const float* p, std::size_t i) { return reinterpret_cast<const Vec4*>(p)[i]; };
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < vectors;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Vec4 expected = b ? change(at(a, i), at(b, i)) : change(at(a, i)), found = at(out, i);
    for (int k = 0; k < 4; ++k)
      if (__float_as_uint(expected[k]) != __float_as_uint(found[k])) atomicAdd(wrong, 1u);
  }
}

// The fold of all elements, in any order; of bits that are folded already where `change` is null.
static __global__ void fold(const float* data, std::size_t vectors, const Change* change, unsigned* folded) {
  unsigned mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < vectors;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Vec4 read = reinterpret_cast<const Vec4*>(data)[i], v = change ? (*change)(read) : read;
    for (int k = 0; k < 4; ++k) mine ^= __float_as_uint(v[k]);
  }
  atomicXor(folded, mine);
}

}  // namespace detail

// Compares what the last launch has left, and spoils it, so that the next variant has to write it again.
class Verifier {
public:
  explicit Verifier(const Job& job) : job_(job), word_(1), change_(1) { spoil(); }

  std::string moved(int inputs, int fma) {
    const unsigned wrong = ask([&](unsigned* result) {
      detail::count_wrong<<<2048, 256>>>(job_.in[0], inputs == 2 ? job_.in[1] : nullptr, job_.out, job_.elements / 4,
                                         Change{fma}, result);
    });
    spoil();
    return wrong ? std::to_string(wrong) + " elements are wrong" : std::string();
  }

  // Each of so many threads has left the fold of what it has read.
  std::string read(int threads_of_grid, int fma) {
    const Change change{fma};
    harness::require(cudaMemcpy(change_.data, &change, sizeof change, cudaMemcpyHostToDevice), "the change");
    const unsigned expected =
        ask([&](unsigned* result) { detail::fold<<<2048, 256>>>(job_.in[0], job_.elements / 4, change_.data, result); });
    const unsigned found = ask(
        [&](unsigned* result) { detail::fold<<<64, 256>>>(job_.out, std::size_t(threads_of_grid) / 4, nullptr, result); });
    spoil();
    return found != expected ? "it read something else than the array" : std::string();
  }

private:
  template <class Launch> unsigned ask(Launch&& launch) {
    unsigned answer = 0;
    harness::require(cudaMemset(word_.data, 0, sizeof answer), "cudaMemset");
    launch(word_.data);
    harness::require(cudaGetLastError(), "verify");
    harness::require(cudaMemcpy(&answer, word_.data, sizeof answer, cudaMemcpyDeviceToHost), "verify");
    return answer;
  }
  void spoil() { harness::require(cudaMemset(job_.out, 0xa5, job_.elements * sizeof(float)), "cudaMemset"); }

  Job                            job_;
  harness::DeviceArray<unsigned> word_;
  harness::DeviceArray<Change>   change_;
};

}  // namespace overlap
