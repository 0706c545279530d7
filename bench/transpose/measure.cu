// Transposes of matrices and permutes of three dimensions, beside a copy by the device and, where peers.py has run, PyTorch's.
#include "../harness/bench.hpp"
#include "buffers.cuh"
#include "implementations.hpp"
#include "peers.hpp"

const harness::About harness::about{
    "transpose",
    "Measures transposes of matrices and permutes of three dimensions: by the engine on both sides, on one, by hand "
    "and without it, beside a copy by the device."};

namespace transpose {
namespace {

using harness::Kind;
using harness::require;

template <class T> struct Candidate {
  const char* name;
  Kind        kind;
  Prepared (*prepare)(const T*, T*, const Work&);
};

template <class T>
void measure(harness::Bench& bench, const Buffers& buffers, const std::string& name, const Work& w, Turn turn,
             const std::vector<Candidate<T>>& candidates, int launches = 1) {
  const T*          from  = reinterpret_cast<const T*>(buffers.from.data);
  T*                to    = reinterpret_cast<T*>(buffers.to.data);
  const std::size_t bytes = std::size_t(w.batches) * std::size_t(w.rows) * std::size_t(w.columns) * sizeof(T);
  require(bytes <= buffers.bytes ? cudaSuccess : cudaErrorInvalidValue, name.c_str());
  const Places places = places_of(w, turn);

  harness::Point point;
  point.name     = name;
  point.mode     = launches > 1 ? "l2" : "cold";
  point.unit     = harness::Unit::gb_per_s;
  point.work     = 2. * double(bytes);
  point.launches = launches;
  if (launches == 1) point.limit = 4800;  // the data sheet's
  else point.hold_us = 400;               // until all of them are queued
  for (const Candidate<T>& c : candidates) {
    const Prepared p = c.prepare(from, to, w);
    point.variants.push_back({c.name, c.kind, [launch = p.launch](int) { launch(); },
                              [&buffers, places] { return verify<T>(buffers, places); }, p.in_flight});
  }
  point.variants.push_back({"cudaMemcpyAsync", Kind::limit, [=](int) {
                              require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
                            }});
  bench.measure(point);
  static const Peers peers;
  for (const Peers::Row& r : peers.rows())
    if (r.point == name) bench.record(name, point.mode, r.variant, Kind::peer, "GB/s", {r.median});
}

template <class T> std::vector<Candidate<T>> transposes() {
  return {{"engine loads", Kind::ours, ours_one_way<T>},
          {"engine loads by hand", Kind::hand, hand_one_way<T>},
          {"engine loads and stores", Kind::ours, ours_both_ways<T>},
          {"threads", Kind::plain, plain<T>}};
}
template <class T> std::vector<Candidate<T>> moves() {
  return {{"engine loads and stores", Kind::ours, ours_rows<T>}, {"threads", Kind::plain, plain_rows<T>}};
}

template <class T> std::string name_of_type() { return sizeof(T) == 4 ? "f32" : "f16"; }

std::string name_of_matrix(const std::string& type, int rows, int columns) {
  return type + " " + std::to_string(rows) + " x " + std::to_string(columns);
}

template <class T> void matrices(harness::Bench& bench, const Buffers& buffers, int n) {
  const auto point = [&](int rows, int columns, int launches) {
    const std::string name = name_of_matrix(name_of_type<T>(), rows, columns);
    if (bench.wants(name))
      measure<T>(bench, buffers, name, matrix(rows, columns), Turn::transposed, transposes<T>(), launches);
  };
  point(n, n, 1);
  point(n * 5 / 8 + 8, n * 7 / 8 + 24, 1);  // no multiples of a tile
  point(2048, sizeof(T) == 4 ? 2048 : 4096, 20);
}

// All orders of B x H x L that change something, but for H L B, which is the transpose of a matrix of B rows.
template <class T> void permutes(harness::Bench& bench, const Buffers& buffers, int b, int h, int l) {
  const long long B = b, H = h, L = l;
  const auto      point = [&](const char* order, const Work& w, Turn turn) {
    const std::string name = name_of_type<T>() + " BHL to " + order;
    if (bench.wants(name)) measure<T>(bench, buffers, name, w, turn, turn == Turn::rows ? moves<T>() : transposes<T>());
  };
  point("BLH", {b, h, l, H * L, L, H * L, H}, Turn::transposed);
  point("LBH", {b, h, l, H * L, L, H, B * H}, Turn::transposed);
  point("LHB", {h, b, l, L, H * L, B, H * B}, Turn::transposed);
  point("HBL", {b, h, l, H * L, L, L, B * L}, Turn::rows);
}

void goals(harness::Bench& bench, int n) {
  const std::string f32 = name_of_matrix("f32", n, n), f16 = name_of_matrix("f16", n, n);
  const auto        rate = [&](const std::string& point, const char* variant) {
    const harness::Result* r = bench.find(point, variant);
    return r ? r->median : 0;
  };
  const double ours32 = rate(f32, "engine loads"), ours16 = rate(f16, "engine loads");
  if (ours32 > 0) bench.goal("transpose_f32", "GB/s", ours32, rate(f32, "cudaMemcpyAsync"), "cudaMemcpyAsync", 0.97);
  if (ours16 > 0) {
    const double torch = rate(f16, "torch contiguous");
    if (torch > 0) bench.goal("transpose_f16", "GB/s", ours16, torch, "torch contiguous", 3);
    else bench.goal("transpose_f16", "GB/s", ours16, rate(f16, "threads"), "threads (peers.py has not run)", 3);
  }
}

}  // namespace
}  // namespace transpose

void harness::run(harness::Bench& bench) {
  using namespace transpose;
  const int     n = bench.quick() ? 4096 : 32768;
  const int     b = bench.quick() ? 16 : 64, h = bench.quick() ? 512 : 4096, l = bench.quick() ? 1024 : 4096;
  const Buffers buffers(std::size_t(n) * std::size_t(n) * 4, bench.options().seed);
  matrices<float>(bench, buffers, n);
  matrices<Half>(bench, buffers, n);
  permutes<float>(bench, buffers, b, h, l);
  permutes<Half>(bench, buffers, b, h, l);
  goals(bench, n);
}
