// The examples, all in one file: what is compiled for each target. They keep their names apart by namespaces, and find the
// headers included already.
#include <tma/tma.hpp>

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
