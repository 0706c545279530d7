// The program around mistakes with descriptors in memory.
#pragma once

#include "common.hpp"

#include <tma/core/im2col.hpp>
#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/edit.hpp>

using Other = tma::TmaDescriptor<float, 2, tma::Tile<float, tma::Shape<8, 64>>>;
