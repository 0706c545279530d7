// Every configuration that is searched, as a launch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "configuration.hpp"
#include "kernels.cuh"

namespace overlap {

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
