// Loads and stores of every rank under every swizzle of capability 9.0, at positions inside, across and outside.
#include "transfer.hpp"

using tma::Shape;
using tma::Swizzle;
using tma::Tile;

TEST_CASE("rank 1") {
  transfer::check<Tile<float, Shape<4>>>(1);
  transfer::check<Tile<float, Shape<256>>>(2);
  transfer::check<Tile<float, Shape<8>, Swizzle::bytes_32>>(3);
  transfer::check<Tile<float, Shape<16>, Swizzle::bytes_64>>(4);
  transfer::check<Tile<float, Shape<32>, Swizzle::bytes_128>>(5);
}

TEST_CASE("rank 2") {
  transfer::check<Tile<float, Shape<32, 32>>>(1);
  transfer::check<Tile<float, Shape<256, 8>>>(2);
  transfer::check<Tile<float, Shape<1, 256>>>(3);
  transfer::check<Tile<float, Shape<33, 20>>>(4);
  transfer::check<Tile<float, Shape<17, 8>, Swizzle::bytes_32>>(5);
  transfer::check<Tile<float, Shape<17, 16>, Swizzle::bytes_64>>(6);
  transfer::check<Tile<float, Shape<64, 32>, Swizzle::bytes_128>>(7);
}

TEST_CASE("rank 2, rows narrower than the swizzle are padded to it") {
  transfer::check<Tile<float, Shape<9, 4>, Swizzle::bytes_32>>(1);
  transfer::check<Tile<float, Shape<9, 12>, Swizzle::bytes_64>>(2);
  transfer::check<Tile<float, Shape<9, 24>, Swizzle::bytes_128>>(3);
  transfer::check<Tile<float, Shape<9, 8>, Swizzle::bytes_128>>(4);
  transfer::check<Tile<float, Shape<9, 4>, Swizzle::bytes_128>>(5);
}

TEST_CASE("rank 3") {
  transfer::check<Tile<float, Shape<3, 5, 12>>>(1);
  transfer::check<Tile<float, Shape<4, 6, 8>, Swizzle::bytes_32>>(2);
  transfer::check<Tile<float, Shape<4, 6, 16>, Swizzle::bytes_64>>(3);
  transfer::check<Tile<float, Shape<4, 6, 32>, Swizzle::bytes_128>>(4);
  transfer::check<Tile<float, Shape<4, 6, 20>, Swizzle::bytes_128>>(5);
}

TEST_CASE("rank 4") {
  transfer::check<Tile<float, Shape<2, 3, 4, 8>>>(1);
  transfer::check<Tile<float, Shape<2, 3, 4, 8>, Swizzle::bytes_32>>(2);
  transfer::check<Tile<float, Shape<2, 3, 4, 16>, Swizzle::bytes_64>>(3);
  transfer::check<Tile<float, Shape<2, 3, 4, 32>, Swizzle::bytes_128>>(4);
}

TEST_CASE("rank 5") {
  transfer::check<Tile<float, Shape<2, 1, 3, 2, 8>>>(1);
  transfer::check<Tile<float, Shape<2, 1, 3, 2, 8>, Swizzle::bytes_32>>(2);
  transfer::check<Tile<float, Shape<2, 1, 3, 2, 16>, Swizzle::bytes_64>>(3);
  transfer::check<Tile<float, Shape<2, 1, 3, 2, 32>, Swizzle::bytes_128>>(4);
}

TEST_CASE("blocks of any size move a tile") {
  for (int threads : {1, 7, 32, 33, 96, 1000, 1024})
    transfer::check<Tile<float, Shape<16, 16>>>(std::uint64_t(threads), 3, threads);
}
