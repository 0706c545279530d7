#pragma once

namespace tma {

/// What is walked as one band of a grid of tiles: neighbouring rows, or neighbouring columns.
enum class RasterGroup : int { rows, columns };

}  // namespace tma
