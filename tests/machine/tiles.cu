// Tiles of clusters in every order of their blocks' steps.
#include <tma/machine/machine.hpp>
#include <tma/pipeline/atomic_tiles.hpp>
#include <tma/pipeline/claimed_blocks.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using tma::machine::Strategy;

template <class Tiles> __global__ void visit(int count, unsigned* counter, int* visits) {
  Tiles tiles(count, counter, tma::shared<typename Tiles::Shared>());
  for (int tile : tiles)
    if (tile < count) atomicAdd(&visits[tile], 1);
}

template <class Tiles> __global__ void visit_claimed(int* visits) {
  Tiles tiles(tma::shared<typename Tiles::Shared>());
  for (int tile : tiles) atomicAdd(&visits[tile], 1);
}

void require_each_once(const gpu::Array<int>& visits, int count) {
  std::vector<int> once(visits.size(), 0);
  for (int i = 0; i < count; ++i) once[i] = 1;
  REQUIRE(visits.download() == once);
}

}  // namespace

TEST_CASE("a number for a cluster: every order") {
  for (int count : {0, 1, 3, 5, 8}) {
    gpu::Array<int>      visits(std::vector<int>(16, 0));
    gpu::Array<unsigned> counter(std::vector<unsigned>{0});
    const auto           result = tma::machine::explore({.strategy = Strategy::exhaustive, .most_states = 200000}, [&] {
      tma::launch(visit<tma::AtomicTiles<2>>, {.grid = 2, .block = 1, .cluster = 2}, count, counter.get(), visits.get());
    });
    INFO(count << " tiles: " << result.text());
    REQUIRE(result.clean());
    CHECK(result.exhausted);
    require_each_once(visits, count);
    REQUIRE(counter.download()[0] == 0);
  }
}

TEST_CASE("numbers for clusters of three and four: a thousand orders") {
  const auto check = [](auto kernel, int size) {
    gpu::Array<int>      visits(std::vector<int>(32, 0));
    gpu::Array<unsigned> counter(std::vector<unsigned>{0});
    const auto           result = tma::machine::explore({.schedules = 1000}, [&] {
      tma::launch(kernel, {.grid = 2 * size, .block = 1, .cluster = size}, 4 * size + 1, counter.get(), visits.get());
    });
    INFO(result.text());
    REQUIRE(result.clean());
    require_each_once(visits, 4 * size + 1);
  };
  check(visit<tma::AtomicTiles<3>>, 3);
  check(visit<tma::AtomicTiles<4>>, 4);
}

TEST_CASE("a claim for a cluster: a thousand orders") {
  for (int size : {2, 4}) {
    gpu::Array<int> visits(std::vector<int>(16, 0));
    const auto      result = tma::machine::explore({.schedules = 1000}, [&] {
      const auto kernel = size == 2 ? visit_claimed<tma::ClaimedBlocks<2>> : visit_claimed<tma::ClaimedBlocks<4>>;
      tma::launch(kernel, {.grid = 2 * size, .block = 1, .cluster = size}, visits.get());
    });
    INFO(result.text());
    REQUIRE(result.clean());
    require_each_once(visits, 2 * size);
  }
}
