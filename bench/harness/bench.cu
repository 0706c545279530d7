#include "bench.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include "kernels.cuh"
#include "progress.hpp"

namespace harness {

namespace {

Result result(const Point& point, const Variant& v) {
  return {point.name, point.mode, v.name, name_of(v.kind), name_of(point.unit), 0, 0, 0, 0, 1, v.in_flight, point.limit, 0};
}

// `ms`: of one launch.
double value(const Point& point, double ms) {
  switch (point.unit) {
    case Unit::gb_per_s: return point.work / ms / 1e6;
    case Unit::tflop_per_s: return point.work / ms / 1e9;
    case Unit::ns: return ms * 1e6 / point.work;
    case Unit::us: return ms * 1e3 / point.work;
    case Unit::cycles: break;
  }
  throw std::logic_error("cycles are counted by a kernel: Bench::record\n");
}

void fill(Result& r, const Samples& times, const Point& point) {
  const double slow = value(point, times.quantile(0.95)), fast = value(point, times.quantile(0.05));
  r.median  = value(point, times.median());
  r.p5      = std::min(slow, fast);
  r.p95     = std::max(slow, fast);
  r.us      = times.median() * 1e3;
  r.samples = int(times.ms.size());
}

}  // namespace

std::vector<Result> Bench::measure(const Point& point) {
  for (const Variant& v : point.variants) {
    v.launch(0);
    require(cudaGetLastError(), (point.name + ": " + v.name + ": launch").c_str());
    require(cudaDeviceSynchronize(), (point.name + ": " + v.name).c_str());
    if (!v.verify) continue;
    if (const std::string wrong = v.verify(); !wrong.empty())
      throw std::runtime_error(std::string(name_) + ": " + point.name + ": " + v.name + ": " + wrong + "\n");
  }
  const std::size_t        n = point.variants.size();
  std::vector<Samples>     times(n + 1);  // the last: the first once more
  std::vector<std::size_t> order(n + 1);
  std::iota(order.begin(), order.end(), std::size_t(0));
  const int  samples = point.samples ? std::min(point.samples, options_.samples) : options_.samples;
  int        round   = 0;
  const auto sample  = [&](std::size_t which) {
    const Variant& v = point.variants[which == n ? 0 : which];
    if (point.pause_ms > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(point.pause_ms));
    return timer_([&] { hold_device<<<1, 1>>>((long long)(point.hold_us * 1000)); },
                  [&] {
                    for (int k = 0; k < point.launches; ++k) v.launch(round++);
                  }) /
           point.launches;
  };
  for (std::size_t i = 0; i < n; ++i) sample(i);
  for (int s = 0; s < samples; ++s) {
    progress((std::string(name_) + ": " + point.name).c_str(), std::size_t(s), std::size_t(samples));
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t i : order) times[i].ms.push_back(sample(i));
  }
  progress("", 0, 0);

  std::vector<Result> results;
  const double        again = times[n].median() / times[0].median();
  for (std::size_t i = 0; i < n; ++i) {
    Result r = result(point, point.variants[i]);
    fill(r, times[i], point);
    r.again = again;
    results.push_back(add(r));
  }
  return results;
}

const Result& Bench::add(const Result& r) {
  std::fprintf(stderr, "%-10s %-34s %-5s %-28s %10.5g %-8s [%.5g, %.5g] aa %.4f\n", name_, r.point.c_str(), r.mode.c_str(),
               r.variant.c_str(), r.median, r.unit.c_str(), r.p5, r.p95, r.again);
  return results_.emplace_back(r);
}

std::FILE* Bench::open(const std::string& path, const char* option) const {
  if (path.empty()) return stdout;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file)
    std::fprintf(stderr, "%s: %s = %s: the file cannot be written. Fix: name a folder that exists.\n", name_, option,
                 path.c_str());
  return file;
}

void Bench::print_goals(std::FILE* to) const {
  for (const Goal& g : goals_)
    std::fprintf(to, "%s,%s,%.5g,%.5g,%s,%.4f,%.4g\n", g.claim.c_str(), g.unit.c_str(), g.ours, g.peer, g.peer_name.c_str(),
                 g.ratio, g.goal);
}

int Bench::write() const {
  std::FILE* csv = open(options_.csv, "--csv");
  if (!csv) return 2;
  write_header(csv, machine_, command_);
  for (const std::string& line : notes_) std::fprintf(csv, "# %s\n", line.c_str());
  std::fprintf(csv, "point,mode,variant,kind,unit,median,p5,p95,us,samples,aa,in_flight_per_sm,limit,share_of_limit\n");
  for (const Result& r : results_)
    std::fprintf(csv, "%s,%s,%s,%s,%s,%.5g,%.5g,%.5g,%.5g,%d,%.4f,%.6g,%.5g,%.4g\n", r.point.c_str(), r.mode.c_str(),
                 r.variant.c_str(), r.kind.c_str(), r.unit.c_str(), r.median, r.p5, r.p95, r.us, r.samples, r.again,
                 r.in_flight, r.limit, r.limit > 0 ? r.median / r.limit : 0);
  if (csv != stdout) std::fclose(csv);
  if (options_.goals.empty()) {
    print_goals(stderr);
    return 0;
  }
  std::FILE* goals = open(options_.goals, "--goals");
  if (!goals) return 2;
  print_goals(goals);
  std::fclose(goals);
  return 0;
}

}  // namespace harness
