#pragma once

#include "../core/prologue.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>  // std::exception: <exception> brings much more

#include "report.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// What kind of thing went wrong. The kinds ask for different reactions.
enum class TMA_PUBLIC ErrorKind : int {
  none,              ///< nothing: success
  rule_broken,       ///< the tensor, tile, pointer or launch breaks a rule: `report()` lists every one
  no_driver,         ///< no NVIDIA driver on this machine
  driver_too_old,    ///< a driver without the tensor-map calls or for an older toolkit
  no_device,         ///< a driver, but no GPU
  device_lacks_tma,  ///< a GPU before compute capability 9.0
  context_failed,    ///< an earlier kernel has failed; every call fails until the process restarts
  encode_refused,    ///< the driver refused what the rules allow: please report it
  launch_failed,     ///< the runtime refused the launch
  call_failed,       ///< the runtime refused another call: an allocation, a copy
  kernel_stopped,    ///< a check inside a kernel stopped it (TMA_CHECKED): what() is its report
};

constexpr const char* error_kind_name(ErrorKind kind) {
  constexpr const char* names[] = {"none",          "rule broken",      "no driver",      "driver too old",
                                   "no device",     "device lacks TMA", "context failed", "encode refused",
                                   "launch failed", "call failed",      "kernel stopped"};
  return names[static_cast<int>(kind)];
}

/// What `tma` throws and returns: a kind, a text for people, and for broken rules the list of all of them.
///
/// In a file that is compiled without exceptions (`-fno-exceptions`) what would be thrown is written to the standard error
/// stream, and the program ends by `abort`. The `try_` functions return an Error there as everywhere.
class TMA_PUBLIC Error : public std::exception {
public:
  /// Success.
  Error()                        = default;
  Error(const Error&)            = default;
  Error& operator=(const Error&) = default;
  ~Error() override              = default;
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

// Where exceptions are off, as standard libraries do there: the text, and the end of the program.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
[[noreturn]] inline void raise(const Error& error) { throw error; }
[[noreturn]] inline void raise_out_of_memory() { throw std::bad_alloc(); }
#else
[[noreturn]] inline void raise(const Error& error) {
  std::fputs(error.what(), stderr);
  std::abort();
}
[[noreturn]] inline void raise_out_of_memory() {
  std::fputs("tma: no host memory is left\n", stderr);
  std::abort();
}
#endif

}  // namespace detail
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
