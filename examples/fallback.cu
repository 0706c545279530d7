// One kernel, whoever loads: the copy engine where it takes the tensor, threads where it does not, or where the device is older
// than the engine. The host asks, and the tiles hold the same bytes.
#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/thread_loads.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

using Tile = tma::Tile<float, tma::Shape<16, 64>>;

struct Matrix {
  int rows, columns;

  __host__ __device__ int tiles_across() const { return (columns + 63) / 64; }
  __host__ __device__ int tiles() const { return (rows + 15) / 16 * tiles_across(); }
  __host__ __device__ tma::Coord<2> at(int tile) const { return {tile / tiles_across() * 16, tile % tiles_across() * 64}; }
};

// [program]
template <class Loads> using Pipe = tma::Pipeline<4, Loads, Tile>;

template <class Loads>
__global__ void twice(const __grid_constant__ tma::descriptor_for<Loads, const float, 2, Tile> in, float* out, Matrix m) {
  auto tile_of = [&](int i) { return int(blockIdx.x + i * gridDim.x); };
  int  steps   = (m.tiles() - int(blockIdx.x) + int(gridDim.x) - 1) / int(gridDim.x);

  Pipe<Loads> pipe(tma::shared<typename Pipe<Loads>::Shared>());
  pipe.for_each(
      steps, [&](auto load, int i) { load(in, m.at(tile_of(i))); },
      [&](const Tile& tile, int i) {
        const auto at = m.at(tile_of(i));
        for (int k = int(threadIdx.x); k < Tile::size; k += int(blockDim.x)) {
          const int row = at[0] + k / 64, column = at[1] + k % 64;
          if (row < m.rows && column < m.columns) out[row * m.columns + column] = 2 * tile[k];
        }
      });
}

template <class Loads> void launch(const tma::TensorView<const float, 2>& view, float* out, const Matrix& m) {
  tma::launch(twice<Loads>, {8, 128, tma::shared_bytes<typename Pipe<Loads>::Shared>},
              tma::make_descriptor_for<Loads, Tile>(view), out, m);
}

// Rows lie `pitch` elements apart.
void twice_on_this_device(const float* in, int pitch, float* out, const Matrix& m) {
  const tma::TensorView<const float, 2> view{in, {m.rows, m.columns}, {pitch, 1}};
  if (tma::can_load<Tile>(view)) launch<tma::EngineLoads>(view, out, m);
  else launch<tma::ThreadLoads>(view, out, m);  // can_load has said why: .text()
}
// [end]

int main() {
  return example::main(
      [] {
        // The engine takes the first. Of the others the rows lie no multiple of 16 bytes apart, and the first element does not at one.
        struct {
          Matrix matrix;
          int    pitch, shift;
        } const cases[] = {{{200, 300}, 320, 0}, {{123, 77}, 77, 0}, {{40, 7}, 8, 3}};
        std::vector<float> results, expected;
        for (const auto& [m, pitch, shift] : cases) {
          auto                  in = example::Array<float>::random(std::size_t(m.rows * pitch + shift));
          example::Array<float> out(std::size_t(m.rows * m.columns));
          twice_on_this_device(in.device + shift, pitch, out.device, m);
          out.download();
          results.insert(results.end(), out.host.begin(), out.host.end());
          for (int r = 0; r < m.rows; ++r)
            for (int c = 0; c < m.columns; ++c) expected.push_back(2 * in.host[std::size_t(shift + r * pitch + c)]);
        }
        return example::verify("fallback", results, [&](std::size_t i) { return expected[i]; });
      },
      80);
}
