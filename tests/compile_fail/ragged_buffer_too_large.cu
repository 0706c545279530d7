// expect: tma: the buffer does not fit the 227 KiB of shared memory that a block can have
#include <tma/tma.hpp>

// The slack counts: 16 bytes more than the 227 KiB of elements.
#ifndef FIXED
int bytes() { return tma::RaggedBuffer<float, 227 * 256>::payload_bytes; }
#else
int bytes() { return tma::RaggedBuffer<float, 227 * 256 - 4>::payload_bytes; }
#endif
