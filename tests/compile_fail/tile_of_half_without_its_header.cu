// expect: tma::Tile: the element type is only declared here. Include its header: <cuda_fp16.h>
#ifdef FIXED
#  include <cuda_fp16.h>
#endif
#include <tma/tma.hpp>

using Tile = tma::Tile<__half, tma::Shape<8, 8>>;
int bytes() { return Tile::payload_bytes; }
