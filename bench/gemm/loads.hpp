// One warp-specialised kernel, whoever loads: what the engine gains over cp.async where nothing else differs. Tile, stages,
// instructions and the writing of the results are those of examples/gemm/5_persistent.cu.
#pragma once

#include "../../examples/gemm/persistent.hpp"

namespace loads {

using Element = __nv_bfloat16;
using Problem = gemm::Problem<Element>;

constexpr int stages = 4, threads = gemm::persistent_threads;

// By the library: tma::EngineLoads and one producer, or tma::ThreadLoads and four warps of them.
gemm::Run by_engine(const Problem& problem);
gemm::Run by_threads(const Problem& problem);

// The same in PTX by hand.
gemm::Run engine_by_hand(const Problem& problem);
gemm::Run threads_by_hand(const Problem& problem);

// What a thread of the producers' and of the consumers' warpgroups keeps. Who computes addresses needs more.
TMA_HOST_DEVICE constexpr int registers(bool producer, bool engine) {
  return producer ? engine ? 40 : 56 : engine ? 232 : 224;
}

}  // namespace loads
