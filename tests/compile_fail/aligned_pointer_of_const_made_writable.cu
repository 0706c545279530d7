// expect: from "tma::AlignedPointer<const float>" to "tma::AlignedPointer<float>" exists
#include <tma/tma.hpp>

#ifndef FIXED
tma::AlignedPointer<float> writable(tma::AlignedPointer<const float> p) { return p; }
#else
tma::AlignedPointer<const float> writable(tma::AlignedPointer<float> p) { return p; }
#endif
