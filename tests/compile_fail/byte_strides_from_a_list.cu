// A list in braces is of element strides: bytes are asked for by name.
// expect: copy-list-initialization cannot use a constructor marked "explicit"
#include <tma/tma.hpp>

#ifndef FIXED
tma::ByteStrides<2> strides() { return {512, 4}; }
#else
tma::ByteStrides<2> strides() { return tma::byte_strides(512, 4); }
#endif
