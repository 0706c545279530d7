// Many blocks add into one tensor: each counts its share of an image's pixels in shared memory, and the engine adds the
// counts to those of the others. No thread waits for an atomic operation in global memory.
#include <tma/device/reduce.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int channels = 3, bins = 64, share = 3000;

using Counts = tma::Tile<unsigned, tma::Shape<channels, bins>>;

__host__ __device__ int bin_of(unsigned char value) { return value * bins / 256; }

// clang-format off
// [program]
__global__ void histogram(const unsigned char* image, int n, const __grid_constant__ tma::TmaDescriptor<unsigned, 2, Counts> total) {
  auto&     counts = tma::shared<Counts>();
  auto      block  = tma::this_block();
  const int first  = int(blockIdx.x) * share, end = min(first + share, n);

  for (auto& count : block.elements(counts)) count = 0;
  block.sync();
  for (int i = first + block.rank(); i < end; i += block.size()) atomicAdd(&counts(i % channels, bin_of(image[i])), 1u);
  auto ready = block.publish(counts);
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(total, {0, 0}, ready);
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    const int                     n = channels * 333 * 500;
    example::Array<unsigned char> image(n);
    example::Array<unsigned>      counts(channels * bins);
    std::minstd_rand              engine(1);
    for (auto& value : image.host) value = static_cast<unsigned char>(engine() % 16 * (engine() % 16));
    image.upload();
    counts.upload();  // zeros

    auto total = tma::make_descriptor<Counts>(tma::TensorView{counts.device, {channels, bins}});
    tma::launch(histogram, {.grid = (n + share - 1) / share, .block = 128}, image.device, n, total);

    std::vector<unsigned> expected(channels * bins);
    for (int i = 0; i < n; ++i) ++expected[i % channels * bins + bin_of(image.host[i])];
    counts.download();
    return example::verify("reduce", counts.host, [&](std::size_t i) { return expected[i]; });
  });
}
