// Every header of the library begins with this one and ends with epilogue.hpp: between the two, names that a program may well
// have defined as macros are plain names. `#define N 1024` before `#include <tma/tma.hpp>` is legal, and N is 1024 after it.
// The first header of an include chain puts the macros aside; those that it includes only count themselves.
#include "config.hpp"

#if defined(__CUDACC_RTC__)
#  include "macros_aside.hpp"
#elif defined(TMA_DETAIL_NESTED)
#  pragma push_macro("TMA_DETAIL_NESTED")
#  undef TMA_DETAIL_NESTED
#  define TMA_DETAIL_NESTED 1
#else
#  define TMA_DETAIL_NESTED 0
#  include "macros_aside.hpp"
#endif
