// Every configuration that is searched, as a launch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels.cuh"

namespace overlap {

// What a search can choose.
struct Configuration {
  bool persistent;
  int  tile_bytes;  // of one input
  int  stages;
  int  blocks_per_multiprocessor;

  std::string name() const {
    std::string text = persistent ? "ring " : "once ";
    text += std::to_string(tile_bytes / 1024) + "K";
    if (persistent) text += " x" + std::to_string(stages);
    return text + " on " + std::to_string(blocks_per_multiprocessor);
  }
};

// Threads of a block, in all of them.
inline constexpr int threads = 256;

struct Job {
  const float* in[2];
  float*       out;
  std::size_t  elements;
  int          multiprocessors;
};

struct Candidate {
  Configuration                configuration;
  double                       in_flight;  // bytes, on each multiprocessor
  std::function<void(int fma)> launch;
};

std::vector<Candidate> readers(const Job& job);
std::vector<Candidate> copies(const Job& job);
std::vector<Candidate> triads(const Job& job);

}  // namespace overlap
