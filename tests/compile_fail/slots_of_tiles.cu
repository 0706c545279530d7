// expect: tma::acquire: slots hold tma::TmaDescriptor objects
#include "descriptors.hpp"

#ifndef FIXED
using Slot = Tile;
#else
using Slot = Map;
#endif

__global__ void kernel(tma::DescriptorSlots<Slot> slots) { [[maybe_unused]] const auto& slot = tma::acquire(slots, 0); }
