// A list in braces is of element strides: bytes are asked for by name.
// expect: no instance of constructor "tma::ByteStrides<Rank>::ByteStrides [with Rank=2]" matches the argument list
// expect: byte_strides_come_from_tma_byte_strides
#include <tma/tma.hpp>

#ifndef FIXED
tma::ByteStrides<2> strides() { return {512, 4}; }
#else
tma::ByteStrides<2> strides() { return tma::byte_strides(512, 4); }
#endif
