// The number of bytes does not fit an int.
// expect: tma: the buffer does not fit the 227 KiB of shared memory that a block can have
#include <tma/tma.hpp>

#ifndef FIXED
int bytes() { return tma::Buffer<float, 1 << 30>::payload_bytes; }
#else
int bytes() { return tma::Buffer<float, 1 << 10>::payload_bytes; }
#endif
