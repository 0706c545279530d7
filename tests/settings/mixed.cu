// A file of a program whose files are compiled in different settings: NAME says which.
#include <tma/all.hpp>

#define JOIN(a, b)  JOIN_(a, b)
#define JOIN_(a, b) a##b

using Tile       = tma::Tile<float, tma::Shape<32, 32>>;
using Descriptor = tma::TmaDescriptor<float, 2, Tile>;

#if defined(GIVER)
void take(const Descriptor&);
int  main() { take(Descriptor()); }
#elif defined(TAKER)
void take(const Descriptor&) {}
#else

static __global__ void scale(const __grid_constant__ Descriptor in) {
  auto&      tile = tma::shared<Tile>();
  __shared__ tma::LoadBarrier barrier;
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
  arrived.wait();
}

// A tensor that no driver is asked about, and a kernel that no device runs: this links, and runs, everywhere.
int JOIN(use_, NAME)() {
  const tma::Report report = tma::check<Tile>(tma::TensorView{reinterpret_cast<float*>(0x100008), {64, 64}});
  const tma::Error  error  = tma::try_launch(scale, {.grid = 1, .block = 100000}, Descriptor());
  return report.ok() || !error ? 1 : 0;
}

#endif
