// skinny_gemm: Y = X W^T for few rows of X, as in the decoding of language models: how fast the weights are read.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "reference.cuh"
#include "ways.hpp"

const harness::About harness::about{
    "skinny_gemm", "Measures products of 1 to 128 rows with the weight matrices of language models, read from memory."};

namespace {

using namespace skinny;
using harness::DeviceArray;
using harness::Kind;
using harness::require;

constexpr int copies = 8;  // of a matrix, launched in turns: what a hint keeps in the cache is of use to nobody

struct Matrix {
  int         n, k;
  std::size_t elements() const { return std::size_t(n) * std::size_t(k); }
  std::size_t bytes() const { return elements() * sizeof(Element); }
  std::string by(int m) const { return std::to_string(m) + " rows by " + std::to_string(n) + " x " + std::to_string(k); }
};
constexpr Matrix shown    = {28672, 8192};  // the claim's, with 16 rows
constexpr Matrix models[] = {{4096, 4096}, {4096, 14336}, {14336, 4096}, {8192, 8192}, shown, {128256, 4096}};
constexpr int    rows[]   = {1, 8, 16, 32, 64, 128};
constexpr int    shown_m  = 16;
// Multiples of nothing but 8; less than a strip, a step, a block for each multiprocessor; and as models have them.
constexpr Matrix odd[]   = {{8, 8},       {200, 72},    {1000, 1000}, {4104, 4104},
                            {264, 14336}, {14336, 136}, {28672, 72},  {4096, 520}};
constexpr int    odd_m[] = {1, 3, 9, 16, 17, 40, 64, 100, 128};

// The memory of all problems.
class Room {
public:
  Room(std::size_t elements, int most_n, int most_k, const harness::Bench& bench)
      : multiprocessors_(bench.machine().multiprocessors),
        w_(elements),
        x_(std::size_t(most_m) * std::size_t(most_k)),
        y_(std::size_t(most_m) * std::size_t(most_n)),
        expected_(std::size_t(most_m) * std::size_t(most_n)),
        partials_(std::size_t(multiprocessors_) * partials_of_block),
        ready_(std::size_t(multiprocessors_) * flags_of_block),
        wrong_(1) {
    fill<<<4096, 256>>>(w_.data, elements, bench.options().seed);
    fill<<<256, 256>>>(x_.data, std::size_t(most_m) * std::size_t(most_k), bench.options().seed + 1);
    require(cudaMemset(ready_.data, 0, std::size_t(multiprocessors_) * flags_of_block * sizeof(unsigned)), "cudaMemset");
  }

  // From here on y is compared with the product of this matrix, the first of those that are rotated.
  void expect(const Matrix& a) {
    reference<<<unsigned(a.n + 31) / 32, 256>>>(x_.data, w_.data, expected_.data, most_m, a.n, a.k);
  }

  Problems problems(const Matrix& a, int m, int count) const {
    Problems all;
    for (int i = 0; i < count; ++i)
      all.push_back({x_.data, w_.data + std::size_t(i) * a.elements(), y_.data, m, a.n, a.k, partials_.data, ready_.data,
                     multiprocessors_});
    return all;
  }

  std::string verify(const Matrix& a, int m, const Launch& launch) const {
    const std::size_t n     = std::size_t(m) * std::size_t(a.n);
    unsigned          wrong = 0;
    require(cudaMemset(y_.data, 0xff, n * sizeof(Element)), "cudaMemset");
    require(cudaMemset(wrong_.data, 0, sizeof wrong), "cudaMemset");
    launch(0);
    compare<<<1024, 256>>>(y_.data, expected_.data, n, wrong_.data);
    require(cudaMemcpy(&wrong, wrong_.data, sizeof wrong, cudaMemcpyDeviceToHost), "verify");
    return wrong == 0 ? "" : std::to_string(wrong) + " of " + std::to_string(n) + " elements are wrong";
  }

private:
  int                   multiprocessors_;
  DeviceArray<Element>  w_, x_, y_;
  DeviceArray<float>    expected_, partials_;
  DeviceArray<unsigned> ready_, wrong_;
};

void verify_odd(Room& room) {
  struct Way {
    const char* name;
    Prepared (*prepare)(const Problems&);
    int most_m;
  };
  for (const Matrix& a : odd) {
    room.expect(a);
    for (const int m : odd_m)
      for (const Way& way : {Way{"library", by_library, most_m}, Way{"cp.async", by_threads, 16}, Way{"hand", by_hand, 16}})
        if (m <= way.most_m)
          if (const auto wrong = room.verify(a, m, way.prepare(room.problems(a, m, 1)).launch); !wrong.empty())
            throw std::runtime_error("skinny_gemm: " + a.by(m) + ": " + way.name + ": " + wrong + "\n");
  }
}

}  // namespace

void harness::run(Bench& bench) {
  const auto wanted = [&](const Matrix& a, int m) {
    return bench.wants(a.by(m)) && !(bench.quick() && (m != shown_m || a.bytes() > 40000000));
  };
  const auto any_wanted = [&](const Matrix& a) {
    return std::any_of(std::begin(rows), std::end(rows), [&](int m) { return wanted(a, m); });
  };
  std::size_t elements = std::size_t(14336) * 4104;
  for (const Matrix& a : models)
    if (any_wanted(a)) elements = std::max(elements, a.elements() * copies);
  Room room(elements, 128256, 14336, bench);
  verify_odd(room);

  bench.note("GB/s of weights (bf16), read once a launch, " + std::to_string(copies) +
             " matrices in turns; M rows by N x K");
  bench.note("share_of_limit: of the data sheet's 4800 GB/s. The limit that was measured is the kind of that name: the copy "
             "engine reads the same bytes, and nothing is done with them");
  bench.note("library, hand, cp.async: one kernel with the ring of the library, by hand, and filled by threads");
  for (const Matrix& a : models) {
    if (!any_wanted(a)) continue;
    room.expect(a);
    for (const int m : rows) {
      if (!wanted(a, m)) continue;
      const Problems problems = room.problems(a, m, copies);
      Point          point{a.by(m), "cold", Unit::gb_per_s, double(a.bytes()), {}, 1, 4800};
      const auto     add = [&](const char* name, Kind kind, const Prepared& way) {
        Variant v{name, kind, way.launch, {}, way.in_flight};
        if (kind != Kind::limit) v.verify = [&room, a, m, launch = way.launch] { return room.verify(a, m, launch); };
        point.variants.push_back(std::move(v));
      };
      add("library", Kind::ours, by_library(problems));
      if (m == shown_m) {
        add("hand", Kind::hand, by_hand(problems));
        add("cp.async", Kind::plain, by_threads(problems));
      }
      add("cuBLASLt", Kind::peer, by_cublas(problems));
      add("read", Kind::limit, by_reading(problems, false));
      add("read evict_first", Kind::limit, by_reading(problems, true));
      bench.measure(point);
    }
  }

  const std::string name = shown.by(shown_m);
  const auto        rate = [&](const char* variant) {
    const Result* r = bench.find(name, variant);
    return r ? r->median : 0;
  };
  if (rate("library") == 0) return;
  bench.goal("skinny_gemm", "GB/s", rate("library"), std::max(rate("read"), rate("read evict_first")),
             "read by the engine: the limit", 0.9);
  bench.goal("skinny_gemm_vs_cublaslt", "GB/s", rate("library"), rate("cuBLASLt"), "cuBLASLt", 1);
}
