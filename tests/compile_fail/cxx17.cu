// expect: tma needs C++20: compile with -std=c++20
// errors: 2
// mistake: -std=c++17
#include <tma/tma.hpp>

int bytes() { return tma::Tile<float, tma::Shape<32, 32>>::payload_bytes; }
