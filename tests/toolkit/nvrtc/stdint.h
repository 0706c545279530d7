// NVRTC has no headers of the host. What the toolkit's cuda.h asks of this one:
#pragma once

using int32_t  = int;
using int64_t  = long long;
using uint32_t = unsigned;
using uint64_t = unsigned long long;
