// Device code is for CUDA compilers and for the simulator: a file that is neither says so, and ends here.
#pragma once

#include "../core/prologue.hpp"

#include "../core/config.hpp"

#if !TMA_HAS_DEVICE
#  error \
      "tma: this header has device code, and must be included in a .cu file, by nvcc, NVRTC or the simulator's functions. Fix: in a .cpp include <tma/tma.hpp> or <tma/all.hpp>, which name what a pipeline keeps in shared memory, or headers in tma/core and tma/host"
#  include "the error above says why tma does not compile here"
#endif

#include "../core/epilogue.hpp"
