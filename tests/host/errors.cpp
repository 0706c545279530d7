// Texts, lists, reports, errors and results. Built a second time with NDEBUG, where nothing may change.
#include <tma/host/error.hpp>
#include <tma/host/make_descriptor.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "report.hpp"

using tma::Error;
using tma::ErrorKind;
using tma::Report;
using tma::Result;
using tma::Severity;
using tma::Violation;
using tma::detail::Text;

namespace {

Report report_of(int errors, int warnings) {
  Report report;
  for (int i = 0; i < errors + warnings; ++i) {
    std::string id = "E";
    id += std::to_string(i);
    if (i < errors) report.error(id.c_str(), "field %d|value %d|rule %d|fix %d", i, i, i, i);
    else report.warning(id.c_str(), "field %d|value %d|rule %d|fix %d", i, i, i, i);
  }
  return report;
}

}  // namespace

TEST_CASE("a text grows by whole formats") {
  Text text;
  CHECK(std::string(text.c_str()).empty());
  text.append("%s", "");
  CHECK(std::string(text.c_str()).empty());
  text.append("one %d", 1);
  text.append(", two %s", "2");
  text.append(", %c%%", '3');
  CHECK(std::string(text.c_str()) == "one 1, two 2, 3%");
  std::string expected = text.c_str();
  for (int i = 0; i < 2000; ++i) {
    text.append("<%d>", i);
    expected += "<" + std::to_string(i) + ">";
    REQUIRE(text.c_str() == expected);
  }
  const std::string large(100000, 'x');
  text.append("%s|%s", large.c_str(), large.c_str());
  CHECK(text.c_str() == expected + large + "|" + large);
}

TEST_CASE("copies of a text share it until one grows, and outlive one another") {
  auto first = std::make_unique<Text>();
  first->append("shared");
  Text second = *first;
  CHECK(second.c_str() == first->c_str());  // the same characters
  Text third = second;
  third.append(" and more");
  CHECK(std::string(first->c_str()) == "shared");
  CHECK(std::string(second.c_str()) == "shared");
  CHECK(std::string(third.c_str()) == "shared and more");
  first.reset();
  CHECK(std::string(second.c_str()) == "shared");
  second.append("!");
  CHECK(std::string(second.c_str()) == "shared!");
  Text& same = second;
  second     = same;
  CHECK(std::string(second.c_str()) == "shared!");
  third = second;
  CHECK(std::string(third.c_str()) == "shared!");
  second = Text();
  CHECK(std::string(second.c_str()).empty());
  CHECK(std::string(third.c_str()) == "shared!");
}

TEST_CASE("a report counts errors, and warnings refuse nothing") {
  const Report none;
  CHECK(none.ok());
  CHECK(bool(none));
  CHECK(none.size() == 0);
  CHECK(none.begin() == none.end());
  CHECK(!none.has("T1"));
  CHECK(none.find("T1") == nullptr);
  CHECK(std::string(none.text().c_str()).empty());

  const Report warnings = report_of(0, 3);
  CHECK(warnings.ok());
  CHECK(warnings.size() == 3);
  CHECK(warnings.errors() == 0);

  const Report mixed = report_of(2, 1);
  CHECK(!mixed.ok());
  CHECK(!mixed);
  CHECK(mixed.size() == 3);
  CHECK(mixed.errors() == 2);
  CHECK(mixed.has("E0"));
  CHECK(mixed.has("E2"));
  CHECK(!mixed.has("E"));
  CHECK(!mixed.has("E3"));
  CHECK(mixed.find("E1") == &mixed[1]);
  int n = 0;
  for (const Violation& v : mixed) CHECK(std::string(v.rule) == "rule " + std::to_string(n++));
  CHECK(n == 3);
  static_assert(!std::is_convertible_v<Report, bool>);
}

TEST_CASE("a report is one line a violation") {
  CHECK(std::string(report_of(1, 1).text().c_str()) == "  [E0] field 0 = value 0: rule 0. Fix: fix 0.\n"
                                                       "  [E1] warning: field 1 = value 1: rule 1. Fix: fix 1.\n");
}

