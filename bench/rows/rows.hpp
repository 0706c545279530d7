// The work of this bench, its ways to be done, and how they are launched: kernels are compiled apart from the measuring.
#pragma once

#include <string>
#include <vector>

namespace rows {

enum class Op { softmax, rms_norm };
enum class Type { bf16, f32 };

constexpr int bytes_of(Type type) { return type == Type::bf16 ? 2 : 4; }

constexpr float epsilon = 1e-5f;  // of the norm

// `rows` rows of `n` elements, one after the other. `weight`, of the norm alone, has n elements.
struct Work {
  Op          op;
  Type        type;
  const void* in;
  void*       out;
  const void* weight;
  int         rows, n;

  long long row_bytes() const { return (long long)n * bytes_of(type); }
};

// A kernel for rows of up to so many bytes. `launch` queues it on the default stream.
struct Way {
  std::string name;
  long long   most_bytes;
  bool        only_most;  // it takes rows of that size alone, which begin at multiples of 16 bytes
  void (*launch)(const Work&);
  double (*in_flight)(const Work&);  // bytes of rows that a multiprocessor holds
};

// All that are compiled for this operation and type, by who wrote them.
std::vector<Way> ours(Op, Type);
std::vector<Way> ours_that_stay(Op, Type);  // clusters that take row after row
std::vector<Way> hand(Op, Type);
std::vector<Way> plain(Op, Type);     // no shared memory
std::vector<Way> cp_async(Op, Type);  // as ours, loaded by cp.async

// Elements in [-4, 4), from the seed.
void fill(Type type, void* data, std::size_t elements, unsigned long long seed);

// Nothing where the output is that of double precision, else what is wrong. Spoils the output. `counter`: a word of the device.
std::string check(const Work& work, unsigned* counter);

}  // namespace rows
