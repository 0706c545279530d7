// The matchers for tests of kernels: what they match, and what a test prints that fails.
#include <tma/machine/matchers.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using tma::machine::IsClean;
using tma::machine::Kind;
using tma::machine::Report;
using tma::machine::Reports;
using tma::machine::Result;

using Tile = tma::Tile<int, tma::Shape<8, 32>>;

template <bool Waits> __global__ void copy(const __grid_constant__ tma::TmaDescriptor<const int, 2, Tile> from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);
  if (Waits) arrived.wait();
  out[threadIdx.x] = tile[int(threadIdx.x)];
  if (!Waits) arrived.wait();
}

template <bool Waits> Result explored() {
  gpu::Array<int> in(gpu::random_values<int>(Tile::size, 1)), out(64);
  const auto      from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {8, 32}});
  return tma::machine::explore({.schedules = 10},
                               [&] { tma::launch(copy<Waits>, {.grid = 1, .block = 64}, from, out.get()); });
}

// As if these had been found.
Result found(std::vector<Report> reports) {
  Result r;
  r.reports   = std::move(reports);
  r.launches  = 1;
  r.schedules = 7;
  return r;
}

Report report(Kind kind, const char* object, const char* where, const char* other, const char* text) {
  Report r;
  r.kind         = kind;
  r.object       = object;
  r.where.source = where;
  r.other.source = other;
  r.text         = text;
  return r;
}

}  // namespace

TEST_CASE("a kernel without a fault is clean") {
  const auto result = explored<true>();
  CHECK_THAT(result, IsClean());
  CHECK_THAT(result, !Reports(Kind::unwaited_load));
}

TEST_CASE("a kernel with a fault is matched by what is said of it") {
  const auto result = explored<false>();
  CHECK_THAT(result, !IsClean());
  CHECK_THAT(result, Reports(Kind::unwaited_load));
  CHECK_THAT(result, Reports(Kind::unwaited_load).at("matchers.cu"));
  CHECK_THAT(result, Reports(Kind::unwaited_load).at(result.find(Kind::unwaited_load)->where.source));
  CHECK_THAT(result, Reports(Kind::unwaited_load).withText("phase 0").withText("has not waited for"));
  CHECK_THAT(result, !Reports(Kind::deadlock));
  CHECK_THAT(result, !Reports(Kind::unwaited_load).withText("phase 17"));
}

TEST_CASE("one report has to be all that is named") {
  const auto result = found({report(Kind::unwaited_load, "full[2]", "kernel.cu:41", "kernel.cu:30", "a load of stage 2"),
                             report(Kind::early_reuse, "tile 0 of stage 2 + 64", "other.cu:4", "", "a load of stage 1")});
  CHECK_THAT(result, Reports(Kind::unwaited_load).naming("full[2]").at("kernel.cu:41").withText("stage 2"));
  CHECK_THAT(result, Reports(Kind::unwaited_load).at("kernel.cu:30"));
  CHECK_THAT(result, Reports(Kind::unwaited_load).at("kernel.cu"));
  CHECK_THAT(result, Reports(Kind::early_reuse).naming("tile 0 of stage 2"));
  CHECK_THAT(result, Reports(Kind::early_reuse) && Reports(Kind::unwaited_load) && !IsClean());

  CHECK_THAT(result, !Reports(Kind::unwaited_load).naming("full[1]"));
  CHECK_THAT(result, !Reports(Kind::unwaited_load).naming("full"));
  CHECK_THAT(result, !Reports(Kind::unwaited_load).at("kernel.cu:4"));
  CHECK_THAT(result, !Reports(Kind::unwaited_load).at("other.cu"));
  CHECK_THAT(result, !Reports(Kind::unwaited_load).withText("stage 1"));
  CHECK_THAT(result, !Reports(Kind::early_reuse).naming("tile 0 of stage 2").at("kernel.cu:41"));
}

TEST_CASE("a matcher is not changed by what is made of it") {
  const auto result = found({report(Kind::trap, "", "kernel.cu:1", "", "stops")});
  const auto traps  = Reports(Kind::trap);
  CHECK(traps.toString() == "reports trap");
  const auto another = traps.withText("goes on");
  CHECK(another.toString() == "reports trap with the text \"goes on\"");
  CHECK_THAT(result, traps);
  CHECK_THAT(result, !another);
}

TEST_CASE("what a test prints that fails") {
  CHECK(IsClean().describe() == "is clean");
  CHECK(Reports(Kind::unwaited_load).naming("full[2]").at("kernel.cu:41").withText("a").withText("b").describe() ==
        "reports unwaited_load naming \"full[2]\" at kernel.cu:41 with the text \"a\" with the text \"b\"");
  CHECK(Catch::Detail::stringify(found({})) == "no report (1 launches, 7 schedules)");
  CHECK(Catch::Detail::stringify(found({report(Kind::trap, "", "", "", "one"), report(Kind::rule, "", "", "", "two")})) ==
        "what was found (1 launches, 7 schedules)\none\ntwo\n");
}
