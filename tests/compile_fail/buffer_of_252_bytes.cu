// expect: tma::Buffer: a bulk copy moves a multiple of 16 bytes; the hardware would silently drop the rest
// expect: or use tma::RaggedBuffer with a run-time length
#include <tma/tma.hpp>

#ifndef FIXED
int bytes() { return tma::Buffer<float, 63>::payload_bytes; }
#else
int bytes() { return tma::Buffer<float, 64>::payload_bytes; }
#endif
