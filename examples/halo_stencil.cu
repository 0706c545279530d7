// A stencil with halo: five points, zero outside the matrix.
//
// In the outer dimension a tile may start anywhere, also above the matrix: row -1 is filled with zeros. In the innermost
// one it may not: its start is a multiple of 16 bytes, and the hardware stops the kernel at any other. So the tile starts
// one whole 16-byte piece (four floats) to the left, and is two pieces wider than the work: the halo of one is inside.
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int rows_out = 16, columns_out = 56, piece = 4;

using Halo = tma::Tile<float, tma::Shape<rows_out + 2, columns_out + 2 * piece>>;
using Out  = tma::Tile<float, tma::Shape<rows_out, columns_out>>;

__global__ void five_points(const __grid_constant__ tma::TmaDescriptor<const float, 2, Halo> in,
                            const __grid_constant__ tma::TmaDescriptor<float, 2, Out> out) {
  struct Shared {
    Halo             halo;
    Out              result;
    tma::LoadBarrier barrier;
  };
  auto& [halo, result, barrier] = tma::shared<Shared>();
  auto [block, arrived]         = tma::this_block(barrier);
  const int row = int(blockIdx.y) * rows_out, column = int(blockIdx.x) * columns_out;

  if (auto issuer = block.elect()) issuer.load(in, {row - 1, column - piece}, halo, arrived);
  arrived.wait();
  for (int i = block.rank(); i < Out::size; i += block.size()) {
    const int r = i / columns_out + 1, c = i % columns_out + piece;
    result[i] = fmaf(0.25f, halo(r - 1, c) + halo(r + 1, c) + halo(r, c - 1) + halo(r, c + 1), halo(r, c));
  }
  auto ready = block.publish(result);
  if (auto issuer = block.elect()) issuer.store(out, {row, column}, ready);
}

int main() {
  return example::main([] {
    const int             rows = 500, columns = 1000;
    auto                  a = example::Array<float>::random(rows * columns);
    example::Array<float> b(rows * columns);

    auto in  = tma::make_descriptor<Halo>(tma::TensorView{static_cast<const float*>(a.device), {rows, columns}});
    auto out = tma::make_descriptor<Out>(tma::TensorView{b.device, {rows, columns}});
    tma::launch(five_points,
                {.grid = {(columns + columns_out - 1) / columns_out, (rows + rows_out - 1) / rows_out}, .block = 128}, in,
                out);

    b.download();
    const auto x = [&](int r, int c) {
      return r < 0 || r >= rows || c < 0 || c >= columns ? 0.f : a.host[std::size_t(r * columns + c)];
    };
    return example::verify(
        "halo_stencil", b.host,
        [&](std::size_t i) {
          const int r = int(i) / columns, c = int(i) % columns;
          return x(r, c) + 0.25f * (x(r - 1, c) + x(r + 1, c) + x(r, c - 1) + x(r, c + 1));
        },
        1e-6);
  });
}
