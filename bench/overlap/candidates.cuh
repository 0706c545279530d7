// Every configuration that is searched, as a launch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../transpose/transpose.hpp"
#include "configuration.hpp"
#include "kernels.cuh"

namespace overlap {

struct Job {
  const float* in[2];
  float*       out;
  std::size_t  elements;
  int          multiprocessors;
};

// Blocks that stay on a multiprocessor, as many as are tried.
inline constexpr int shares[] = {1, 2, 4, 8};

struct Candidate {
  Configuration                configuration;
  double                       in_flight;  // bytes, on each multiprocessor
  std::function<void(int fma)> launch;
};

std::vector<Candidate> readers(const Job& job);
std::vector<Candidate> copies(const Job& job);
std::vector<Candidate> triads(const Job& job);

// Of one matrix, whose rows and columns are whole tiles.
template <class T>
std::vector<Candidate> transposes(const T* from, T* to, const transpose::Work& matrix, int multiprocessors);

}  // namespace overlap
