// The work of this bench, its ways to be done, and how they are launched: kernels are compiled apart from the measuring.
#pragma once

#include <string>
#include <vector>

namespace stencil {

// Five or nine points of a matrix, seven of a volume. What lies outside counts as zero.
enum class Points { five, nine, seven };

// Rows are `pitch` floats apart, planes `pitch * height`. A matrix has one plane.
struct Work {
  Points       points;
  const float* in;
  float*       out;
  int          depth, height, width, pitch;

  long long rows() const { return (long long)depth * height; }
};

struct Way {
  std::string name;
  double      in_flight;  // bytes of shared memory that are loaded into, on each multiprocessor
  void (*launch)(const Work&);
};

std::vector<Way> ours(Points);
std::vector<Way> cp_async(Points);  // the same kernels, loaded by threads
std::vector<Way> hand(Points);
std::vector<Way> plain(Points);  // through the first-level cache

// Random values in [-1, 1).
void fill(float* data, std::size_t n, unsigned long long seed);

// Nothing where the output is right and what lies beside the rows is untouched, else what is wrong. Spoils the output: a launch
// writes every element anew. `counter`: a word of the device.
std::string check(const Work& work, unsigned* counter);
void        spoil(const Work& work);

}  // namespace stencil
