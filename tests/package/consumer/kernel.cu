#include <tma/tma.hpp>

#include <cstdio>

using Tile = tma::Tile<float, tma::Shape<16, 16>>;

#ifdef SEPARABLE
__device__ float total(const Tile& tile);  // of the other file, about this one's shared memory
#endif

__global__ void copy(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> in,
                     const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifdef SEPARABLE
  if (block.rank() == 32) asm volatile("" : : "f"(total(tile)));
#endif
  if (auto issuer = block.elect()) {
    issuer.load(in, {blockIdx.x * 16, 0}, tile, arrived);
    arrived.wait();
    issuer.store(out, {blockIdx.x * 16, 0}, tma::as_loaded(tile));
  }
}

bool broken_rules_are_found();
void run_sums(const tma::TmaDescriptor<const float, 2, Tile>& map, float* out);

int main() {
  if (!broken_rules_are_found()) return 1;
  try {
    float* a = nullptr;
    cudaMalloc(&a, 64 * 16 * sizeof(float));
    if (!a) a = reinterpret_cast<float*>(4096);
    const auto map = tma::make_descriptor<Tile>(tma::TensorView{a, {64, 16}});
    tma::launch(copy, {.grid = 4, .block = 32}, map, map);
    run_sums(map, a);
    std::printf("copied: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  } catch (const tma::Error& e) {
    if (e.kind() == tma::ErrorKind::rule_broken) return 1;
    std::printf("%s", e.what());  // no device: the program starts and says so all the same
  }
  return 0;
}
