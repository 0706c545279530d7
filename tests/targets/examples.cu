// The examples, all in one file: what is compiled for each target. They keep their names apart by namespaces, and find the
// headers included already.
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

#include <tma/all.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../examples/example.hpp"

namespace scale_2d {
#include "../../examples/scale_2d.cu"
}
namespace stream {
#include "../../examples/stream.cu"
}
namespace warp_specialized {
#include "../../examples/warp_specialized.cu"
}
namespace halo_stencil {
#include "../../examples/halo_stencil.cu"
}
namespace copy_1d {
#include "../../examples/copy_1d.cu"
}
namespace cache {
#include "../../examples/cache.cu"
}
namespace fallback {
#include "../../examples/fallback.cu"
}
namespace convolution {
#include "../../examples/convolution.cu"
}
namespace exchange {
#include "../../examples/exchange.cu"
}
namespace grouped {
#include "../../examples/grouped.cu"
}
namespace in_place {
#include "../../examples/in_place.cu"
}
namespace reduce {
#include "../../examples/reduce.cu"
}
namespace ragged_batch {
#include "../../examples/ragged_batch.cu"
}
namespace mixed_stage {
#include "../../examples/mixed_stage.cu"
}
namespace warp_specialized_gemv {
#include "../../examples/warp_specialized_gemv.cu"
}
namespace store_ring_transpose {
#include "../../examples/store_ring_transpose.cu"
}
// ptxas advises against multicast where it is slow, and what it advises is an error here.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900 || defined(__CUDA_ARCH_FEAT_SM90_ALL) || \
    (__CUDA_ARCH__ < 1200 && (defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FAMILY_SPECIFIC__)))
namespace multicast {
#  include "../../examples/multicast.cu"
}
namespace cluster_multicast {
#  include "../../examples/cluster_multicast.cu"
}
#endif
