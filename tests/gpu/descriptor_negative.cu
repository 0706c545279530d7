// What a checked build says of descriptors in memory, one case a process: the context does not survive it.
// `gpu_descriptor_negative CASE` ends with 0 where the kernel was stopped; the text is CTest's to look for.
#include <tma/tma.hpp>

#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/edit.hpp>

#include <cstring>

#include "../support/device.hpp"
#include "../support/gpu.hpp"

#if !defined(TMA_CHECKED)
#  error "these are texts of a checked build"
#endif

namespace {

using Tile = tma::Tile<float, tma::Shape<8, 32>>;
using Map  = tma::TmaDescriptor<float, 2, Tile>;

struct Shared {
  tma::DescriptorScratch<Map> scratch;
  Tile                        tile;
  tma::LoadBarrier            barrier;
};

// The slots are made here: on the host those of `slot_at_32` are refused (D1).
__global__ void load_slot(Map* first, int i) {
  const tma::DescriptorSlots<Map> slots(first, 3);
  auto&                           s = tma::shared<Shared>();
  auto [block, arrived]             = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), {0, 0}, s.tile, arrived);
  arrived.wait();
}

__global__ void load_parameter(const __grid_constant__ Map map) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) {
    tma::acquire(map);
    issuer.load(map, {0, 0}, s.tile, arrived);
  }
  arrived.wait();
}

struct Numbers {
  float*    address;
  long long rows, columns, pitch, innermost;
  int       every;
};

__global__ void edit(const __grid_constant__ Map pattern, Numbers to, tma::DescriptorSlots<Map> slots, int i) {
  auto& s = tma::shared<Shared>();
  tma::edit(s.scratch, pattern)
      .address(to.address)
      .extents({to.rows, to.columns})
      .strides({to.pitch, to.innermost})
      .element_strides({to.every, 1})
      .publish(slots, i, tma::no_copy_uses_it());
}

cudaError_t run(const char* name) {
  gpu::Array<float>               data(64 * 64);
  gpu::Array<unsigned char>       slots(4 * sizeof(Map));
  const Map                       map = tma::make_descriptor<Tile>(tma::TensorView{data.get(), {64, 64}});
  const auto                      at  = [&](int offset) { return reinterpret_cast<Map*>(slots.get() + offset); };
  const tma::DescriptorSlots<Map> three(at(0), 3), at_64(at(64), 3);
  const auto                      is       = [&](const char* other) { return std::strcmp(name, other) == 0; };
  const auto                      try_edit = [&](Numbers n, tma::DescriptorSlots<Map> to, int i) {
    tma::launch(edit, {.grid = 1, .block = 32}, map, n, to, i);
  };
  Numbers good{data.get(), 64, 64, 64, 1, 1};
  if (is("slot_at_32")) tma::launch(load_slot, {.grid = 1, .block = 32}, at(32), 0);
  if (is("no_such_slot")) tma::launch(load_slot, {.grid = 1, .block = 32}, at(0), 3);
  if (is("slot_below_0")) tma::launch(load_slot, {.grid = 1, .block = 32}, at(0), -1);
  if (is("parameter_acquired")) tma::launch(load_parameter, {.grid = 1, .block = 32}, map);
  if (is("written_slot_at_64")) try_edit(good, at_64, 0);
  if (is("address")) good.address += 1, try_edit(good, three, 0);
  if (is("no_rows")) good.rows = 0, try_edit(good, three, 0);
  if (is("too_many_rows")) good.rows = 1ll << 32, try_edit(good, three, 0);
  if (is("row_end")) good.columns = 62, try_edit(good, three, 0);
  if (is("stride")) good.pitch = 66, try_edit(good, three, 0);
  if (is("stride_too_large")) good.pitch = 1ll << 38, try_edit(good, three, 0);
  if (is("row_with_gaps")) good.innermost = 2, try_edit(good, three, 0);
  if (is("element_stride")) good.every = 9, try_edit(good, three, 0);
  if (is("nothing_wrong")) try_edit(good, three, 2), tma::launch(load_slot, {.grid = 1, .block = 32}, at(0), 2);
  return gpu::wait(10);
}

}  // namespace

int main(int argc, char** argv) {
  if (gpu::no_device_for(1)) return gpu::skipped;
  if (argc < 2) return 2;
  const cudaError_t expected = std::strcmp(argv[1], "nothing_wrong") == 0 ? cudaSuccess : cudaErrorLaunchFailure;
  const cudaError_t e        = run(argv[1]);
  std::printf("%s: %s, expected %s\n", argv[1], cudaGetErrorName(e), cudaGetErrorName(expected));
  return e != expected;
}
