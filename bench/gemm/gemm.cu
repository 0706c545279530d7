// The ladder beside cuBLAS, on shapes that are powers of two and on others; and what the engine gains over cp.async in one
// kernel.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "check.hpp"
#include "loads.hpp"
#include "peers.hpp"

const harness::About harness::about{"gemm", "C = A B of 16-bit elements: each rung of examples/gemm, cuBLAS, and the engine "
                                            "beside cp.async in one kernel"};

namespace {

using harness::Kind;

constexpr double data_sheet = 989;  // TFLOP/s, dense

struct Extents {
  int m, n, k;
};

constexpr int pitch(int row) { return (row + 7) / 8 * 8; }

template <class T> constexpr const char* name_of = __is_same(T, __half) ? "fp16" : "bf16";

// A problem, its memory, and what its result is.
template <class T> struct Work {
  Extents                 extents;
  std::size_t             size_a, size_b, size_c;
  harness::DeviceArray<T> a, b, c, expected;
  gemm::Problem<T>        problem;

  Work(Extents e, unsigned seed)
      : extents(e),
        size_a(std::size_t(e.m) * pitch(e.k)),
        size_b(std::size_t(e.n) * pitch(e.k)),
        size_c(std::size_t(e.m) * pitch(e.n)),
        a(size_a),
        b(size_b),
        c(size_c),
        expected(size_c),
        problem{e.m, e.n, e.k, a.data, b.data, c.data, pitch(e.k), pitch(e.k), pitch(e.n)} {
    check::fill(a.data, size_a, seed * 2);
    check::fill(b.data, size_b, seed * 2 + 1);
    check::poison(c.data, size_c);
  }
  gemm::Problem<T> expected_problem() const {
    gemm::Problem<T> p = problem;
    p.c                = expected.data;
    return p;
  }
  std::string name() const {
    return std::string(name_of<T>) + " " + std::to_string(extents.m) + "x" + std::to_string(extents.n) + "x" +
           std::to_string(extents.k);
  }
  double operations() const { return 2. * extents.m * extents.n * extents.k; }

  // What was launched, since the last time this was asked.
  std::string verify() const {
    const std::string wrong = check::compare(problem, expected.data);
    check::poison(c.data, size_c);
    return wrong;
  }
};

template <class T>
void add(harness::Point& point, const Work<T>& work, const char* name, Kind kind, const gemm::Run& run,
         double in_flight = 0) {
  check::poison(work.c.data, work.size_c);  // searches have written to it
  point.variants.push_back({name, kind, [run](int) { run(nullptr); }, [&work] { return work.verify(); }, in_flight});
}

// Bytes in flight of a multiprocessor: the stages of 48 KiB that a rung asks for ahead of use.
double in_flight(int rung) {
  const int stages[gemm::rungs + 1] = {0, 2, 1, 4, 4, 4, 4, 4, 4, 4, 4};
  return stages[rung] * double(gemm::block_rows + gemm::block_columns) * gemm::depth * 2;
}

template <class T> harness::Point point_of(const Work<T>& work, const std::string& prefix = {}) {
  harness::Point point{prefix + work.name(), "-", harness::Unit::tflop_per_s, work.operations(), {}};
  point.limit = data_sheet;
  return point;
}

// With pauses, in which the device idles and its clocks recover; and without, where the power cap sets the clocks.
enum class Mode { paused, sustained };

// A host that has slept launches slowly at first, and some slower than others: the device is held until all is queued.
std::vector<harness::Result> measure(harness::Bench& bench, harness::Point point, Mode mode) {
  const bool paused = mode == Mode::paused;
  point.mode        = paused ? "paused" : "sustained";
  point.pause_ms    = paused ? 5 : 0;
  point.hold_us     = paused ? 1000 : 200;
  point.launches    = std::clamp(int((paused ? 5e11 : 2e12) / point.work), 1, 50);
  return bench.measure(point);
}

const harness::Result& result_of(const std::vector<harness::Result>& results, const std::string& variant) {
  for (const harness::Result& r : results)
    if (r.variant == variant) return r;
  throw std::logic_error("gemm: no variant is called " + variant + "\n");
}
const harness::Result& best_of(const std::vector<harness::Result>& results, Kind kind, const std::string& prefix = {}) {
  const harness::Result* best = nullptr;
  for (const harness::Result& r : results)
    if (r.kind == harness::name_of(kind) && r.variant.starts_with(prefix) && (!best || r.median > best->median)) best = &r;
  return *best;
}

// Every rung against sums in the plainest way, on shapes that divide into tiles and on others.
template <class T> void verify_small(peers::Cublas& cublas) {
  for (const Extents e : {Extents{256, 512, 256}, Extents{200, 312, 136}, Extents{257, 513, 100}, Extents{1, 8, 8},
                          Extents{700, 1000, 2056}}) {
    Work<T> work(e, 7);
    check::reference(work.expected_problem());
    const auto require_right = [&](const std::string& name, const gemm::Run& run) {
      run(nullptr);
      if (const std::string wrong = work.verify(); !wrong.empty())
        throw std::runtime_error("gemm: " + work.name() + ": " + name + ": " + wrong + "\n");
    };
    for (int rung = 1; rung <= gemm::rungs; ++rung) require_right(gemm::rung_names[rung], gemm::plan(rung, work.problem));
    require_right("cuBLAS", cublas.chosen(work.problem));
    if constexpr (__is_same(T, loads::Element)) {
      require_right("engine", loads::by_engine(work.problem));
      require_right("threads", loads::by_threads(work.problem));
      require_right("engine by hand", loads::engine_by_hand(work.problem));
      require_right("threads by hand", loads::threads_by_hand(work.problem));
    }
  }
}

// The rungs beside cuBLAS: all of them, or the fourth and the last. `claim`: how the last compares with the better of cuBLAS's
// two, with pauses.
template <class T>
void measure_rungs(harness::Bench& bench, peers::Cublas& cublas, Extents e, bool all, const char* claim = nullptr,
                   double goal = 0) {
  const Work<T>  work(e, bench.options().seed);
  harness::Point point = point_of(work);
  if (!bench.wants(point.name)) return;
  cublas.chosen(work.expected_problem())(nullptr);
  for (int rung = gemm::rungs; rung >= 1; --rung)
    if (all || rung == gemm::rungs || rung == 4)
      add(point, work, gemm::rung_names[rung], rung == 1 ? Kind::plain : Kind::ours, gemm::plan(rung, work.problem),
          in_flight(rung));
  add(point, work, "cuBLAS", Kind::peer, cublas.chosen(work.problem));
  add(point, work, "cuBLASLt searched", Kind::peer, cublas.fastest(work.problem));
#if defined(TMA_BENCH_CUTLASS)
  if constexpr (__is_same(T, __nv_bfloat16))
    if (claim) add(point, work, "CUTLASS", Kind::peer, peers::cutlass(work.problem));
#endif
  const auto paused = measure(bench, point, Mode::paused), sustained = measure(bench, point, Mode::sustained);
  if (!claim) return;
  const auto against = [&](const char* what, const std::vector<harness::Result>& results, const char* peer) {
    bench.goal(std::string(claim) + what, "TFLOP/s", result_of(results, gemm::rung_names[gemm::rungs]).median,
               result_of(results, peer).median, peer, goal);
  };
  against("", paused, "cuBLAS");
  against("_vs_cublaslt", paused, "cuBLASLt searched");
  against("_sustained", sustained, "cuBLAS");
#if defined(TMA_BENCH_CUTLASS)
  if constexpr (__is_same(T, __nv_bfloat16)) against("_vs_cutlass", paused, "CUTLASS");
#endif
}

// Who loads. In the kernel of the fifth rung: one thread, or four warps; in kernels whose threads all multiply: one of them
// (the third rung), or all (the first).
void measure_loads(harness::Bench& bench, peers::Cublas& cublas, Extents e) {
  const Work<loads::Element> work(e, bench.options().seed);
  harness::Point             point = point_of(work, "loads ");
  if (!bench.wants(point.name)) return;
  cublas.chosen(work.expected_problem())(nullptr);
  add(point, work, "engine: a thread beside", Kind::ours, loads::by_engine(work.problem), in_flight(5));
  add(point, work, "engine: by hand", Kind::hand, loads::engine_by_hand(work.problem), in_flight(5));
  add(point, work, "engine: one of all", Kind::ours, gemm::plan<3>(work.problem), in_flight(3));
  add(point, work, "cp.async: warps beside", Kind::plain, loads::by_threads(work.problem), in_flight(5));
  add(point, work, "cp.async: by hand", Kind::plain, loads::threads_by_hand(work.problem), in_flight(5));
  add(point, work, "cp.async: all threads", Kind::plain, gemm::plan<1>(work.problem), in_flight(1));
  for (const Mode mode : {Mode::paused, Mode::sustained}) {
    const auto            results = measure(bench, point, mode);
    const harness::Result peer    = best_of(results, Kind::plain);
    bench.goal(mode == Mode::paused ? "gemm_tma_over_cp_async" : "gemm_tma_over_cp_async_sustained", "TFLOP/s",
               results[0].median, peer.median, peer.variant, 1.15);
  }
}

}  // namespace

