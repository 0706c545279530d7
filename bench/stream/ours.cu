// This library's variants of floats.
#include "ours.cuh"

namespace stream {

#define STREAM_OURS(T, Op) template void add_ours<T, Op<T>>(Variants&, const Arrays<T>&, const Op<T>&);
STREAM_OURS(float, Copy)
STREAM_OURS(float, Scale)
STREAM_OURS(float, Add)
STREAM_OURS(float, Triad)

}  // namespace stream
