// rows: softmax and RMSNorm of the rows of a matrix, read from memory once and written once.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "rows.hpp"

const harness::About harness::about{"rows", "Measures softmax and RMSNorm over rows of bf16 and f32, against a copy of the "
                                            "same bytes"};

namespace {

using namespace rows;
using harness::Kind;
using Results = std::vector<harness::Result>;

struct Buffers {
  static constexpr std::size_t   bytes = std::size_t(1) << 30, slack = 256, weight_bytes = 1 << 21;
  harness::DeviceArray<char>     in{bytes + slack}, out{bytes + slack}, weight{weight_bytes};
  harness::DeviceArray<unsigned> counter{1};
};

struct Case {
  Op          op;
  Type        type;
  int         n, shift = 0;  // shift: elements by which all rows begin later than at a multiple of 16 bytes
  std::size_t bytes = Buffers::bytes;

  std::string name() const {
    return std::string(op == Op::softmax ? "softmax" : "rms_norm") + (type == Type::bf16 ? " bf16 " : " f32 ") +
           std::to_string(n) + (shift ? " shifted" : "");
  }
};

// The one for the shortest rows that these are no longer than.
const Way* fitting(const std::vector<Way>& ways, const Work& w, int shift) {
  const Way* best = nullptr;
  for (const Way& way : ways) {
    const bool fits = way.only_most ? way.most_bytes == w.row_bytes() && shift == 0 : way.most_bytes >= w.row_bytes();
    if (fits && (!best || way.most_bytes < best->most_bytes)) best = &way;
  }
  return best;
}

Results measure(harness::Bench& bench, const Buffers& b, const Case& c) {
  const int         size = bytes_of(c.type), rows = int(c.bytes / std::size_t(c.n * size));
  const Work        w{c.op, c.type, b.in.data + c.shift * size, b.out.data + c.shift * size, b.weight.data, rows, c.n};
  const std::size_t bytes = std::size_t(rows) * std::size_t(w.row_bytes());
  const bool        cold  = c.bytes == Buffers::bytes;
  fill(c.type, b.in.data, (Buffers::bytes + Buffers::slack) / std::size_t(size), bench.options().seed);
  fill(c.type, b.weight.data, Buffers::weight_bytes / std::size_t(size), bench.options().seed + 1);

  harness::Point p{c.name(), cold ? "cold" : "l2", harness::Unit::gb_per_s, 2. * double(bytes), {}};
  if (!cold) p.launches = 10;
  const auto add = [&](const char* name, Kind kind, const std::vector<Way>& ways) {
    if (const Way* way = fitting(ways, w, c.shift))
      p.variants.push_back({name, kind, [w, launch = way->launch](int) { launch(w); },
                            [&b, w] { return check(w, b.counter.data); }, way->in_flight(w)});
    return !p.variants.empty();
  };
  // Long rows may be taken by clusters that come for one row, or by clusters that stay, where these have a kernel for them.
  const bool stay = add("ours; clusters that stay", Kind::ours, ours_that_stay(c.op, c.type));
  add(stay ? "ours; a cluster a row" : "ours", Kind::ours, ours(c.op, c.type));
  add(stay ? "hand; a cluster a row" : "hand", Kind::hand, hand(c.op, c.type));
  add("cp.async", Kind::plain, cp_async(c.op, c.type));
  add("plain loads", Kind::plain, plain(c.op, c.type));
  p.variants.push_back({"memcpy", Kind::limit, [=](int) { cudaMemcpyAsync(w.out, w.in, bytes, cudaMemcpyDeviceToDevice); }});
  return bench.measure(p);
}

double of(const Results& results, const std::string& variant) {
  for (const harness::Result& r : results)
    if (r.variant == variant) return r.median;
  return 0;
}

// What peers.py wrote, where TMA_BENCH_PEERS names it: rows of the results' columns. The best of a point.
double peer_of(harness::Bench& bench, const std::string& point) {
  const char* path = std::getenv("TMA_BENCH_PEERS");
  double      best = 0;
  if (!path) return best;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> field;
    std::istringstream       fields(line);
    for (std::string f; std::getline(fields, f, ',');) field.push_back(f);
    if (field.size() < 8 || field[0] != point || field[3] != "peer") continue;
    bench.record(field[0], field[1], field[2], Kind::peer, field[4],
                 {std::stod(field[6]), std::stod(field[5]), std::stod(field[7])});
    best = std::max(best, std::stod(field[5]));
  }
  return best;
}

}  // namespace

void harness::run(Bench& bench) {
  bench.note("work: every element read once and written once. The norm's weights, read by each row, are not counted.");
  bench.note("limit: the variant memcpy, cudaMemcpyAsync of as many bytes from device to device, in turn with the others.");
  bench.note("torch.*: measured by peers.py in a process of its own before this one; p5 and p95 are of its samples.");
  const Buffers     b;
  std::vector<Case> cases;
  for (const Op op : {Op::softmax, Op::rms_norm})
    for (const Type type : {Type::bf16, Type::f32})
      for (const int n : {1024, 4096, 8192, 16384, 32768, 65536, 131072, 262144})
        if (!bench.quick() || n == 8192) cases.push_back({op, type, n});
  if (!bench.quick()) {
    for (const Op op : {Op::softmax, Op::rms_norm}) {
      cases.push_back({op, Type::bf16, 777, 3});
      cases.push_back({op, Type::bf16, 5000});
      cases.push_back({op, Type::f32, 5001, 1});
      cases.push_back({op, Type::f32, 100001, 1});
    }
    cases.push_back({Op::softmax, Type::bf16, 8192, 0, 16 << 20});
  }
  for (const Case& c : cases) {
    if (!bench.wants(c.name())) continue;
    const Results r     = measure(bench, b, c);
    const double  torch = c.bytes == Buffers::bytes ? peer_of(bench, c.name()) : 0;
    if (c.op != Op::softmax || c.type != Type::bf16 || c.bytes != Buffers::bytes) continue;
    if (c.n == 8192) {
      bench.goal("softmax", "GB/s", of(r, "ours"), of(r, "memcpy"), "memcpy", 0.92);
      bench.goal("softmax_vs_cp_async", "GB/s", of(r, "ours"), of(r, "cp.async"), "cp.async", 1);
      if (torch > 0) bench.goal("softmax_vs_torch_compile", "GB/s", of(r, "ours"), torch, "torch.compile", 1);
    } else if (c.n == 131072) {
      bench.goal("softmax_long_rows", "GB/s", of(r, "ours; clusters that stay"), of(r, "memcpy"), "memcpy", 0.92);
    }
  }
}
