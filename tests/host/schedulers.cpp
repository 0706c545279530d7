// The order of tiles in a grid, on the host: each tile once, bands of rows and of columns, clusters.
#include <tma/core/grouped_raster.hpp>
#include <tma/core/tile_or_end.hpp>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "../support/catch.hpp"

using tma::GroupedRaster;
using tma::RasterGroup;

namespace {

// Every tile of the grid is at one index, and every other index is of a block that reaches beyond it.
template <class Raster> void check_each_once(int rows, int columns, int batches) {
  const Raster      raster(rows, columns, batches);
  std::vector<char> seen(std::size_t(rows) * columns * batches, 0);
  int               outside = 0;
  INFO(rows << " rows, " << columns << " columns, " << batches << " batches");
  for (int i = 0; i < raster.size(); ++i) {
    const auto [batch, row, column, valid] = raster(i);
    const bool inside = batch >= 0 && batch < batches && row >= 0 && row < rows && column >= 0 && column < columns;
    if (inside != valid) FAIL("index " << i << " is at " << batch << ", " << row << ", " << column << ": " << valid);
    if (!valid) ++outside;
    else if (seen[(std::size_t(batch) * rows + row) * columns + column]++) FAIL("index " << i << " repeats a tile");
  }
  REQUIRE(raster.size() - outside == rows * columns * batches);
}

template <class Raster> void check_sizes() {
  constexpr int sizes[] = {1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 64, 97};
  for (int rows : sizes)
    for (int columns : sizes)
      for (int batches : {1, 2, 3}) check_each_once<Raster>(rows, columns, batches);
  for (int n : {0, 1, 5}) {
    REQUIRE(Raster(0, n).size() == 0);
    REQUIRE(Raster(n, 0).size() == 0);
    REQUIRE(Raster(n, n, 0).size() == 0);
  }
}

template <int Group> void check_group() {
  check_sizes<GroupedRaster<Group>>();
  check_sizes<GroupedRaster<Group, RasterGroup::columns>>();
  check_sizes<GroupedRaster<Group, RasterGroup::rows, 2, 1>>();
  check_sizes<GroupedRaster<Group, RasterGroup::columns, 1, 2>>();
  check_sizes<GroupedRaster<Group, RasterGroup::rows, 2, 4>>();
  check_sizes<GroupedRaster<Group, RasterGroup::columns, 3, 1>>();
}

template <class Raster> std::vector<std::array<int, 2>> walk(const Raster& raster) {
  std::vector<std::array<int, 2>> places;
  for (int i = 0; i < raster.size(); ++i) places.push_back({raster(i).row, raster(i).column});
  return places;
}

using Places = std::vector<std::array<int, 2>>;

}  // namespace

TEST_CASE("a raster is a bijection") {
  check_group<1>();
  check_group<2>();
  check_group<3>();
  check_group<8>();
  check_group<100>();  // more than there are rows
}

TEST_CASE("bands are walked across first, and the last one is narrower") {
  CHECK(walk(GroupedRaster<2>(3, 2)) == Places{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}});
  CHECK(walk(GroupedRaster<2, RasterGroup::columns>(2, 3)) == Places{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {1, 2}});
  CHECK(walk(GroupedRaster<1>(2, 3)) == Places{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(walk(GroupedRaster<1, RasterGroup::columns>(2, 3)) == Places{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}});
  CHECK(walk(GroupedRaster<9>(2, 2)) == Places{{0, 0}, {1, 0}, {0, 1}, {1, 1}});
}

TEST_CASE("a cluster takes neighbouring tiles, by the rank of its blocks") {
  const GroupedRaster<1, RasterGroup::rows, 2, 2> raster(3, 3);
  CHECK(raster.size() == 16);
  CHECK(walk(raster) == Places{{0, 0},
                               {0, 1},
                               {1, 0},
                               {1, 1},
                               {0, 2},
                               {0, 3},
                               {1, 2},
                               {1, 3},  //
                               {2, 0},
                               {2, 1},
                               {3, 0},
                               {3, 1},
                               {2, 2},
                               {2, 3},
                               {3, 2},
                               {3, 3}});
}

TEST_CASE("batches are walked slowest") {
  const GroupedRaster<2> raster(3, 5, 4);
  for (int i = 0; i < raster.size(); ++i) {
    REQUIRE(raster(i).batch == i / 15);
    REQUIRE(raster(i).row == raster(i % 15).row);
    REQUIRE(raster(i).column == raster(i % 15).column);
  }
}

TEST_CASE("a raster of as many tiles as an int counts") {
  // Band b of rows holds 8 x columns indices; the last index is the last tile.
  constexpr int          most = 2147483647;
  const GroupedRaster<8> wide(1, most), tall(most, 1), square(46340, 46340);
  CHECK(wide.size() == most);
  CHECK(wide(most - 1).column == most - 1);
  CHECK(tall(most - 1).row == most - 1);
  CHECK(square(square.size() - 1).row == 46339);
  CHECK(square(square.size() - 1).column == 46339);
  const GroupedRaster<8, RasterGroup::columns> columns(most, 1);
  CHECK(columns(most - 1).row == most - 1);
}

TEST_CASE("rasters and answers are constants as well") {
  constexpr GroupedRaster<8> raster(16, 4);
  STATIC_REQUIRE(raster.size() == 64);
  STATIC_REQUIRE(raster(9).row == 1);
  STATIC_REQUIRE(raster(9).column == 1);
  STATIC_REQUIRE(!tma::TileOrEnd{});
  STATIC_REQUIRE(tma::TileOrEnd{0});
  STATIC_REQUIRE(tma::TileOrEnd(2147483647).index() == 2147483647);
  STATIC_REQUIRE(tma::TileOrEnd(2147483647));
  STATIC_REQUIRE(sizeof(tma::TileOrEnd) == 4);
  STATIC_REQUIRE(std::is_trivial_v<tma::TileOrEnd>);
  STATIC_REQUIRE(tma::TileOrEnd{3} == tma::TileOrEnd{3});
}
