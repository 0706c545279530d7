#pragma once

#include "../core/prologue.hpp"

#include "../core/config.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

// Where something was written, for errors: the built-ins cost no header, where <source_location> does. As a default argument
// `here()` is the line of the call.
class TMA_PUBLIC SourceLine {
  struct Mark {};  // a braced list of numbers is none of these

public:
  const char* file = nullptr;
  int         line = 0;
  const char* name = nullptr;  // that the user gave it

  constexpr SourceLine() = default;

#if defined(__GNUC__) || defined(__CUDACC__)
  static constexpr SourceLine here(const char* in = __builtin_FILE(), int at = __builtin_LINE()) {
    return SourceLine(Mark(), in, at);
  }
#else
  static constexpr SourceLine here() { return {}; }
#endif

private:
  constexpr SourceLine(Mark, const char* file_, int line_) : file(file_), line(line_) {}
};

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
