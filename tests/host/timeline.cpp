// The sweep's picture of a simulated run, and how much of the copies it says to be overlapped.
#include "../../bench/sweep/timeline.hpp"

#include "../support/catch.hpp"

using sweep::Timeline;
using tma::machine::Span;

namespace {

// Warp 0 as warp 1, but for what is said of issuing.
std::vector<Span> immediate() {
  return {{"block 0 warp 0", "compute", 0, 1}, {"block 0 copies", "load 4096 B", 1, 5},  {"block 0 warp 1", "wait", 0, 5},
          {"block 0 warp 0", "wait", 1, 5},    {"block 0 warp 1", "compute", 5, 7},      {"block 0 warp 1", "meet", 7, 8},
          {"block 0 warp 0", "compute", 5, 9}, {"block 0 copies", "load 4096 B", 9, 13}, {"block 0 warp 1", "wait", 8, 13},
          {"block 0 warp 0", "wait", 9, 13},   {"block 0 warp 1", "compute", 13, 15}};
}

std::vector<Span> two_stages() {
  return {{"block 0 copies", "load 4096 B", 0, 4}, {"block 0 copies", "load 4096 B", 1, 5},
          {"block 0 warp 1", "wait", 0, 4},        {"block 0 warp 1", "compute", 4, 7},
          {"block 0 warp 1", "wait", 7, 8},        {"block 0 copies", "load 4096 B", 5, 9},
          {"block 0 warp 1", "compute", 8, 10},    {"block 0 warp 2", "compute", 0, 10},
          {"block 0 warp 0", "compute", 0, 6}};
}

}  // namespace

TEST_CASE("a tile that is waited for at once overlaps nothing") {
  const Timeline t(immediate());
  CHECK(t.end() == 15);
  CHECK(t.overlap() == 0);
  CHECK(t.picture(1, "warp 0") == "  copies      0===    1===\n"
                                  "  warp 0     #....####....\n"
                                  "  warp 1     .....0#......1#\n");
}

TEST_CASE("copies under way at once have a row each, and count once") {
  const Timeline t(two_stages());
  // Copies from 0 to 9, of which the warp computes from 4 to 7 and from 8 to 9.
  CHECK(t.overlap() == 4. / 9);
  CHECK(t.picture(1, "producer") == "  copies     0=== 2===\n"
                                    "              1===\n"
                                    "  producer   ######\n"
                                    "  warp 1     ....0##.1#\n");
}

TEST_CASE("a picture without copies is one of a warp") {
  const Timeline t({{"block 0 warp 1", "compute", 0, 4}});
  CHECK(t.overlap() == 0);
  CHECK(t.picture(2, "warp 0") == "  warp 0     \n"
                                  "  warp 1     ##\n");
}
