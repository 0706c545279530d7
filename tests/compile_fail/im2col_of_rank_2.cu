// expect: tma::TmaDescriptor: an im2col tensor has rank 3 to 5: [n][w][c], [n][h][w][c] or [n][d][h][w][c]
#include <tma/core/descriptor.hpp>
#include <tma/core/im2col.hpp>

using Column = tma::Tile<float, tma::Shape<64, 16>>;
#ifndef FIXED
constexpr int rank = 2;
#else
constexpr int rank = 3;
#endif
int bytes() { return int(sizeof(tma::TmaDescriptor<const float, rank, tma::Im2col<Column>>)); }
