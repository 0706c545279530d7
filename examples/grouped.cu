// Matrices of different sizes in one launch: their descriptors lie in global memory, and each block picks one.
#include <tma/device/descriptor_acquire.hpp>
#include <tma/host/descriptor_array.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using In   = tma::TmaDescriptor<const float, 2, Tile>;
using Out  = tma::TmaDescriptor<float, 2, Tile>;

struct Work {  // of one block
  int           matrix;
  tma::Coord<2> at;
  float         factor;
};

// clang-format off
// [program]
__global__ void scale_all(tma::DescriptorSlots<In> in, tma::DescriptorSlots<Out> out, const Work* work) {
  struct Shared { Tile tile; tma::LoadBarrier barrier; };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const Work mine       = work[blockIdx.x];

  if (auto issuer = block.elect()) issuer.load(tma::acquire(in, mine.matrix), mine.at, tile, arrived);
  arrived.wait();
  for (auto& x : block.elements(tile)) x *= mine.factor;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(tma::acquire(out, mine.matrix), mine.at, ready);
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    struct Size {
      int rows, columns;
    };
    const Size sizes[] = {{100, 52}, {33, 204}, {1, 8}, {257, 64}, {32, 32}};
    const int  count   = int(std::size(sizes));

    int elements = 0;
    for (const Size& s : sizes) elements += s.rows * s.columns;
    auto                  a = example::Array<float>::random(elements);  // one matrix behind the other
    example::Array<float> b(elements);

    tma::DescriptorArray<In>  in(count);
    tma::DescriptorArray<Out> out(count);
    std::vector<Work>         list;
    std::vector<float>        expected;
    for (int i = 0; i < count; ++i) {
      const Size s     = sizes[i];
      const auto first = expected.size();
      in.set(i, tma::make_descriptor<Tile>(tma::TensorView{a.device + first, {s.rows, s.columns}}));
      out.set(i, tma::make_descriptor<Tile>(tma::TensorView{b.device + first, {s.rows, s.columns}}));
      for (int r = 0; r < s.rows; r += 32)
        for (int c = 0; c < s.columns; c += 32) list.push_back({i, {r, c}, float(i + 2)});
      for (int k = 0; k < s.rows * s.columns; ++k) expected.push_back(a.host[first + k] * float(i + 2));
    }
    in.upload();
    out.upload();
    example::Array<Work> work(list.size());
    work.host = list;
    work.upload();
    tma::launch(scale_all, {.grid = int(list.size()), .block = 128}, in.slots(), out.slots(), work.device);

    b.download();
    return example::verify("grouped", b.host, [&](std::size_t i) { return expected[i]; });
  });
}
