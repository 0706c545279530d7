// Boxes that lie wholly outside their tensors: a report where it is asked for. Run with TMA_MACHINE_OUTSIDE_BOXES=1 as well.
#include "faults.hpp"

#include <tma/device/im2col.hpp>

#include <cstdlib>

using namespace faults;

namespace {

__global__ void load_at(const __grid_constant__ Map from, int* out, int row, int column) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(from, {row, column}, s.tile, arrived);  // <outside.load>
  arrived.wait();
  for (int i = block.rank(); i < Tile::size; i += block.size()) out[i] = s.tile[i];
}

__global__ void store_at(const __grid_constant__ Out to, int row, int column) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(tile)) x = 3;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, {row, column}, ready);  // <outside.store>
}

// 8 rows of 512.
tma::machine::Result run(bool asked, bool stores, int row, int column) {
  return tma::machine::explore({.schedules = 3, .outside_boxes = asked}, [&] {
    gpu::Array<int> tensor(8 * 512), out(Tile::size);
    if (stores) {
      tma::launch(store_at, {.grid = 1, .block = 64}, tma::make_descriptor<Tile>(tma::TensorView{tensor.get(), {8, 512}}),
                  row, column);
    } else {
      const auto from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(tensor.get()), {8, 512}});
      tma::launch(load_at, {.grid = 1, .block = 64}, from, out.get(), row, column);
    }
  });
}

void check_report(const tma::machine::Result& result, const char* mark, std::vector<std::string_view> says) {
  INFO(result.text());
  const auto* report = result.find(Kind::outside_tensor);
  REQUIRE(report);
  CHECK(report->where.source == place_of(mark, __FILE__));
  for (const auto part : says) {
    INFO("expected: " << part);
    CHECK(contains(report->text, part));
  }
}

}  // namespace

TEST_CASE("swapped coordinates are reported where it is asked for, and say so") {
  check_report(
      run(true, false, 256, 4), "outside.load",
      {"a tensor load of a box that lies wholly outside its tensor: it begins at {256, 4}, and the tensor's extents are "
       "{8, 512}",
       "in the reverse order the coordinates would lie in it", "Fix: coordinates are counted as extents are"});
  check_report(run(true, true, 64, 0), "outside.store", {"a tensor store of a box", "at {64, 0}", "in the reverse order"});
}

TEST_CASE("boxes before and behind the tensor are reported") {
  check_report(run(true, false, -4, 0), "outside.load", {"at {-4, 0}", "Fix: mend the coordinates"});
  check_report(run(true, false, 0, -32), "outside.load", {"at {0, -32}", "leave Settings::outside_boxes off"});
  check_report(run(true, false, 8, 512), "outside.load", {"at {8, 512}"});
  check_report(run(true, true, 8, 0), "outside.store", {"at {8, 0}"});
}

TEST_CASE("a box of which some element lies in the tensor is none of them") {
  for (const bool stores : {false, true}) {
    CHECK(run(true, stores, 7, 508).clean());
    CHECK(run(true, stores, 0, 0).clean());
  }
  CHECK(run(true, false, -3, -28).clean());
}

TEST_CASE("boxes outside are reported only where it is asked for") {
  for (const bool stores : {false, true}) CHECK(run(false, stores, 64, 0).clean());
}

TEST_CASE("the environment asks for it") {
  const char* const set = std::getenv("TMA_MACHINE_OUTSIDE_BOXES");
  CHECK(tma::machine::settings().outside_boxes == (set && *set == '1'));
}
