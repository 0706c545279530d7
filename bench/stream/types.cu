// This library's variants of other elements.
#include "ours.cuh"

namespace stream {

#define STREAM_OURS(T, Op) template void add_ours<T, Op<T>>(Variants&, const Arrays<T>&, const Op<T>&);
STREAM_OURS(char, Copy)
STREAM_OURS(char, Triad)
STREAM_OURS(__half, Copy)
STREAM_OURS(__half, Triad)
STREAM_OURS(double, Copy)
STREAM_OURS(double, Triad)
STREAM_OURS(Wide, Copy)

}  // namespace stream
