// Every capability of the library. A kernel that uses few of them compiles faster with <tma/tma.hpp> and the headers of those.
// Not here: <tma/interop/...>, which bring other libraries' headers along.
#pragma once

#include "core/prologue.hpp"

#include "tma.hpp"

#include "core/grouped_raster.hpp"
#if TMA_HAS_HOST
#  include "host/advise.hpp"
#  include "host/check_allocation.hpp"
#  include "host/descriptor_array.hpp"
#  include "host/descriptor_cache.hpp"
#  include "host/im2col.hpp"
#  include "host/synchronize.hpp"
#  include "host/thread_descriptor.hpp"
#  include "host/with_address.hpp"
#endif
#if TMA_HAS_DEVICE
#  include "device/cache_policy.hpp"
#  include "device/cluster.hpp"
#  include "device/descriptor_acquire.hpp"
#  include "device/edit.hpp"
#  include "device/gather.hpp"
#  include "device/global_fence.hpp"
#  include "device/grid_dependency.hpp"
#  include "device/im2col.hpp"
#  include "device/launch_control.hpp"
#  include "device/prefetch.hpp"
#  include "device/reduce.hpp"
#  include "device/register_budget.hpp"
#  include "device/release_store.hpp"
#  include "device/transactions.hpp"
#  include "device/wgmma_fence.hpp"
#  include "device/zero.hpp"
#  include "pipeline/atomic_tiles.hpp"
#  include "pipeline/claimed_blocks.hpp"
#  include "pipeline/in_place_roles.hpp"
#  include "pipeline/producer_group.hpp"
#  include "pipeline/static_tiles.hpp"
#  include "pipeline/store_ring.hpp"
#  include "pipeline/thread_loads.hpp"
#endif
// For host compilers: the types of what they keep in shared memory.
#include "pipeline/cluster_parts.hpp"
#include "pipeline/in_place.hpp"
#include "pipeline/store_stages.hpp"
#include "pipeline/turns.hpp"

#include "core/epilogue.hpp"
