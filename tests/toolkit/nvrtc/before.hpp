// What a program of the tests has from the headers of the host, and NVRTC lacks. Included before it.
#pragma once

namespace std {
using size_t = decltype(sizeof(0));
}
