// What the tests ask of a report: which rules it names, and whether its texts say what a reader needs.
#pragma once

#include <tma/host/error.hpp>

#include <cstring>
#include <set>
#include <string>

#include "../support/catch.hpp"

namespace report {

// Parts that the texts of a violation hold. The field is named exactly.
struct Says {
  const char* field;
  const char* value;
  const char* rule;
  const char* fix;
};

inline bool contains(const char* text, const char* part) { return std::strstr(text, part) != nullptr; }

inline std::set<std::string> ids(const tma::Report& report) {
  std::set<std::string> all;
  for (const tma::Violation& v : report) all.insert(v.id);
  return all;
}

// Every text is there, and none fills its array: it would have been cut.
inline void check_texts(const tma::Report& report) {
  INFO(report.text().c_str());
  int errors = 0;
  for (const tma::Violation& v : report) {
    errors += v.severity == tma::Severity::error;
    const std::size_t lengths[] = {std::strlen(v.id), std::strlen(v.field), std::strlen(v.value), std::strlen(v.rule),
                                   std::strlen(v.fix)};
    const std::size_t rooms[]   = {sizeof v.id, sizeof v.field, sizeof v.value, sizeof v.rule, sizeof v.fix};
    for (int i = 0; i < 5; ++i) {
      REQUIRE(lengths[i] > 0);
      REQUIRE(lengths[i] + 1 < rooms[i]);
    }
  }
  REQUIRE(report.errors() == errors);
  REQUIRE(report.ok() == (errors == 0));
}

// The report names `id` with these texts.
inline void names(const tma::Report& report, const char* id, tma::Severity severity, const Says& says) {
  INFO("expected " << id << " for " << says.field << "; the report is\n" << report.text().c_str());
  check_texts(report);
  const tma::Violation* found = nullptr;
  for (const tma::Violation& v : report)
    if (std::strcmp(v.id, id) == 0 && std::strcmp(v.field, says.field) == 0) found = &v;
  REQUIRE(found);
  CHECK((found->severity == severity));
  INFO("value ... " << says.value << ", rule ... " << says.rule << ", fix ... " << says.fix);
  CHECK(contains(found->value, says.value));
  CHECK(contains(found->rule, says.rule));
  CHECK(contains(found->fix, says.fix));
}

// The report is this one violation.
inline void is_only(const tma::Report& report, const char* id, tma::Severity severity, const Says& says) {
  INFO("expected " << id << " alone; the report is\n" << report.text().c_str());
  CHECK(report.size() == 1);
  names(report, id, severity, says);
}

// The report is empty: no error, no warning.
inline void is_empty(const tma::Report& report) {
  INFO(report.text().c_str());
  CHECK(report.size() == 0);
  CHECK(report.ok());
}

}  // namespace report
