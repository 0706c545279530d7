// One thread of a block is elected, the same at every call, whatever the block's size and shape.
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

__global__ void count(int* elected, int* rank) {
  auto block = tma::this_block();
  for (int n = 0; n < 4; ++n) {
    auto issuer = block.elect();
    if (issuer) {
      atomicAdd(elected, 1);
      atomicMax(rank, block.rank());
      atomicMin(rank + 1, block.rank());
    }
  }
}

void check(dim3 shape) {
  gpu::Array<int> out(std::vector<int>{0, -1, 1 << 20});
  tma::launch(count, {.grid = 1, .block = {shape.x, shape.y, shape.z}}, out.get(), out.get() + 1);
  gpu::finish();
  const auto h = out.download();
  INFO("block " << shape.x << " x " << shape.y << " x " << shape.z);
  CHECK(h[0] == 4);
  CHECK(h[1] == h[2]);
  CHECK(h[1] < 32);
}

}  // namespace

TEST_CASE("one thread is elected in blocks of 1 to 1024 threads") {
  for (unsigned n = 1; n <= 1024; n = n < 70 ? n + 1 : n + 53) check({n, 1, 1});
  check({1024, 1, 1});
}

TEST_CASE("one thread is elected in blocks of two and three dimensions") {
  for (dim3 s :
       {dim3(16, 16), dim3(1, 256), dim3(3, 5, 7), dim3(8, 4), dim3(2, 2, 64), dim3(31, 33), dim3(1, 1, 64), dim3(5, 1, 3)})
    check(s);
}

namespace {

// Every member of the issuer may be called without asking it first: only the elected thread acts.
__global__ void without_asking(const __grid_constant__ tma::TmaDescriptor<float, 1, tma::Tile<float, tma::Shape<64>>> to,
                               float                                                                                  x) {
  auto& tile  = tma::shared<tma::Tile<float, tma::Shape<64>>>();
  auto  block = tma::this_block();
  for (auto& e : block.elements(tile)) e = x;
  auto ready  = block.publish(tile);
  auto issuer = block.elect();
  issuer.store(to, {0}, ready).wait_visible();
}

}  // namespace

TEST_CASE("an issuer that was not asked issues once all the same") {
  gpu::Array<float> out(std::vector<float>(64, 0.f));
  const auto        to = tma::make_descriptor<tma::Tile<float, tma::Shape<64>>>(tma::TensorView{out.get(), {64}});
  tma::launch(without_asking, {.grid = 1, .block = 96}, to, 3.f);
  gpu::finish();
  CHECK(out.download() == std::vector<float>(64, 3.f));
}
