// One dimension, any pointer, any length: the engine moves the aligned body, threads the ends.
#include <tma/tma.hpp>

#include "example.hpp"

using Buffer = tma::RaggedBuffer<float, 1000>;

__global__ void negate(const float* from, float* to, int n) {
  struct Shared {
    Buffer           tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const int    first    = int(blockIdx.x) * Buffer::size;
  const int    count    = min(Buffer::size, n - first);
  const float* src      = from + first;
  // clang-format off
  // [program]
  tma::BulkCopy1D copy;                             // aligned body by the engine, head and tail by threads; static size: no branches
  auto data = copy.load(block, tile, src, count, arrived);
  // [end]
  // clang-format on
  arrived.wait();
  for (auto& x : block.elements(data)) x = -x;
  auto ready = block.publish(data);
  copy.store(block, to + first, ready);
}

int main() {
  return example::main([] {
    // Blocks start at any element, and the last is short. Source and destination lie alike, so the engine stores as well.
    const int             n = 123457, shift = 3;
    auto                  a = example::Array<float>::random(n + shift);
    example::Array<float> b(n + shift);
    example::require(cudaMemset(b.device, 0, (n + shift) * sizeof(float)));

    tma::launch(negate, {.grid = (n + Buffer::size - 1) / Buffer::size, .block = 128}, a.device + shift, b.device + shift,
                n);

    b.download();
    return example::verify("copy_1d", b.host, [&](std::size_t i) { return i < shift ? 0.f : -a.host[i]; });
  });
}
