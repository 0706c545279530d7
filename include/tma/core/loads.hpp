// Who loads a pipeline's tiles. Only names: <tma/core/descriptor.hpp> and <tma/core/thread_descriptor.hpp> have the descriptors.
#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

template <class T, int Rank, class TileT> class TmaDescriptor;
template <class T, int Rank, class TileT> class ThreadDescriptor;

/// The copy engine loads: one elected thread issues. What a pipeline does where nothing is said.
struct EngineLoads {
  template <class T, int Rank, class TileT> using descriptor = TmaDescriptor<T, Rank, TileT>;
};

/// The producer's threads load, with `cp.async` and plain accesses: for tensors the engine does not take (base, pitch or inner
/// coordinate no multiple of 16 bytes) and devices from sm_80 on. The tiles hold the same bytes.
struct ThreadLoads {
  template <class T, int Rank, class TileT> using descriptor = ThreadDescriptor<T, Rank, TileT>;
};

/// The kernel parameter through which `Loads` loads:
///
///     template <class Loads>
///     __global__ void kernel(const __grid_constant__ tma::descriptor_for<Loads, const float, 2, Tile> in);
template <class Loads, class T, int Rank, class TileT>
using descriptor_for = typename Loads::template descriptor<T, Rank, TileT>;

namespace detail {

template <class T> inline constexpr bool is_loads_v              = false;
template <> inline constexpr bool        is_loads_v<EngineLoads> = true;
template <> inline constexpr bool        is_loads_v<ThreadLoads> = true;

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
