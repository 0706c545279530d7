// Nothing is wrong with it.
// expect: tma::Tile: a row
#include "../common.hpp"

int bytes() { return Tile::payload_bytes; }
