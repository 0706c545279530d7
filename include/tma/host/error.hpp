#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "../core/config.hpp"

// <string>, <vector> and <memory> each cost more to compile than the rest of the host room: texts and lists here are
// plain reference-counted blocks.

TMA_DETAIL_COLD_BEGIN

namespace tma {

/// What kind of thing went wrong. The kinds ask for different reactions.
enum class ErrorKind : int {
  none,              ///< nothing: success
  rule_broken,       ///< the tensor, tile, pointer or launch breaks a rule: `report()` lists every one
  no_driver,         ///< no NVIDIA driver on this machine
  driver_too_old,    ///< a driver without the tensor-map calls or for an older toolkit
  no_device,         ///< a driver, but no GPU
  device_lacks_tma,  ///< a GPU before compute capability 9.0
  context_failed,    ///< an earlier kernel has failed; every call fails until the process restarts
  encode_refused,    ///< the driver refused what the rules allow: please report it
  launch_failed,     ///< the runtime refused the launch
};

constexpr const char* error_kind_name(ErrorKind kind) {
  constexpr const char* names[] = {"none",           "rule broken",    "no driver",
                                   "driver too old", "no device",      "device lacks TMA",
                                   "context failed", "encode refused", "launch failed"};
  return names[static_cast<int>(kind)];
}

enum class Severity : int {
  error,    ///< refused
  warning,  ///< legal, and probably not what was meant
};

/// One broken rule.
struct Violation {
  char     id[8];  ///< the rule: "T7"
  Severity severity;
  char     field[32];  ///< what breaks it: "stride[0]"
  char     value[64];  ///< what it is: "6932 bytes (1733 elements)"
  char     rule[192];  ///< what it must be
  char     fix[224];   ///< what to do
};

namespace detail {

#if defined(__GNUC__)
#  define TMA_DETAIL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#  define TMA_DETAIL_PRINTF(text, first)
#endif

// A growing block of trivially copyable things, shared between copies; only its sole owner adds to it.
class SharedBytes {
  struct Head {
    std::size_t count, capacity;
    int         owners;
  };

public:
  SharedBytes() = default;
  SharedBytes(const SharedBytes& other) : head_(other.head_) {
    if (head_) __atomic_add_fetch(&head_->owners, 1, __ATOMIC_RELAXED);
  }
  SharedBytes& operator=(const SharedBytes& other) {
    SharedBytes copy(other);
    Head* const mine = head_;
    head_            = copy.head_;
    copy.head_       = mine;
    return *this;
  }
  ~SharedBytes() {
    if (head_ && __atomic_sub_fetch(&head_->owners, 1, __ATOMIC_ACQ_REL) == 0) std::free(head_);
  }

  std::size_t size() const { return head_ ? head_->count : 0; }
  const void* data() const { return head_ ? head_ + 1 : nullptr; }

  // Room for `n` bytes more at the end, counted already.
  void* extend(std::size_t n) {
    const std::size_t count = size();
    if (!head_ || count + n > head_->capacity || head_->owners != 1) {
      Head* const grown = static_cast<Head*>(std::malloc(sizeof(Head) + (count + n) * 2));
      if (!grown) throw std::bad_alloc();
      if (count) std::memcpy(static_cast<void*>(grown + 1), data(), count);
      SharedBytes old;
      old.head_ = head_;
      head_     = grown;
      *head_    = {count, (count + n) * 2, 1};
    }
    head_->count += n;
    return reinterpret_cast<char*>(head_ + 1) + count;
  }

private:
  Head* head_ = nullptr;
};

class Text {
public:
  const char* c_str() const { return characters_.size() ? static_cast<const char*>(characters_.data()) : ""; }

  TMA_DETAIL_PRINTF(2, 3) void append(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vappend(format, arguments);
    va_end(arguments);
  }

  void vappend(const char* format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int n = std::vsnprintf(nullptr, 0, format, arguments);
    // The new text goes over the old terminator.
    const bool  first = characters_.size() == 0;
    char* const at    = static_cast<char*>(characters_.extend(std::size_t(n) + first)) - !first;
    std::vsnprintf(at, std::size_t(n) + 1, format, again);
    va_end(again);
  }

private:
  SharedBytes characters_;
};

}  // namespace detail

/// Every rule that something breaks, in the order of the rule book. Empty when all is well.
class Report {
public:
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
    std::vsnprintf(text, sizeof text, format, arguments);
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

/// What `tma` throws and returns: a kind, a text for people, and for broken rules the list of all of them.
class Error : public std::exception {
public:
  /// Success.
  Error() = default;
  /// A text with its numbers in it.
  TMA_DETAIL_PRINTF(3, 4) Error(ErrorKind kind, const char* format, ...) : kind_(kind) {
    va_list arguments;
    va_start(arguments, format);
    text_.vappend(format, arguments);
    va_end(arguments);
  }
  Error(const char* what, const Report& report) : kind_(ErrorKind::rule_broken), report_(report) {
    text_.append("tma: %s: %d rule%s broken\n%s", what, report.errors(), report.errors() == 1 ? "" : "s",
                 report.text().c_str());
  }

  ErrorKind     kind() const { return kind_; }
  const Report& report() const { return report_; }
  const char*   what() const noexcept override { return text_.c_str(); }

  /// True where something is wrong.
  explicit operator bool() const { return kind_ != ErrorKind::none; }

private:
  ErrorKind    kind_ = ErrorKind::none;
  detail::Text text_;
  Report       report_;
};

namespace detail {

[[noreturn]] inline void raise(const Error& error) { throw error; }

}  // namespace detail

/// A value, or the error that kept it from being made. The functions that return one are [[nodiscard]], not this class: nvcc
/// would warn of every assignment to a Result.
template <class T> class Result {
public:
  Result(const T& value) : value_(value) {}
  Result(const Error& error) : error_(error) {}

  explicit     operator bool() const { return !error_; }
  const Error& error() const { return error_; }

  /// The value; throws the error if there is none.
  const T& value() const {
    if (error_) detail::raise(error_);
    return value_;
  }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }

private:
  T     value_{};
  Error error_;
};

}  // namespace tma

TMA_DETAIL_COLD_END
