// expect: tma: the copy engine moves bytes: the element must be trivially copyable
#include <tma/tma.hpp>

struct Counted {
  Counted(const Counted& other) : value(other.value + 1) {}
  int value;
};

struct Plain {
  int value;
};

#ifndef FIXED
int bytes() { return tma::Buffer<Counted, 4>::payload_bytes; }
#else
int bytes() { return tma::Buffer<Plain, 4>::payload_bytes; }
#endif
