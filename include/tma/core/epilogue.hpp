// The other end of prologue.hpp.
#if defined(__CUDACC_RTC__)
#elif TMA_DETAIL_NESTED
#  pragma pop_macro("TMA_DETAIL_NESTED")
#else
#  include "macros_back.hpp"
#  undef TMA_DETAIL_NESTED
#endif
