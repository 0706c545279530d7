// Everything a kernel needs: tiles and descriptors, their making and checking on the host, copies, barriers and
// pipelines on the device. Light: no standard container, no <cuda/...> header.
#pragma once

#include "core/prologue.hpp"

#include "core/aligned_chunk.hpp"
#include "core/aligned_pointer.hpp"
#include "core/buffer.hpp"
#include "core/coord.hpp"
#include "core/descriptor.hpp"
#include "core/element.hpp"
#include "core/ragged_buffer.hpp"
#include "core/shape.hpp"
#include "core/shared_bytes.hpp"
#include "core/swizzle.hpp"
#include "core/tile.hpp"
#if TMA_HAS_HOST
#  include "host/aligned.hpp"
#  include "host/launch.hpp"
#  include "host/make_descriptor.hpp"
#endif
#if TMA_HAS_DEVICE
#  include "device/block.hpp"
#  include "device/bulk_copy.hpp"
#  include "device/shared.hpp"
#  include "pipeline/roles.hpp"
#endif
#include "pipeline/pipeline.hpp"  // for host compilers: the types of its shared memory

#include "core/epilogue.hpp"
