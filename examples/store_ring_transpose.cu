// A matrix is transposed on its way through shared memory: a pipeline loads square tiles ahead, threads turn each into a
// stage of a store ring, and the engine stores it while they turn the next.
//
// Both tiles are swizzled. A thread turns 4 x 4 elements in registers: it reads four neighbours from each of four rows, and
// writes four neighbours to each of four. The blocks of 4 x 4 are taken along diagonals, so that eight threads, whose 16 bytes
// each are one access to the banks, meet every bank once on both sides: no row is padded, and no access is made twice.
#include <tma/pipeline/store_ring.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int side = 32, threads = 64;

using Tile = tma::Tile<float, tma::Shape<side, side>, tma::Swizzle::bytes_128>;
using Map  = tma::TmaDescriptor<float, 2, Tile>;

// clang-format off
// [program]
using In  = tma::Pipeline<4, Tile>;
using Out = tma::StoreStages<2, Tile>;

__global__ void transpose(const __grid_constant__ Map from, const __grid_constant__ Map to, int rows, int columns) {
  struct Shared { In::Shared in; Out out; };
  auto&          shared = tma::shared<Shared>();
  auto           block  = tma::this_block<threads>();
  In             pipe(shared.in);
  tma::StoreRing out(shared.out, block);

  // Block b takes tiles b, b + grid, b + 2 grid, ...
  const int across = (columns + side - 1) / side, tiles = across * ((rows + side - 1) / side);
  const int first = int(blockIdx.x), step = int(gridDim.x), mine = first < tiles ? (tiles - first - 1) / step + 1 : 0;
  const auto row = [=](int i) { return (first + i * step) / across * side; };
  const auto column = [=](int i) { return (first + i * step) % across * side; };

  pipe.for_each(mine, [&](auto load, int i) { load(from, {row(i), column(i)}); },
    [&](const Tile& in, int i, auto& stage) {
      const int c = block.rank() % 8 * 4, r = (block.rank() % 8 ^ block.rank() / 8) * 4;  // this thread's 4 x 4 elements
      tma::Vec<float, 4> x[4];
      for (int k = 0; k < 4; ++k) x[k] = in.vector<4>(((r + k) * side + c) / 4);
      stage.release();                                                 // the next load may come
      out.next([&](Tile& turned) {
        for (int k = 0; k < 4; ++k) turned.vector<4>(((c + k) * side + r) / 4) = {x[0][k], x[1][k], x[2][k], x[3][k]};
      }, [&](auto store) { store(to, {column(i), row(i)}); });         // one thread, when all have written
    });
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    // Neither extent is a multiple of the tile's, nor the other's.
    const int             rows = 1000, columns = 716;
    auto                  a = example::Array<float>::random(rows * columns);
    example::Array<float> b(rows * columns);

    auto from = tma::make_descriptor<Tile>(tma::TensorView{a.device, {rows, columns}});
    auto to   = tma::make_descriptor<Tile>(tma::TensorView{b.device, {columns, rows}});
    tma::launch(transpose, {.grid = 100, .block = threads}, from, to, rows, columns);

    b.download();
    return example::verify("store_ring_transpose", b.host,
                           [&](std::size_t i) { return a.host[i % rows * columns + i / rows]; });
  });
}
