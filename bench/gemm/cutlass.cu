// CUTLASS's own kernel, from its collective builder. Compiled where its headers are (TMA_BENCH_CUTLASS). Without its
// assertions: one of them is a function call, around which the matrix units' instructions would be serialised.
#if !defined(NDEBUG)
#  define NDEBUG
#endif
#include <cutlass/cutlass.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#include <memory>
#include <stdexcept>

#include "peers.hpp"

namespace peers {
namespace {

using namespace cute;
using Element  = cutlass::bfloat16_t;
using Row      = cutlass::layout::RowMajor;
using Column   = cutlass::layout::ColumnMajor;
using Tile     = Shape<_128, _256, _64>;
using Cluster  = Shape<_2, _1, _1>;
using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster, cutlass::epilogue::collective::EpilogueTileAuto,
    float, float, void, Row, 8, Element, Row, 8, cutlass::epilogue::TmaWarpSpecializedCooperative>::CollectiveOp;
using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, Row, 8, Element, Column, 8, float, Tile, Cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<int(sizeof(typename Epilogue::SharedStorage))>,
    cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;
using Kernel =
    cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue, cutlass::gemm::PersistentScheduler>;
using Device = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

}  // namespace

gemm::Run cutlass(const gemm::Problem<__nv_bfloat16>& p) {
  int device = 0, multiprocessors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const auto stride = [](int pitch) { return make_stride(int64_t(pitch), Int<1>{}, int64_t(0)); };

  gemm::Run best;
  double    least = 1e30;
  for (const bool along_m : {false, true})
    for (const int swizzle : {1, 2, 4, 8}) {
      typename Device::Arguments arguments{cutlass::gemm::GemmUniversalMode::kGemm,
                                           {p.m, p.n, p.k, 1},
                                           {reinterpret_cast<const Element*>(p.a), stride(p.pitch_a),
                                            reinterpret_cast<const Element*>(p.b), stride(p.pitch_b)},
                                           {{}, nullptr, {}, reinterpret_cast<Element*>(p.c), stride(p.pitch_c)},
                                           {device, multiprocessors}};
      arguments.epilogue.thread.alpha      = 1;
      arguments.epilogue.thread.beta       = 0;
      arguments.scheduler.max_swizzle_size = swizzle;
      using Order                          = decltype(arguments.scheduler.raster_order);
      arguments.scheduler.raster_order     = along_m ? Order::AlongM : Order::AlongN;

      const auto kernel = std::make_shared<Device>();
      if (kernel->can_implement(arguments) != cutlass::Status::kSuccess ||
          kernel->initialize(arguments, nullptr) != cutlass::Status::kSuccess)
        throw std::runtime_error("CUTLASS refuses the problem\n");
      const gemm::Run run = [kernel](cudaStream_t stream) {
        if (kernel->run(stream) != cutlass::Status::kSuccess) throw std::runtime_error("CUTLASS: launch\n");
      };
      if (const double ms = short_time(run); ms < least) {
        least = ms;
        best  = run;
      }
    }
  return best;
}

}  // namespace peers
