// One stage, four kinds of data: a tile by the engine, a buffer by the engine, rows that threads gather by an index list, and a
// value. The rows of a matrix, each scaled, plus a row of a table that its index names: out = in * scale + table[index].
#include <cuda_pipeline_primitives.h>

#include <tma/device/barrier_forms.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/static_tiles.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int rows = 32, columns = 64;

// clang-format off
// [program]
using Tile   = tma::Tile<float, tma::Shape<rows, columns>>;
using Scales = tma::Buffer<float, rows>;
struct Place { int row, count; };
using Pipe   = tma::Pipeline<4, Tile, Scales, tma::ByThreads<Tile>, tma::Meta<Place>>;

__global__ void add_rows(const __grid_constant__ tma::TmaDescriptor<const float, 2, Tile> in,
                         tma::AlignedPointer<const float> scales, const float* table, const int* index, float* out, int n) {
  tma::specialize(tma::shared<Pipe::Shared>(), tma::producer_warps<2>, [&](auto& producer) {  // all of their threads
    for (int tile : tma::StaticTiles((n + rows - 1) / rows))
      producer.next([&](auto& stage) {
        const Place place{tile * rows, min(rows, n - tile * rows)};
        stage.meta() = place;
        stage.load(in, {place.row, 0}, tma::slot<0>);  // issued by one of the threads, as the next
        stage.load(scales.chunk<rows>(tile));
        Tile& gathered = stage[tma::slot<2>];
        for (int i = producer.rank(); i < place.count * columns / 4; i += producer.size())
          __pipeline_memcpy_async(&gathered.vector<4>(i), table + index[place.row + i / (columns / 4)] * columns + i % (columns / 4) * 4, 16);
        stage.wait_also_for_cp_async();
      });
    producer.next([&](auto& stage) { stage.meta() = Place{}; });  // no more
  }, tma::consumer_warps<4>, [&](auto& consumer) {
    bool more = true;
    while (more)
      consumer.next([&](const Tile& tile, const Scales& scale, const Tile& gathered, const Place& place) {
        more = place.count > 0;
        for (int i = consumer.rank(); i < place.count * columns; i += consumer.size())
          out[place.row * columns + i] = fmaf(tile[i], scale[i / columns], gathered[i]);
      });
  });
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    const int n = 1003, entries = 77;
    const int padded = (n + rows - 1) / rows * rows;  // a copy of one dimension knows no bounds
    auto      a = example::Array<float>::random(n * columns), table = example::Array<float>::random(entries * columns);
    auto      scales = example::Array<float>::random(padded);
    example::Array<int>   index(n);
    example::Array<float> out(n * columns);
    for (int i = 0; i < n; ++i) index.host[i] = i * i % entries;
    index.upload();

    auto in = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(a.device), {n, columns}});
    tma::launch(add_rows, {.grid = 10, .block = 6 * 32, .shared = tma::shared_bytes<Pipe::Shared>}, in,
                tma::aligned(static_cast<const float*>(scales.device)), table.device, index.device, out.device, n);

    out.download();
    return example::verify("mixed_stage", out.host, [&](std::size_t i) {
      const int row = int(i) / columns, column = int(i) % columns;
      return std::fma(a.host[i], scales.host[row], table.host[index.host[row] * columns + column]);
    });
  });
}
