#pragma once

#include "../core/prologue.hpp"

#include <cstdarg>
#include <cstring>

#include "text.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

enum class TMA_PUBLIC Severity : int {
  error,    ///< refused
  warning,  ///< legal, and probably not what was meant
};

/// One broken rule.
struct TMA_PUBLIC Violation {
  char     id[8];  ///< the rule: "T7"
  Severity severity;
  char     field[32];  ///< what breaks it: "stride[0]"
  char     value[64];  ///< what it is: "6932 bytes (1733 elements)"
  char     rule[192];  ///< what it must be
  char     fix[224];   ///< what to do
};

/// Every rule that something breaks, in the order of the rule book. Empty when all is well.
class TMA_PUBLIC Report {
public:
  Report()                         = default;
  Report(const Report&)            = default;
  Report& operator=(const Report&) = default;
  ~Report()                        = default;

  /// True where nothing is refused; warnings may remain.
  bool     ok() const { return errors_ == 0; }
  explicit operator bool() const { return ok(); }

  int              size() const { return int(list_.size() / sizeof(Violation)); }
  int              errors() const { return errors_; }
  const Violation* begin() const { return static_cast<const Violation*>(list_.data()); }
  const Violation* end() const { return begin() + size(); }
  const Violation& operator[](int i) const { return begin()[i]; }

  /// Whether the rule with this id is among them.
  bool             has(const char* id) const { return find(id) != nullptr; }
  const Violation* find(const char* id) const {
    for (const Violation& v : *this)
      if (std::strcmp(v.id, id) == 0) return &v;
    return nullptr;
  }

  /// For rules: adds one violation. The text has four parts, "field|value|rule|fix", of which none may hold a '|'.
  TMA_DETAIL_PRINTF(3, 4) void error(const char* id, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(id, Severity::error, format, arguments);
    va_end(arguments);
  }
  TMA_DETAIL_PRINTF(3, 4) void warning(const char* id, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(id, Severity::warning, format, arguments);
    va_end(arguments);
  }

  /// One line a violation: "  [T7] stride[0] = 6932 bytes: must be ... Fix: ...".
  detail::Text text() const {
    detail::Text t;
    for (const Violation& v : *this)
      t.append("  [%s] %s%s = %s: %s. Fix: %s.\n", v.id, v.severity == Severity::warning ? "warning: " : "", v.field,
               v.value, v.rule, v.fix);
    return t;
  }

private:
  void add(const char* id, Severity severity, const char* format, va_list arguments) {
    char text[sizeof(Violation)];
    TMA_DETAIL_STDIO(vsnprintf)(text, sizeof text, format, arguments);
    Violation& v = *static_cast<Violation*>(list_.extend(sizeof(Violation)));
    std::memset(&v, 0, sizeof v);
    std::strncpy(v.id, id, sizeof v.id - 1);
    v.severity = severity;
    errors_ += severity == Severity::error;
    char* const parts[] = {v.field, v.value, v.rule, v.fix};
    const int   room[]  = {sizeof v.field, sizeof v.value, sizeof v.rule, sizeof v.fix};
    const char* at      = text;
    for (int p = 0; p < 4 && *at; ++p) {
      int n = 0;
      for (; *at && *at != '|'; ++at)
        if (n < room[p] - 1) parts[p][n++] = *at;
      at += *at == '|';
    }
  }

  detail::SharedBytes list_;
  int                 errors_ = 0;
};

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
