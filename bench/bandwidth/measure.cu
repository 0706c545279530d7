// Reading at the memory's speed: how many bytes have to be in flight for it, and what it is.
#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "bandwidth.hpp"

#include <algorithm>

namespace bandwidth {
namespace {

constexpr double data_sheet = 4800, asked = 4420;  // GB/s

__global__ void add_all(const Word* data, long long n, Word* sum) {
  Word all = 0;
  for (long long i = blockIdx.x * (long long)(blockDim.x) + threadIdx.x; i < n; i += (long long)(gridDim.x) * blockDim.x)
    all += data[i];
  atomicAdd(sum, all);
}

struct Sums {
  Word* sum;
  Word  right;

  Word take() const {
    Word got;
    harness::require(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost), "the sum");
    harness::require(cudaMemset(sum, 0, sizeof got), "the sum");
    return got;
  }
};

harness::Point point(const char* name, const Source& s) {
  harness::Point p;
  p.name  = name;
  p.mode  = "cold";
  p.unit  = harness::Unit::gb_per_s;
  p.work  = double(s.words) * sizeof(Word);
  p.limit = data_sheet;
  return p;
}

harness::Variant variant(const Reader& r, const Sums& sums) {
  return {r.name(), r.kind, [launch = r.launch](int) { launch(); },
          [sums] { return sums.take() == sums.right ? std::string() : std::string("the sum of what it read is another"); },
          r.config.in_flight()};
}

const harness::Result* best(const std::vector<harness::Result>& all, std::initializer_list<const char*> kinds,
                            const std::string& begin = "") {
  const harness::Result* found = nullptr;
  for (const auto& r : all)
    for (const char* kind : kinds)
      if (r.kind == kind && r.variant.starts_with(begin) && (!found || r.median > found->median)) found = &r;
  return found;
}

// The fewest bytes in flight with which a structure reads at 95 % of the best of all.
void note_knee(harness::Bench& bench, const std::vector<harness::Result>& all, const std::string& structure, double most) {
  const harness::Result* least = nullptr;
  for (const auto& r : all)
    if (r.kind != "hand" && r.variant.starts_with(structure) && r.in_flight > 0 && r.median >= 0.95 * most)
      if (!least || r.in_flight < least->in_flight || (r.in_flight == least->in_flight && r.median > least->median))
        least = &r;
  char text[200];
  if (least)
    std::snprintf(text, sizeof text, "%s: 95 %% of %.0f GB/s takes %g KiB in flight for each multiprocessor: %s, %.0f GB/s",
                  structure.c_str(), most, least->in_flight / 1024, least->variant.c_str(), least->median);
  else std::snprintf(text, sizeof text, "%s: none reads at 95 %% of %.0f GB/s", structure.c_str(), most);
  bench.note(text);
  std::fprintf(stderr, "%s\n", text);
  if (least) bench.record("bytes in flight for 95 %", "cold", structure, harness::Kind::ours, "B", {least->in_flight});
}

}  // namespace
}  // namespace bandwidth

const harness::About harness::about{
    "bandwidth", "Measures how fast memory is read, with and without the copy engine, against the bytes in flight."};

void harness::run(Bench& bench) {
  using namespace bandwidth;
  const long long   bytes = (bench.quick() ? 256ll : 2048ll) << 20;
  DeviceArray<Word> data(std::size_t(bytes) / sizeof(Word)), sum(1);
  const Source      s{data.data, bytes / (long long)(sizeof(Word)), sum.data, bench.machine().multiprocessors};
  Sums              sums{sum.data, 0};
  randomise<<<4096, 256>>>(data.data, std::size_t(s.words), bench.options().seed);
  require(cudaMemset(sum.data, 0, sizeof(Word)), "cudaMemset");
  add_all<<<1024, 256>>>(data.data, s.words, sum.data);
  sums.right = sums.take();

  Readers readers;
  if (bench.wants("bulk")) add_bulk(readers, s);
  if (bench.wants("tensor")) add_tensor(readers, s);
  add_hand(readers, s);
  add_plain(readers, s);
  add_cub(readers, s);
#ifdef TMA_BENCH_CUTLASS
  add_cute(readers, s);
#endif
  Point grid = point("read 2 GiB", s);
  if (bench.quick()) grid.name = "read 256 MiB";
  for (const Reader& r : readers) grid.variants.push_back(variant(r, sums));
  const auto results = bench.measure(grid);

  const Result *ours = best(results, {"ours"}), *without = best(results, {"plain", "peer"});
  if (!ours || !without) return;
  bench.note("in_flight_per_sm: tile x stages x blocks; of plain loads: threads x 16 bytes x loads of a round x blocks");
  bench.note("names: structure, tile x stages x blocks on a multiprocessor");
  for (const char* structure : {"bulk: a warp loads", "bulk: all threads", "tensor rows of 256 B: a warp loads",
                                "tensor rows of 1 KiB: a warp loads", "plain loads"})
    note_knee(bench, results, structure, ours->median);
  bench.goal("read", "GB/s", ours->median, without->median, without->variant, asked / without->median);
}
