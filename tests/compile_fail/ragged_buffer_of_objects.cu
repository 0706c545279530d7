// expect: tma: the copy engine moves bytes: the element must be trivially copyable
#include <tma/tma.hpp>

struct Owner {
  ~Owner() {}
  int* value;
};

#ifndef FIXED
int bytes() { return tma::RaggedBuffer<Owner, 5>::payload_bytes; }
#else
int bytes() { return tma::RaggedBuffer<int*, 5>::payload_bytes; }
#endif
