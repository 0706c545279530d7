// expect: four rows are gathered from, or scattered to, a tensor of rank 2
#include <tma/core/descriptor.hpp>
#include <tma/core/gather.hpp>

using Rows = tma::Tile<float, tma::Shape<4, 32>>;
#ifndef FIXED
constexpr int rank = 3;
#else
constexpr int rank = 2;
#endif
int bytes() { return int(sizeof(tma::TmaDescriptor<const float, rank, tma::Rows4<Rows>>)); }
