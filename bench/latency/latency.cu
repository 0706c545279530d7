// latency: what a copy costs that is waited for at once, in cycles of one block, and what each step of it costs.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

#include "../harness/device_array.hpp"
#include "../harness/require.hpp"
#include "chase.hpp"
#include "steps.hpp"

const harness::About harness::about{
    "latency",
    "Chases pointers and coordinates through memory by loads, cp.async and copies of the engine of every rank and size, and "
    "counts the cycles of a hop; then those of each step of a copy, and of the first copy through a descriptor."};

namespace {

using namespace latency;
using harness::Bench;
using harness::DeviceArray;
using harness::Kind;
using harness::require;

constexpr std::size_t flush_bytes = std::size_t(256) << 20;  // more than three times what an H200's L2 has

// Nodes in one cycle through all of them, in random order.
struct Chain {
  int               nodes;
  DeviceArray<Node> data;
  std::vector<int>  next;

  Chain(int n, std::mt19937& random) : nodes(n), data(std::size_t(n) * node_bytes / sizeof(Node) + 1), next(std::size_t(n)) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin() + 1, order.end(), random);
    std::vector<unsigned> words(std::size_t(n) * node_words);
    for (unsigned& w : words) w = unsigned(random());
    for (int i = 0; i < n; ++i) {
      const int from = order[std::size_t(i)], to = order[std::size_t((i + 1) % n)];
      next[std::size_t(from)] = to;
      const Node node{reinterpret_cast<const Node*>(reinterpret_cast<const char*>(data.data) + std::size_t(to) * node_bytes),
                      to, to * (node_words / 256), to * node_words};
      std::memcpy(&words[std::size_t(from) * node_words], &node, sizeof node);
    }
    require(cudaMemcpy(data.data, words.data(), words.size() * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  int after(int hops) const {
    int at = 0;
    while (hops-- > 0) at = next[std::size_t(at)];
    return at;
  }
};

// Where the chased bytes are when the walk begins.
struct Place {
  const char *mode, *span;
  int         nodes;
  bool        flush, l1;
  int         warm, groups;
};

class Chaser {
public:
  explicit Chaser(Bench& bench) : bench_(bench), random_(bench.options().seed), trace_(1), flush_(flush_bytes) {}

  void measure(const Place& place) {
    const Chain              chain(place.nodes, random_);
    std::vector<Chase>       all = chases(chain.data.data, place.nodes);
    std::vector<Measured>    got(all.size());
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    for (int turn = 0; turn < (bench_.quick() ? 1 : 3); ++turn) {
      std::shuffle(order.begin(), order.end(), random_);
      for (const std::size_t i : order)
        if (all[i].in_l1 == place.l1)
          for (const int group : {0, slots, 1}) walk(place, chain, all[i], group, got[i]);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].in_l1 != place.l1) continue;
      const auto record = [&](const char* what, const std::vector<double>& cycles, const char* unit) {
        return bench_.record(all[i].point + place.span + what, place.mode, all[i].name, all[i].kind, unit, cycles).median;
      };
      record(": chase", got[i].chase, "cycles");
      std::vector<double> ns = got[i].chase;
      for (double& v : ns) v *= got[i].ns_per_cycle;
      record(": chase in ns", ns, "ns");
      record(": one at a time", got[i].single, "cycles");
    }
  }

private:
  struct Measured {
    std::vector<double> chase, single;     // cycles of a hop
    double              timing       = 0;  // what is taken from a group's cycles: those of a group without hops
    double              ns_per_cycle = 0;
  };

  void walk(const Place& place, const Chain& chain, const Chase& chase, int group, Measured& to) {
    const int  groups = group == 1 ? std::min(place.groups * 2, most_groups) : place.groups;
    const Walk w{chain.data.data, place.warm, groups, group, int((std::size_t(chain.nodes) * node_bytes) >> 21)};
    if (place.flush) require(cudaMemset(flush_.data, int(random_() & 255), flush_bytes), "cudaMemset");
    chase.launch(w, trace_.data);
    auto trace = std::make_unique<Trace>();
    require(cudaMemcpy(trace.get(), trace_.data, sizeof(Trace), cudaMemcpyDeviceToHost), chase.name.c_str());
    if (const int right = chain.after(place.warm + groups * group); trace->last != right)
      throw std::runtime_error("latency: " + chase.point + ", " + chase.name + ": the walk ended at node " +
                               std::to_string(trace->last) + " and not at " + std::to_string(right) + "\n");
    if (group == 0) {
      std::nth_element(trace->cycles, trace->cycles + groups / 2, trace->cycles + groups);
      to.timing = trace->cycles[groups / 2];
      return;
    }
    std::vector<double>& values = group == 1 ? to.single : to.chase;
    for (int g = 0; g < groups; ++g) values.push_back((double(trace->cycles[g]) - to.timing) / group);
    to.ns_per_cycle = double(trace->all_ns) / double(trace->all_cycles);
  }

  Bench&                     bench_;
  std::mt19937               random_;
  DeviceArray<Trace>         trace_;
  DeviceArray<unsigned char> flush_;
};

}  // namespace

void harness::run(Bench& bench) {
  bench.note("one block; cycles of the multiprocessor's clock, from the hop's address to the next one's in a register");
  bench.note("chase: 8 hops timed as one, each to where the one before said; one at a time: one hop");
  bench.note("what the two reads of the clock and the loop take, measured without hops, is taken off");
  bench.note(
      "nodes 16 KiB apart, in random order; cold: the second-level cache was overwritten before, no node comes twice");
  bench.note("span: of the memory that is walked through, 8 MiB in l2; its 2 MiB pages were touched before");
  bench.note("address kept: of shared memory, in a register, where nvcc makes it anew for each copy and wait");
  bench.note("threads: of ld and cp.async, 16 bytes each, 32 to 256; of the engine's copies one warp, of which all wait");
  Chaser chaser(bench);
  if (bench.wants("chase")) {
    chaser.measure({"l1", "", 4, false, true, 16, 128});
    chaser.measure({"l2", "", 512, false, false, 512, 128});
    chaser.measure({"cold", ": span 48 MiB", 3072, true, false, 16, 180});
    chaser.measure({"cold", ": span 768 MiB", 49152, true, false, 16, 250});
  }
  if (bench.wants("steps")) measure_steps(bench);
}
