// For tests of kernels: how launches are scheduled, and what was found.
//
//     const auto result = tma::machine::explore({.schedules = 100}, [&] { tma::launch(kernel, config, in, out); });
//     CHECK(result.clean());
//
// Without it every launch runs once (or as the environment says) and a fault makes the launch fail with its text.
#pragma once

#include "../core/prologue.hpp"

#include "report.hpp"

#include <functional>

namespace tma::machine {

/// In which order threads and copies go on.
enum class Strategy {
  mixed,  // another of the following for each schedule
  late,   // copies complete as late as they may
  early,  // copies complete as soon as they are issued
  random,
  victims,     // some threads and some copies are held back as long as anything else can go on
  reverse,     // the last thread first
  timed,       // by simulated time, for timelines
  exhaustive,  // every order of warps' and copies' steps, for small kernels
};

/// How a launch is run.
struct Settings {
  int           schedules     = 1;  // each launch, unless a report ends it; results are compared between them
  std::uint64_t seed          = 1;
  Strategy      strategy      = Strategy::mixed;
  long long     most_states   = 100000;  // of Strategy::exhaustive
  int           most_reports  = 10;      // different ones a launch, then it ends
  bool          outside_boxes = false;   // report copies of boxes that lie wholly outside their tensors
  std::string   timeline      = {};      // a file for Chrome's trace viewer (chrome://tracing, Perfetto), or empty
};

/// What came of it.
struct Result {
  std::vector<Report> reports;
  int                 launches  = 0;
  long long           schedules = 0;
  long long           states    = 0;     // visited by Strategy::exhaustive
  bool                exhausted = true;  // false: Strategy::exhaustive met its bound
  long long           steps     = 0;     // by threads: accesses to memory and operations of the machine
  long long           switches  = 0;     // from one thread to another
  long long           copies    = 0;

  bool          clean() const { return reports.empty(); }
  bool          has(Kind kind) const { return find(kind) != nullptr; }
  const Report* find(Kind kind) const {
    for (const Report& r : reports)
      if (r.kind == kind) return &r;
    return nullptr;
  }
  std::string text() const {
    std::string all;
    for (const Report& r : reports) all += r.text + "\n";
    return all;
  }
};

/// The settings that launches outside of `explore` run with: the defaults, changed by the environment: TMA_MACHINE_SCHEDULES,
/// TMA_MACHINE_SEED, TMA_MACHINE_STRATEGY (an enumerator of Strategy), TMA_MACHINE_OUTSIDE_BOXES, TMA_MACHINE_TIMELINE.
Settings& settings();

/// Calls `program` once; its launches run with `s`, and what they report is collected here instead of failing them.
Result explore(const Settings& s, const std::function<void()>& program);

/// What all launches of the process have done so far.
const Result& total();

/// One bar of a timeline, in simulated microseconds.
struct Span {
  std::string track, name;
  double      start, end;
};
/// The timeline of the last launch that recorded one (Settings::timeline not empty; "-" records without writing a file).
const std::vector<Span>& timeline();

}  // namespace tma::machine

#include "../core/epilogue.hpp"
