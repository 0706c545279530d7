// A bench of a claim: points at which variants of one work are verified, measured beside each other and written as CSV; and
// goals, a row each, of which the summary is made.
//
//   const harness::About harness::about{"stream", "Measures ..."};
//   void                 harness::run(harness::Bench& bench) { ... }
//
// That is all a bench defines: main.cpp reads the options (--csv, --goals, --samples, --seed, --device, --quick, --only) and
// writes the files.
#pragma once

#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "machine.hpp"
#include "timing.hpp"

namespace harness {

// Who wrote a variant: this library; the same structure in PTX by hand; without the copy engine; somebody else; or a bound.
enum class Kind { ours, hand, plain, peer, limit };

inline const char* name_of(Kind kind) {
  constexpr const char* names[] = {"ours", "hand", "plain", "peer", "limit"};
  return names[int(kind)];
}

// One way to do the work of a point.
struct Variant {
  std::string name;
  Kind        kind;
  // Queues the work once, on the default stream. `round` counts up from 0: a point that is cold takes its buffers by it.
  std::function<void(int round)> launch;
  // After a launch of round 0 that has ended: nothing where the output is right, else what is wrong.
  std::function<std::string()> verify = {};
  // Bytes asked for and not arrived, on each multiprocessor; 0: not known.
  double in_flight = 0;
};

// How a point's time becomes its value.
enum class Unit { gb_per_s, tflop_per_s, ns, us, cycles };

inline const char* name_of(Unit unit) {
  constexpr const char* names[] = {"GB/s", "TFLOP/s", "ns", "us", "cycles"};
  return names[int(unit)];
}

// One work, done by several variants that are measured in turns.
struct Point {
  std::string          name;           // no comma
  std::string          mode;           // "cold": from memory; "l2": resident; "-"
  Unit                 unit;           //
  double               work = 1;       // bytes or operations of one launch; for ns and us, how often one launch does it
  std::vector<Variant> variants;       // the first is measured twice: what differs is noise
  int                  launches = 1;   // of a sample: more where one is short
  double               limit    = 0;   // in the point's unit, of what bounds it; 0: none
  int                  samples  = 0;   // 0: the bench's
  double               hold_us  = 50;  // of the device before each sample: until all its launches are queued
  // Of the device before each sample, without work: where the power limit sets the clocks, back-to-back samples measure it.
  double pause_ms = 0;
};

// What was measured of a variant, in the point's unit. Quantiles are of the value: p5 is slow for a rate and fast for a time.
struct Result {
  std::string point, mode, variant, kind, unit;
  double      median = 0, p5 = 0, p95 = 0, us = 0, again = 1, in_flight = 0, limit = 0;
  int         samples = 0;
};

struct Goal {
  std::string claim, unit;
  double      ours = 0, peer = 0;
  std::string peer_name;
  double      ratio = 0, goal = 0;  // ratio: above 1, ours is ahead
};

struct BenchOptions {
  std::string csv, goals, only;
  int         samples = 50, device = 0;
  unsigned    seed  = 1;
  bool        quick = false;
};

class Bench {
public:
  Bench(const char* name, BenchOptions options, std::string command)
      : name_(name),
        options_(std::move(options)),
        command_(std::move(command)),
        machine_(harness::machine(options_.device)),
        random_(options_.seed) {}
  Bench(const Bench&)            = delete;
  Bench& operator=(const Bench&) = delete;

  const Machine&      machine() const { return machine_; }
  const BenchOptions& options() const { return options_; }
  bool                quick() const { return options_.quick; }

  // False where --only names something that is no part of this name: the bench leaves it out.
  bool wants(const std::string& part) const {
    return options_.only.empty() || part.find(options_.only) != std::string::npos;
  }

  // A line for the head of the CSV: what a reader must know.
  void note(std::string line) { notes_.push_back(std::move(line)); }

  // Verifies each variant, warms it up, then measures all in turns, in an order drawn anew each turn. Throws where an output
  // is wrong. The results are in the order of the variants.
  std::vector<Result> measure(const Point& point);

  // A value that was not measured by events: cycles that a kernel counted, a time of the host, a number of instructions.
  Result record(const std::string& point, const std::string& mode, const std::string& variant, Kind kind,
                const std::string& unit, const std::vector<double>& values) {
    Result  r{point, mode, variant, name_of(kind), unit};
    Samples s{values};
    r.median  = s.median();
    r.p5      = s.quantile(0.05);
    r.p95     = s.quantile(0.95);
    r.samples = int(values.size());
    return add(r);
  }

  // A row of the summary. The ratio of rates is ours / peer; `less_is_more` turns it round, for times. `goal` is the ratio
  // asked for.
  void goal(const std::string& claim, const std::string& unit, double ours, double peer, const std::string& peer_name,
            double goal, bool less_is_more = false) {
    goals_.push_back({claim, unit, ours, peer, peer_name, less_is_more ? peer / ours : ours / peer, goal});
  }

  const std::vector<Result>& results() const { return results_; }

  // The result of that point and variant, or null.
  const Result* find(const std::string& point, const std::string& variant) const {
    for (const Result& r : results_)
      if (r.point == point && r.variant == variant) return &r;
    return nullptr;
  }

  // Exit code: 2 where a file cannot be written.
  int write() const;

private:
  const char*              name_;
  BenchOptions             options_;
  std::string              command_;
  Machine                  machine_;
  std::mt19937             random_;
  Timer                    timer_;
  std::vector<std::string> notes_;
  std::vector<Result>      results_;
  std::vector<Goal>        goals_;

  const Result& add(const Result& r);
  std::FILE*    open(const std::string& path, const char* option) const;
  void          print_goals(std::FILE* to) const;
};

// What a bench is called and what it measures, and the bench itself: each program of bench/ defines these two.
struct About {
  const char* name;
  const char* description;
};
extern const About about;
void               run(Bench& bench);

}  // namespace harness