TEST_CASE("copies of a report share it until one grows, and outlive one another") {
  auto   first  = std::make_unique<Report>(report_of(3, 0));
  Report second = *first;
  CHECK(second.begin() == first->begin());
  second.error("X", "f|v|r|f");
  CHECK(first->size() == 3);
  CHECK(first->errors() == 3);
  CHECK(second.size() == 4);
  CHECK(second.errors() == 4);
  first.reset();
  CHECK(second.has("E2"));
  CHECK(std::string(second.find("E1")->value) == "value 1");
  for (int i = 0; i < 1000; ++i) second.warning("Y", "f|v|r|f");
  CHECK(second.size() == 1004);
  CHECK(second.errors() == 4);
  CHECK(std::string(second[2].fix) == "fix 2");
}

TEST_CASE("a violation is one format in four parts") {
  Report report;
  report.error("T7", "%s[%d]|%lld bytes|a rule, with %c punctuation: %%|a fix", "stride", 2, 1ll << 40, 'a');
  CHECK(std::string(report[0].id) == "T7");
  CHECK(std::string(report[0].field) == "stride[2]");
  CHECK(std::string(report[0].value) == "1099511627776 bytes");
  CHECK(std::string(report[0].rule) == "a rule, with a punctuation: %");
  CHECK(std::string(report[0].fix) == "a fix");
  CHECK((report[0].severity == Severity::error));
  // Parts that are missing are blank, and so are empty ones.
  report.warning("much too long", "field||rule");
  CHECK(std::string(report[1].id) == "much to");
  CHECK(std::string(report[1].field) == "field");
  CHECK(report[1].value[0] == 0);
  CHECK(std::string(report[1].rule) == "rule");
  CHECK(report[1].fix[0] == 0);
  CHECK((report[1].severity == Severity::warning));
  // A part is cut at the room it has; the next ones are whole.
  const std::string large(70, 'x');
  report.error("L", "%s|%s|rule|fix", large.c_str(), large.c_str());
  CHECK(report[2].field == std::string(sizeof report[2].field - 1, 'x'));
  CHECK(report[2].value == std::string(sizeof report[2].value - 1, 'x'));
  CHECK(std::string(report[2].rule) == "rule");
  CHECK(std::string(report[2].fix) == "fix");
  // Nothing is written past the end, whatever is given.
  const std::string huge(10000, 'y');
  report.error("H", "field|value|%s|%s", huge.c_str(), huge.c_str());
  CHECK(report[3].rule == std::string(sizeof report[3].rule - 1, 'y'));
  CHECK(report.size() == 4);
  CHECK(report.errors() == 3);
}

TEST_CASE("an error says what it is") {
  const Error none;
  CHECK(!none);
  CHECK((none.kind() == ErrorKind::none));
  CHECK(std::string(none.what()).empty());

  const Error broken("this cannot be", report_of(1, 0));
  CHECK(bool(broken));
  CHECK((broken.kind() == ErrorKind::rule_broken));
  CHECK(std::string(broken.what()) == "tma: this cannot be: 1 rule broken\n  [E0] field 0 = value 0: rule 0. Fix: fix 0.\n");
  CHECK(broken.report().size() == 1);
  const Error two("this cannot be", report_of(2, 1));
  CHECK(std::string(two.what()).find("tma: this cannot be: 2 rules broken\n") == 0);
  CHECK(two.report().size() == 3);

  const Error other(ErrorKind::no_driver, "text %d", 7);
  CHECK(bool(other));
  CHECK((other.kind() == ErrorKind::no_driver));
  CHECK(std::string(other.what()) == "text 7");
  CHECK(other.report().ok());
  CHECK(other.report().size() == 0);
  static_assert(!std::is_convertible_v<Error, bool>);
}

TEST_CASE("every kind of error has its name") {
  const ErrorKind   kinds[] = {ErrorKind::none,           ErrorKind::rule_broken,    ErrorKind::no_driver,
                               ErrorKind::driver_too_old, ErrorKind::no_device,      ErrorKind::device_lacks_tma,
                               ErrorKind::context_failed, ErrorKind::encode_refused, ErrorKind::launch_failed,
                               ErrorKind::call_failed,    ErrorKind::kernel_stopped};
  const char* const names[] = {"none",          "rule broken",      "no driver",      "driver too old",
                               "no device",     "device lacks TMA", "context failed", "encode refused",
                               "launch failed", "call failed",      "kernel stopped"};
  for (int i = 0; i < 11; ++i) CHECK(std::string(tma::error_kind_name(kinds[i])) == names[i]);
}

