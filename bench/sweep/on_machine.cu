// sweep-machine: the modes of the sweep on the CPU machine. It verifies results and protocol, draws what would overlap, and
// times nothing.
#include <bit>
#include <map>

#include <tma/machine/machine.hpp>

#include "../harness/device_array.hpp"
#include "../harness/progress.hpp"
#include "modes.cuh"
#include "timeline.hpp"

namespace {

using namespace sweep;
using harness::require;
namespace machine = tma::machine;

// Three blocks of 25, 25 and 6 tiles, or of 19, 19 and 18: more than any ring has stages, less than some have, and what is
// left over. Every tile size divides it.
constexpr int tiles = 56, tiles_of_block = 25, blocks = 3;

constexpr int tiles_drawn = 10, columns_drawn = 105;

// One kernel, and what came of it.
struct Row {
  std::string     mode, traffic;
  int             tile_bytes, blocks, threads;
  bool            verified;
  machine::Result result;
};

struct Drawing {
  std::string     mode;
  machine::Result result;
  Timeline        timeline;
};

unsigned bits(float x) { return std::bit_cast<unsigned>(x); }

unsigned folded(const std::vector<float>& v) {
  unsigned all = 0;
  for (float x : v) all ^= bits(x);
  return all;
}

// The same input for every kernel, and where its results go.
class Data {
public:
  Data(int tiles, unsigned seed) : input_(std::size_t(tiles) * tile_elements), in_(input_.size()), out_(input_.size()) {
    for (std::size_t i = 0; i < input_.size(); ++i) input_[i] = input_at(i, seed);
    require(cudaMemcpy(in_.data, input_.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  Problem problem(int per_block, int blocks, int threads) const {
    return {input_.size(), {int(input_.size()) / tile_elements, per_block}, blocks, threads, in_.data, out_.data};
  }

  void forget_results() { require(cudaMemset(out_.data, 0xff, bytes()), "cudaMemset"); }

  // Every bit, against what the host computes.
  bool copied(int fma) const {
    const auto out = results(input_.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      if (bits(out[i]) != bits(expected_of(input_[i], fma))) return false;
    return true;
  }
  bool read(int fma, std::size_t threads) const {
    std::vector<float> expected = input_;
    for (float& x : expected) x = expected_of(x, fma);
    return folded(results(threads)) == folded(expected);
  }

private:
  std::size_t        bytes() const { return input_.size() * sizeof(float); }
  std::vector<float> results(std::size_t n) const {
    std::vector<float> out(n);
    require(cudaMemcpy(out.data(), out_.data, n * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return out;
  }

  std::vector<float>          input_;
  harness::DeviceArray<float> in_, out_;
};

// They have no simulated time of their own.
bool copies_by_threads(const std::string& mode) { return mode == "sync" || mode == "cp_async"; }

std::vector<Row> verify(const Options& o) {
  Data              data(tiles, o.seed);
  const Problem     problem = data.problem(o.preset == "hbm" ? 0 : tiles_of_block, blocks, o.block);
  machine::Settings settings;
  settings.schedules = o.schedules;
  settings.seed      = o.seed;

  const auto          all     = modes(problem);
  std::vector<Reader> reading = readers(problem, 2);
  std::erase_if(reading, [](const Reader& r) { return r.blocks_per_sm > 1; });

  std::vector<Row> rows;
  const auto       check = [&](Row row, const Run& run, const std::vector<int>& fmas, const auto& holds) {
    harness::progress("verifying", rows.size(), o.mode == "sweep" ? all.size() + reading.size() : 1);
    row.verified = true;
    row.result   = machine::explore(settings, [&] {
      for (int fma : fmas) {
        data.forget_results();
        run(fma);
        row.verified &= holds(fma);
      }
    });
    rows.push_back(std::move(row));
  };

  for (std::size_t m = 0; m < all.size(); ++m) {
    const std::string& name = mode_names()[m];
    if (o.mode == "sweep" || o.mode == name)
      check({name, "copy", tile_elements * 4, blocks, o.block, false, {}}, all[m], o.fma,
            [&](int fma) { return data.copied(fma); });
  }
  if (o.mode == "sweep")
    for (const Reader& r : reading)
      check({"pipe" + std::to_string(r.stages), "read", r.elements * 4, r.blocks, r.threads, false, {}}, r.run, {1},
            [&](int fma) { return data.read(fma, std::size_t(r.blocks) * r.threads); });
  harness::progress("", 0, 0);
  return rows;
}

// One block of a few modes by simulated time: each tile waited for at once, then ahead of use.
std::vector<Drawing> draw(const Options& o) {
  std::vector<std::string> names = {"bulk1d", "pipe2", "pipe4", "warp_specialized"};
  if (copies_by_threads(o.mode)) names.clear();
  else if (o.mode != "sweep") names = {o.mode};
  Data                 data(tiles_drawn, o.seed);
  const auto           all = modes(data.problem(tiles_drawn, 1, o.block));
  std::vector<Drawing> drawings;
  for (const std::string& name : names) {
    machine::Settings settings;
    settings.strategy = machine::Strategy::timed;
    settings.timeline = !o.timeline.empty() && (names.size() == 1 || name == "pipe2") ? o.timeline : "-";
    const auto result = machine::explore(settings, [&] { all[std::size_t(mode_index(name))](o.fma.front()); });
    drawings.push_back({name, result, Timeline(machine::timeline())});
  }
  return drawings;
}

// --- what is printed -----------------------------------------------------------------------------------------------

void write_table(const std::vector<Row>& rows) {
  std::printf("%-17s %-8s %9s %7s %8s %9s %10s %8s %8s\n", "mode", "traffic", "tile KiB", "blocks", "threads", "verified",
              "schedules", "copies", "reports");
  for (const Row& r : rows)
    std::printf("%-17s %-8s %9d %7d %8d %9s %10lld %8lld %8zu\n", r.mode.c_str(), r.traffic.c_str(), r.tile_bytes / 1024,
                r.blocks, r.threads, r.verified ? "yes" : "NO", r.result.schedules, r.result.copies,
                r.result.reports.size());
}

void write_csv(const std::vector<Row>& rows) {
  std::printf("mode,traffic,tile_bytes,blocks,threads,verified,schedules,copies,reports\n");
  for (const Row& r : rows)
    std::printf("%s,%s,%d,%d,%d,%s,%lld,%lld,%zu\n", r.mode.c_str(), r.traffic.c_str(), r.tile_bytes, r.blocks, r.threads,
                r.verified ? "yes" : "no", r.result.schedules, r.result.copies, r.result.reports.size());
}

void write_json(const std::vector<Row>& rows, const std::vector<Drawing>& drawings) {
  std::printf("{\n  \"timed\": false,\n  \"modes\": [");
  for (const Row& r : rows)
    std::printf("%s\n    {\"mode\": \"%s\", \"traffic\": \"%s\", \"tile_bytes\": %d, \"blocks\": %d, \"threads\": %d, "
                "\"verified\": %s, \"schedules\": %lld, \"copies\": %lld, \"reports\": %zu}",
                &r == rows.data() ? "" : ",", r.mode.c_str(), r.traffic.c_str(), r.tile_bytes, r.blocks, r.threads,
                r.verified ? "true" : "false", r.result.schedules, r.result.copies, r.result.reports.size());
  std::printf("\n  ],\n  \"predicted_overlap\": {");
  for (const Drawing& d : drawings)
    std::printf("%s\"%s\": %.2f", &d == drawings.data() ? "" : ", ", d.mode.c_str(), d.timeline.overlap());
  std::printf("}\n}\n");
}

const char* in_words(const std::string& mode) {
  static const std::map<std::string, const char*> words = {{"bulk1d", "each tile waited for at once"},
                                                           {"tensor2d", "boxes of a matrix, each waited for at once"},
                                                           {"pipe2", "2 stages"},
                                                           {"pipe4", "4 stages"},
                                                           {"pipe8", "8 stages"},
                                                           {"pipe16", "16 stages"},
                                                           {"tensor_pipe4", "boxes of a matrix, 4 stages"},
                                                           {"warp_specialized", "8 stages, and a warp that only issues"}};
  return words.at(mode);
}

void write_drawings(const Options& o, const std::vector<Drawing>& drawings) {
  if (drawings.empty()) {
    std::printf("\nno picture: the machine's simulated clock knows no copies by threads\n");
    return;
  }
  double longest = 0;
  for (const Drawing& d : drawings) longest = std::max(longest, d.timeline.end());
  std::printf(
      "\nnothing was timed: the picture is drawn from the machine's simulated clock, roughly a Hopper's. One block of %d\n"
      "threads, %d tiles of 4 KiB, fma %d: = a copy under way, # computing, . waiting; a digit begins the tile it names.\n"
      "The overlap is the share of the time with copies under way that is spent computing.\n",
      o.block, tiles_drawn, o.fma.front());
  for (const Drawing& d : drawings)
    std::printf("\n%s (%s): overlap %.0f %%\n%s", d.mode.c_str(), in_words(d.mode), 100 * d.timeline.overlap(),
                d.timeline.picture(longest / columns_drawn, d.mode == "warp_specialized" ? "producer" : "warp 0").c_str());
}

int run(Options o) {
  if (!o.output.empty())
    refuse("--output", o.output, "these files hold times, and without a GPU nothing is timed",
           "leave it out, and redirect what is printed");
  if (!o.timeline.empty()) {
    if (copies_by_threads(o.mode))
      refuse("--timeline", o.timeline, "copies by threads, as in " + o.mode + ", are not simulated by time",
             "choose a mode of the copy engine");
    std::FILE* file = std::fopen(o.timeline.c_str(), "w");
    if (!file) refuse("--timeline", o.timeline, "the file cannot be written", "name a folder that exists");
    std::fclose(file);
  }
  if (o.fma.empty()) o.fma = {32};

  const auto rows     = verify(o);
  const auto drawings = draw(o);

  if (o.format == "json") {
    write_json(rows, drawings);
  } else if (o.csv_only) {
    write_csv(rows);
  } else {
    std::printf(
        "nothing was timed: the modes ran on a model of the SM and its copy engine, on a small problem, each in several\n"
        "orders of threads and copies. Every bit of their results is compared, and the protocol is checked.\n\n");
    if (o.format == "csv") write_csv(rows);
    else write_table(rows);
    write_drawings(o, drawings);
  }
  bool good = true;
  for (const Row& r : rows) {
    if (!r.verified)
      std::fprintf(stderr, "sweep: %s (%s, tiles of %d bytes) computed wrong elements\n", r.mode.c_str(), r.traffic.c_str(),
                   r.tile_bytes);
    std::fputs(r.result.text().c_str(), stderr);
    good &= r.verified && r.result.clean();
  }
  for (const Drawing& d : drawings) {
    std::fputs(d.result.text().c_str(), stderr);
    good &= d.result.clean();
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return main_with(argc, argv,
                   "The sweep without a GPU: every mode on a model of the SM and its copy engine. Results and protocol are "
                   "verified, nothing is timed, and what would overlap is drawn.",
                   run);
}
