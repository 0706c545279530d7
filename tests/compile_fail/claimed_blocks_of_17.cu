// expect: tma::ClaimedBlocks: a cluster has at most 8 blocks
#include "common.hpp"
#include <tma/pipeline/claimed_blocks.hpp>

#ifndef FIXED
using Tiles = tma::ClaimedBlocks<17>;
#else
using Tiles = tma::ClaimedBlocks<16>;
#endif
unsigned bytes() { return sizeof(Tiles::Shared); }