void harness::run(Bench& bench) {
  peers::Cublas cublas;
  verify_small<__nv_bfloat16>(cublas);
  verify_small<__half>(cublas);
  bench.note("inputs: uniform in [-1, 1), random; limit: the data sheet's dense rate at its boost clock");
  bench.note(
      "variants of a point run in turns. paused: 5 ms of idling before each sample; sustained: none, and the power cap "
      "sets the clocks, the same for all");

  using Bf16 = __nv_bfloat16;
  if (bench.quick()) {
    measure_rungs<Bf16>(bench, cublas, {2048, 2048, 2048}, true);
    measure_loads(bench, cublas, {2048, 2048, 2048});
    return;
  }
  measure_rungs<Bf16>(bench, cublas, {4096, 4096, 4096}, true, "gemm_4096", 1.05);
  measure_loads(bench, cublas, {4096, 4096, 4096});
  measure_rungs<Bf16>(bench, cublas, {8192, 8192, 8192}, false, "gemm_8192", 1.03);
  measure_rungs<__half>(bench, cublas, {4096, 4096, 4096}, false);
  measure_rungs<__half>(bench, cublas, {8192, 8192, 8192}, false);
  for (const Extents e : {Extents{4096, 4096, 4008}, Extents{1000, 3000, 2056}, Extents{8192, 1024, 8192}})
    measure_rungs<Bf16>(bench, cublas, e, false);
}
