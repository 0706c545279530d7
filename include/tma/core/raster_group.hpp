#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// What is walked as one band of a grid of tiles: neighbouring rows, or neighbouring columns.
enum class RasterGroup : int { rows, columns };

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
