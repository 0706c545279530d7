// stencil: five and nine points of a matrix, seven of a volume: the bytes that must move, in the time they take.
#include <cuda_runtime_api.h>

#include <iterator>

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "stencil.hpp"

const harness::About harness::about{
    "stencil", "Measures stencils with halo of 2-D and 3-D f32 tensors, against a copy of as many bytes"};

namespace {

using namespace stencil;
using harness::Kind;

struct Buffers {
  static constexpr std::size_t   floats = (std::size_t(1) << 28) + (1 << 24);
  harness::DeviceArray<float>    in{floats}, out{floats};
  harness::DeviceArray<unsigned> counter{1};
};

struct Case {
  const char* name;
  Points      points;
  int         depth, height, width, pitch;
  bool        cold = true;
};

std::vector<harness::Result> measure(harness::Bench& bench, const Buffers& b, const Case& c) {
  const Work        w{c.points, b.in.data, b.out.data, c.depth, c.height, c.width, c.pitch};
  const std::size_t bytes = std::size_t(w.rows()) * std::size_t(w.width) * sizeof(float);
  harness::Point    p{c.name, c.cold ? "cold" : "l2", harness::Unit::gb_per_s, 2. * double(bytes), {}};
  if (!c.cold) p.launches = 10;
  const auto add = [&](Kind kind, const std::vector<Way>& ways) {
    for (const Way& way : ways)
      p.variants.push_back(
          {way.name, kind, [=](int) { way.launch(w); }, [&b, w] { return check(w, b.counter.data); }, way.in_flight});
  };
  spoil(w);
  add(Kind::ours, ours(c.points));
  add(Kind::hand, hand(c.points));
  add(Kind::plain, cp_async(c.points));
  add(Kind::plain, plain(c.points));
  p.variants.push_back({"memcpy", Kind::limit, [=](int) { cudaMemcpyAsync(w.out, w.in, bytes, cudaMemcpyDeviceToDevice); }});
  return bench.measure(p);
}

double of(const std::vector<harness::Result>& results, const std::string& variant) {
  for (const harness::Result& r : results)
    if (r.variant == variant) return r.median;
  return 0;
}

}  // namespace

void harness::run(Bench& bench) {
  bench.note("work: every element read once and written once. Reads of a halo are not counted.");
  bench.note("limit: the variant memcpy, cudaMemcpyAsync of as many bytes from device to device, in turn with the others.");
  const Buffers b;
  fill(b.in.data, Buffers::floats, bench.options().seed);
  const Case cases[] = {
      {"five points 16384 x 16384", Points::five, 1, 16384, 16384, 16384},
      {"nine points 16384 x 16384", Points::nine, 1, 16384, 16384, 16384},
      {"seven points 640 x 640 x 640", Points::seven, 640, 640, 640, 640},
      {"five points 12345 x 12345", Points::five, 1, 12345, 12345, 12348},
      {"nine points 10007 x 9999", Points::nine, 1, 10007, 9999, 10016},
      {"seven points 513 x 511 x 637", Points::seven, 513, 511, 637, 640},
      {"five points 2048 x 2048", Points::five, 1, 2048, 2048, 2048, false},
  };
  int left = bench.quick() ? 1 : int(std::size(cases));
  for (const Case& c : cases) {
    if (left-- <= 0) break;
    if (!bench.wants(c.name)) continue;
    const auto r = measure(bench, b, c);
    if (&c == &cases[0]) {
      bench.goal("stencil", "GB/s", of(r, "ours"), of(r, "memcpy"), "memcpy", 0.92);
      bench.goal("stencil_vs_plain_loads", "GB/s", of(r, "ours"), of(r, "plain loads"), "plain loads", 1);
    } else if (&c == &cases[1]) {
      bench.goal("stencil_nine_points", "GB/s", of(r, "ours"), of(r, "memcpy"), "memcpy", 0.92);
    } else if (&c == &cases[2]) {
      bench.goal("stencil_seven_points", "GB/s", of(r, "ours"), of(r, "memcpy"), "memcpy", 0.92);
    }
  }
}
