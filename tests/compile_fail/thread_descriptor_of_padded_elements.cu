// expect: tma::ThreadDescriptor: padded packed elements are unpacked by the engine; view them as bytes, or as tma::u4x16
#include "thread_loads.hpp"

template <class T> using Units = tma::Tile<T, tma::Shape<16, 8>>;
#ifndef FIXED
int bytes() { return sizeof(tma::ThreadDescriptor<const tma::u4x16_padded, 2, Units<tma::u4x16_padded>>); }
#else
int bytes() { return sizeof(tma::ThreadDescriptor<const tma::u4x16, 2, Units<tma::u4x16>>); }
#endif
