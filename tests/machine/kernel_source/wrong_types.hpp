#pragma once

using Wide = tma::TmaDescriptor<const float, 2, tma::Tile<float, tma::Shape<8, 64>>>;
struct Pair {
  tma::TmaDescriptor<const float, 1, tma::Tile<float, tma::Shape<8>>> left;
  int                                                                 n = 0;
};
