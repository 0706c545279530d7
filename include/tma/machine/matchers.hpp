// For tests with Catch2, version 2 or 3: what the machine found, as matchers.
//
//     CHECK_THAT(result, tma::machine::IsClean());
//     CHECK_THAT(result, tma::machine::Reports(Kind::unwaited_load).naming("full[2]").at("kernel.cu:41"));
//
// A check that fails prints all reports.
#pragma once

#include "../core/prologue.hpp"

#if __has_include(<catch2/matchers/catch_matchers.hpp>)
#  include <catch2/catch_tostring.hpp>
#  include <catch2/matchers/catch_matchers.hpp>
#elif __has_include(<catch2/catch.hpp>)
#  include <catch2/catch.hpp>
#else
#  error "tma/machine/matchers.hpp is for tests with Catch2: put version 2 or 3 of it on the include path"
#endif

#include "machine.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tma::machine {

namespace detail {
#if __has_include(<catch2/matchers/catch_matchers.hpp>)
template <class T> using MatcherBase = Catch::Matchers::MatcherBase<T>;
#else
template <class T> using MatcherBase = Catch::MatcherBase<T>;
#endif
}  // namespace detail

/// Matches a result without reports. Made by `IsClean()`.
class CleanMatcher : public detail::MatcherBase<Result> {
public:
  bool        match(const Result& result) const override { return result.clean(); }
  std::string describe() const override { return "is clean"; }
};

/// Matches a result that has a report of a kind; and, where they are named, about an object, at a line, with a text: one
/// report that is all of it. Made by `Reports(kind)`.
class ReportsMatcher : public detail::MatcherBase<Result> {
public:
  explicit ReportsMatcher(Kind kind) : ReportsMatcher(Wanted{kind}) {}

  /// What the report is about: "full[2]", "tile 0 of stage 2". Also a place inside it, "tile 0 of stage 2 + 64".
  ReportsMatcher naming(std::string object) const {
    Wanted more = wanted_;
    more.object = std::move(object);
    return ReportsMatcher(std::move(more));
  }
  /// Where one of the two who collide stands: "kernel.cu:41", or any line of "kernel.cu".
  ReportsMatcher at(std::string source) const {
    Wanted more = wanted_;
    more.source = std::move(source);
    return ReportsMatcher(std::move(more));
  }
  /// A part of the report's text. Called again: one more.
  ReportsMatcher withText(std::string part) const {
    Wanted more = wanted_;
    more.parts.push_back(std::move(part));
    return ReportsMatcher(std::move(more));
  }

  bool match(const Result& result) const override {
    for (const Report& r : result.reports)
      if (matches(r)) return true;
    return false;
  }
  std::string describe() const override {
    std::string all = std::string("reports ") + name_of(wanted_.kind);
    if (!wanted_.object.empty()) all += " naming \"" + wanted_.object + "\"";
    if (!wanted_.source.empty()) all += " at " + wanted_.source;
    for (const std::string& part : wanted_.parts) all += " with the text \"" + part + "\"";
    return all;
  }

private:
  struct Wanted {
    Kind                     kind;
    std::string              object = {}, source = {};
    std::vector<std::string> parts = {};
  };
  // Made anew, not copied: Catch2 keeps the description of a matcher it has printed in the matcher.
  explicit ReportsMatcher(Wanted wanted) : wanted_(std::move(wanted)) {}

  // `wanted`, or `wanted` and something behind `separator`.
  static bool begins(const std::string& text, const std::string& wanted, const std::string& separator) {
    return text == wanted || text.compare(0, wanted.size() + separator.size(), wanted + separator) == 0;
  }
  bool matches(const Report& r) const {
    const Wanted& w = wanted_;
    if (r.kind != w.kind) return false;
    if (!w.object.empty() && !begins(r.object, w.object, " + ")) return false;
    if (!w.source.empty() && !begins(r.where.source, w.source, ":") && !begins(r.other.source, w.source, ":")) return false;
    for (const std::string& part : w.parts)
      if (r.text.find(part) == std::string::npos) return false;
    return true;
  }

  Wanted wanted_;
};

inline CleanMatcher   IsClean() { return {}; }
inline ReportsMatcher Reports(Kind kind) { return ReportsMatcher(kind); }

}  // namespace tma::machine

/// What Catch2 prints of a result: its reports.
template <> struct Catch::StringMaker<tma::machine::Result> {
  static std::string convert(const tma::machine::Result& result) {
    const std::string runs =
        std::to_string(result.launches) + " launches, " + std::to_string(result.schedules) + " schedules";
    return result.clean() ? "no report (" + runs + ")" : "what was found (" + runs + ")\n" + result.text();
  }
};

#include "../core/epilogue.hpp"
