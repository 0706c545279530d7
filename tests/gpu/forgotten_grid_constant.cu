// A kernel whose descriptor is no `const __grid_constant__`: the compiler says nothing, and copies it to local memory. What a
// device makes of it is an error, and the errors of tma::synchronize and of the next launch have the hint.
#include <tma/tma.hpp>

#include <tma/host/synchronize.hpp>

#include <cstdio>
#include <cstring>

#include "../support/device.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<float, tma::Shape<8, 32>>;
using Map  = tma::TmaDescriptor<const float, 2, Tile>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier barrier;
};

// A template, so that no reader of the source sees the type.
template <class M> __global__ void forgotten(const M from, float* out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);
  for (int i = 0; i < 100000 && !arrived.is_complete(); ++i) {}  // no hang is left behind
  if (block.rank() == 0) out[0] = tile[0];
}

bool has_hint(const char* which, const tma::Error& error) {
  const bool has = error.kind() == tma::ErrorKind::context_failed && std::strstr(error.what(), "const __grid_constant__");
  std::printf("%s: %s\n", which, error ? error.what() : "no error");
  return has;
}

}  // namespace

int main() {
  if (gpu::no_device_for(1)) return gpu::skipped;
  float *in = nullptr, *out = nullptr;
  gpu::require(cudaMalloc(&in, 64 * 64 * 4), "cudaMalloc");
  gpu::require(cudaMalloc(&out, 4), "cudaMalloc");
  const Map map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(in), {64, 64}});
  tma::launch(forgotten<Map>, {.grid = 1, .block = 32}, map, out);
  gpu::wait(10);
  const bool waited = has_hint("tma::try_synchronize", tma::try_synchronize());
  return has_hint("tma::try_launch", tma::try_launch(forgotten<Map>, {.grid = 1, .block = 32}, map, out)) && waited ? 0 : 1;
}
