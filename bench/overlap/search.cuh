// The configurations of a kernel, one instantiation each.
#pragma once

#include <cuda_runtime_api.h>

#include "../harness/require.hpp"
#include "candidates.cuh"

namespace overlap {

// Blocks of a kernel that fit on a multiprocessor.
template <class Kernel> int fitting(Kernel kernel, unsigned shared) {
  int blocks = 0;
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
                   "cudaFuncSetAttribute");
  harness::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared), "occupancy");
  return blocks;
}

// Calls make.template operator()<Elements, Stages>() for each tile and depth that are tried, of rings that fit.
template <int Inputs, class Make> void each_ring(Make&& make) {
  const auto depths = [&]<int Elements>() {
    make.template operator()<Elements, 2>();
    if constexpr (Elements * 4 * Inputs * 4 <= 200 * 1024) make.template operator()<Elements, 4>();
    if constexpr (Elements * 4 * Inputs * 8 <= 200 * 1024) make.template operator()<Elements, 8>();
  };
  depths.template operator()<512>();
  depths.template operator()<1024>();
  depths.template operator()<2048>();
  depths.template operator()<4096>();
  depths.template operator()<8192>();
}

template <int Inputs> std::vector<Candidate> movers(const Job& job) {
  std::vector<Candidate> all;
  const auto             arrays = [=](int elements) {
    return Arrays{{tma::aligned(job.in[0]), tma::aligned(job.in[Inputs - 1])},
                  tma::aligned(job.out),
                  int(job.elements / std::size_t(elements))};
  };
  const auto add_once = [&]<int Elements>() {
    const auto     kernel = once<threads, Elements, Inputs>;
    const unsigned shared = tma::shared_bytes<tma::Buffer<float, Elements>[Inputs]> + 128;
    const int      fit    = fitting(kernel, shared);
    const Arrays   of     = arrays(Elements);
    // Fewer, by asking for more shared memory than is used.
    for (const int blocks : {fit, fit * 3 / 4, fit / 2}) {
      if (blocks < 1) continue;
      const unsigned room = blocks == fit ? shared : 227u * 1024 / unsigned(blocks) / 1024 * 1024 - 1024;
      fitting(kernel, room);
      all.push_back({{false, Elements * 4, 1, blocks}, double(blocks) * Elements * 4 * Inputs, [=](int fma) {
                       tma::launch(kernel, {.grid = of.tiles, .block = threads, .shared = room}, of, Change{fma});
                     }});
    }
  };
  add_once.template operator()<512>();
  add_once.template operator()<1024>();
  add_once.template operator()<2048>();
  add_once.template operator()<4096>();
  add_once.template operator()<8192>();
  each_ring<Inputs>([&]<int Elements, int Stages>() {
    const auto     kernel = ring<threads, Elements, Stages, Inputs>;
    const unsigned shared = tma::shared_bytes<typename RingOf<Elements, Stages, Inputs>::type::Shared>;
    const int      fit    = fitting(kernel, shared);
    const Arrays   of     = arrays(Elements);
    for (const int blocks : shares)
      if (blocks <= fit)
        all.push_back({{true, Elements * 4, Stages, blocks}, double(blocks) * Elements * 4 * Inputs * Stages, [=](int fma) {
                         tma::launch(kernel, {.grid = blocks * job.multiprocessors, .block = threads, .shared = shared}, of,
                                     Change{fma});
                       }});
  });
  return all;
}

}  // namespace overlap
