// The sweep's verdict, on tables whose right reading is known.
#include "../../bench/sweep/verdict.hpp"

#include "../support/catch.hpp"

using sweep::Results;
using sweep::Row;

namespace {

// A row of the first four modes; the others are as fast as `others` says, against sync.
Row row(int fma, double sync, double bulk1d, double tensor2d, double pipe2, double pipes, double cp_async, double roles,
        double boxes) {
  Row        r{fma, std::vector<double>(sweep::mode_names().size())};
  const auto set = [&](const char* mode, double ms) { r.ms[std::size_t(sweep::mode_index(mode))] = ms; };
  set("sync", sync);
  set("bulk1d", bulk1d);
  set("tensor2d", tensor2d);
  set("pipe2", pipe2);
  set("pipe4", sync / pipes);
  set("pipe8", sync / pipes);
  set("pipe16", sync / pipes);
  set("cp_async", sync / cp_async);
  set("warp_specialized", sync / roles);
  set("tensor_pipe4", sync / boxes);
  return r;
}

bool says(const std::vector<std::string>& lines, const std::string& text) {
  for (const auto& line : lines)
    if (line.find(text) != std::string::npos) return true;
  for (const auto& line : lines) UNSCOPED_INFO(line);
  return false;
}

// A published measurement: nothing at once, 1.69 with a prefetch, 1.02 where the kernel computes.
Results published() {
  Results r;
  r.rows.push_back(row(1, 0.036832, 0.035008, 0.040352, 0.021824, 1.7, 1.3, 1.7, 1.7));
  r.rows.push_back(row(32, 0.107424, 0.109472, 0.114688, 0.096448, 1.11, 1.0, 1.11, 1.1));
  r.rows.push_back(row(64, 0.183552, 0.185248, 0.190336, 0.173184, 1.06, 1.0, 1.06, 1.0));
  r.rows.push_back(row(128, 0.336320, 0.337600, 0.343200, 0.325376, 1.03, 1.0, 1.03, 1.0));
  r.rows.push_back(row(256, 0.641760, 0.643264, 0.647616, 0.629728, 1.02, 1.0, 1.02, 1.0));
  return r;
}

}  // namespace

TEST_CASE("the usual case: keep the prefetch, the engine alone is worth little, stop where it computes") {
  const auto lines = sweep::verdict(published());
  CHECK(says(lines, "D2 pipe2 1.69x, best pipeline 1.70x at low intensity (fma 1): keep the prefetch"));
  CHECK(says(lines, "D3 from fma 128 on: stop"));
  CHECK(says(lines, "D4 cp.async with 4 stages 1.30x"));
  CHECK(says(lines, "the engine is ahead"));
  CHECK(says(lines, "D1 boxes of a matrix 1.70x"));
  CHECK(says(lines, "D7 a producer warp 1.70x"));
  CHECK(says(lines, "roles buy nothing"));
  CHECK(says(lines, "depth: 2 stages are within 3 %"));
  CHECK(says(lines, "VERDICT: use TMA with a pipeline, below fma 128"));
}

TEST_CASE("an immediate wait that gains nothing is said to gain nothing, one that does is said to") {
  auto r = published();
  CHECK(says(sweep::verdict(r), "D2 immediate wait 1.05x: "));
  r.rows[0].ms[1] = r.rows[0].ms[0] * 1.01;
  CHECK(says(sweep::verdict(r), "D2 immediate wait 0.91x: alone it buys nothing; do not just swap the API") == false);
  r.rows[0].ms[1] = r.rows[0].ms[0] / 1.02;
  CHECK(says(sweep::verdict(r), "D2 immediate wait 1.02x: alone it buys nothing; do not just swap the API"));
  r.rows[0].ms[1] = r.rows[0].ms[0] / 1.5;
  CHECK(says(sweep::verdict(r), "D2 immediate wait 1.50x: the engine alone helps as well"));
}

TEST_CASE("a cp.async pipeline that is as good is preferred") {
  auto r    = published();
  r.rows[0] = row(1, 1, 1, 1, 0.6, 1.7, 1.7, 1.7, 1.7);
  CHECK(says(sweep::verdict(r), "stay with cp.async unless"));
  CHECK(says(sweep::verdict(r), "VERDICT: prefetch pays, below fma 128, and cp.async does it as well"));
}

TEST_CASE("a device on which nothing gains is told to stop") {
  Results r;
  r.rows.push_back(row(1, 1, 1, 1.1, 0.99, 1.01, 1.0, 1.0, 0.9));
  r.rows.push_back(row(2, 1, 1, 1.1, 0.99, 1.01, 1.0, 1.0, 0.9));
  CHECK(says(sweep::verdict(r), "the copy engine buys nothing here"));
  CHECK(says(sweep::verdict(r), "D3 no intensity gains: stop"));
  CHECK(says(sweep::verdict(r), "VERDICT: do not use TMA for this"));
}

TEST_CASE("roles, boxes, depth and bytes in flight are read off") {
  Results r;
  r.blocks_per_sm = 2;
  r.rows.push_back(row(1, 1, 1, 1, 0.6, 2.0, 1.5, 2.5, 1.5));
  r.reads          = {{2, 4096, 1, 1.0, 2000}, {4, 4096, 4, 1.0, 4400}, {4, 16384, 1, 1.0, 4500}, {2, 32768, 2, 1.0, 4510}};
  const auto lines = sweep::verdict(r);
  CHECK(
      says(lines,
           "D7 a producer warp 2.50x, one of the working threads 2.00x with 8 stages: give the copies a warp of their own"));
  CHECK(says(lines, "D1 boxes of a matrix 1.50x, rows of bytes 2.00x with 4 stages: use one-dimensional copies"));
  CHECK(says(lines, "depth: 4 stages are within 3 % of the best: 32 KiB in flight for each SM"));
  CHECK(says(lines, "reading only: 4510 GB/s with 2 stages of 32 KiB, 2 blocks an SM; 95 % of it takes 64 KiB in flight"));
  CHECK(says(lines, "VERDICT: use TMA with a pipeline, issued by a warp of its own"));
  CHECK(sweep::verdict(Results()).empty());
}

TEST_CASE("the leading columns of the CSV are fixed") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file);
  sweep::write_csv(file, published().rows);
  std::rewind(file);
  char line[1024];
  REQUIRE(std::fgets(line, sizeof line, file));
  CHECK(std::string(line).rfind(
            "fma_iters,sync_ms,bulk1d_ms,tensor2d_ms,pipe2_ms,speedup_bulk1d,speedup_tensor2d,speedup_pipe2,", 0) == 0);
  REQUIRE(std::fgets(line, sizeof line, file));
  CHECK(std::string(line).rfind("1,0.036832,0.035008,0.040352,0.021824,1.0521,0.9128,1.6877,", 0) == 0);
  std::fclose(file);
}
