// expect: tma::DescriptorArray: a slot is 128 bytes: a descriptor whose type names its tile
// expect: name the tile, or pass it as a kernel parameter
#include <tma/core/tile.hpp>
#include <tma/host/descriptor_array.hpp>

using Tile = tma::Tile<float, tma::Shape<8, 16>>;
#ifndef FIXED
using Map = tma::TmaDescriptor<const float, 2>;
#else
using Map = tma::TmaDescriptor<const float, 2, Tile>;
#endif
int slots(tma::DescriptorArray<Map>& maps) { return maps.size(); }