TEST_CASE("an error is a standard exception and carries its report through the stack") {
  const auto thrower = [] { throw Error("this cannot be", report_of(500, 20)); };
  try {
    thrower();
    FAIL("nothing was thrown");
  } catch (const std::exception& e) {
    CHECK(std::string(e.what()).find("tma: this cannot be: 500 rules broken\n") == 0);
    CHECK(std::string(e.what()).find("rule 519") != std::string::npos);
    const auto* own = dynamic_cast<const Error*>(&e);
    REQUIRE(own);
    CHECK(own->report().size() == 520);
  }
  std::exception_ptr kept;
  try {
    thrower();
  } catch (...) {
    kept = std::current_exception();
  }
  std::thread([kept] {
    try {
      std::rethrow_exception(kept);
    } catch (const Error& e) {
      // Assertions of the test library stay on its own thread.
      if (e.report().size() != 520) std::terminate();
    }
  }).join();
  CHECK_THROWS_AS(thrower(), Error);
  static_assert(std::is_base_of_v<std::exception, Error>);
  static_assert(noexcept(Error().what()));
}

TEST_CASE("copies of an error outlive it, on any thread") {
  std::optional<Error> first(Error("this cannot be", report_of(3, 0)));
  const Error          copy     = *first;
  const std::string    expected = first->what();
  first.reset();
  CHECK(copy.what() == expected);
  std::vector<std::thread> threads;
  std::vector<int>         right(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        Error  mine = copy;
        Report more = mine.report();
        more.error("Z", "f|v|r|f");
        right[std::size_t(t)] += mine.what() == expected && more.size() == 4 && mine.report().size() == 3;
      }
    });
  for (std::thread& t : threads) t.join();
  for (int r : right) CHECK(r == 2000);
  CHECK(copy.report().size() == 3);
}

TEST_CASE("a result is a value or an error") {
  const Result<int> seven(7);
  CHECK(bool(seven));
  CHECK(seven.value() == 7);
  CHECK(*seven == 7);
  CHECK(!seven.error());

  const Result<std::string> text(std::string("text"));
  CHECK(text->size() == 4);

  const Result<int> broken(Error("this cannot be", report_of(2, 0)));
  CHECK(!broken);
  CHECK((broken.error().kind() == ErrorKind::rule_broken));
  CHECK(broken.error().report().size() == 2);
  CHECK_THROWS_AS(broken.value(), Error);
  CHECK_THROWS_AS(*broken, Error);
  try {
    (void)broken.value();
  } catch (const std::exception& e) {
    CHECK(std::string(e.what()) == broken.error().what());
  }
  CHECK_THROWS_AS(Result<std::string>(Error(ErrorKind::no_device, "none"))->size(), Error);
  static_assert(!std::is_convertible_v<Result<int>, bool>);

  const auto make = [](bool good) -> Result<double> {
    if (good) return 1.5;
    return Error(ErrorKind::no_device, "none");
  };
  CHECK(make(true).value() == 1.5);
  CHECK((make(false).error().kind() == ErrorKind::no_device));
}

// The error is a value in the program, not an assertion: this file is built with NDEBUG as well.
TEST_CASE("a pitch of 6932 bytes is refused in every build") {
  using Tile = tma::Tile<float, tma::Shape<8, 16>>;
  const tma::TensorView view{reinterpret_cast<const float*>(0x7f2a40000000), {128, 1733}};
  const auto            made = tma::try_make_descriptor<Tile>(view);
  REQUIRE(!made);
  CHECK((made.error().kind() == ErrorKind::rule_broken));
  report::names(made.error().report(), "T7", Severity::error,
                {"stride[0]", "6932 bytes (1733 elements)", "multiple of 16", "6944 bytes"});
  CHECK_THROWS_AS(tma::make_descriptor<Tile>(view), Error);
}
