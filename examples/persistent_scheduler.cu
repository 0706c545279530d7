// Blocks that stay: one for each SM, which take sequence after sequence through one ring that never drains. The work is
// uneven: the mean of each column over sequences of 1 to 400 rows. A block's next sequence is found by a stride, or taken
// from a counter by whoever is done first.
#include <tma/pipeline/atomic_tiles.hpp>
#include <tma/pipeline/static_tiles.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

using Tile = tma::Tile<float, tma::Shape<8, 128>>;
using In   = tma::TmaDescriptor<const float, 2, Tile>;

// What each stage says of itself: whose rows it has, how many, and whether they are the last. Zeros: no more.
struct Part {
  tma::TileOrEnd sequence;
  int            rows;
  bool           last;
};
using Pipe = tma::Pipeline<6, Tile, tma::Meta<Part>>;

// clang-format off
// [program]
template <class Tiles> __device__ void mean_of_each(Tiles tiles, const In& in, const int* first_row, float* means) {
  tma::specialize(tma::shared<Pipe::Shared>(), tma::producer_warp<0>, [&](auto& producer) {
    while (auto sequence = tiles.next()) {
      const int end = first_row[sequence.index() + 1];
      for (int row = first_row[sequence.index()]; row < end; row += 8)
        producer.next([&](auto& stage) {
          stage.meta() = Part{sequence, min(8, end - row), row + 8 >= end};
          stage.load(in, {row, 0});
        });
    }
    producer.next([&](auto& stage) { stage.meta() = Part{}; });
  }, tma::consumer_warps<4>, [&](auto& consumer) {
    float sum  = 0;
    int   rows = 0;
    bool more = true;
    while (more)
      consumer.next([&](const Tile& tile, const Part& part) {
        more = bool(part.sequence);
        for (int r = 0; r < part.rows; ++r) sum += tile(r, consumer.rank());
        rows += part.rows;
        if (part.last) {
          means[part.sequence.index() * 128 + consumer.rank()] = sum / float(rows);
          sum = 0, rows = 0;
        }
      });
  });
}

__global__ void by_stride(const __grid_constant__ In in, const int* first_row, int sequences, float* means) {
  mean_of_each(tma::StaticTiles(sequences), in, first_row, means);
}
__global__ void by_demand(const __grid_constant__ In in, const int* first_row, int sequences, unsigned* counter,
                          float* means) {
  mean_of_each(tma::AtomicTiles(sequences, counter), in, first_row, means);
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    const int           sequences = 500;
    example::Array<int> first_row(sequences + 1);
    for (int i = 0; i < sequences; ++i) {  // every 37th is long
      const int rows        = i % 37 == 5 ? 400 : 1 + i * 7 % 23;
      first_row.host[i + 1] = first_row.host[i] + rows;
    }
    first_row.upload();
    const int                rows = first_row.host[sequences];
    auto                     data = example::Array<float>::random(std::size_t(rows) * 128);
    example::Array<float>    means(2 * sequences * 128);  // of both kernels
    example::Array<unsigned> counter(1);
    counter.upload();  // 0, as every launch leaves it

    int sms = 0;
    example::require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    auto       in     = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(data.device), {rows, 128}});
    const auto launch = tma::LaunchConfig{.grid = sms, .block = 5 * 32, .shared = tma::shared_bytes<Pipe::Shared>};
    tma::launch(by_stride, launch, in, first_row.device, sequences, means.device);
    for (int repeat = 0; repeat < 3; ++repeat)
      tma::launch(by_demand, launch, in, first_row.device, sequences, counter.device, means.device + sequences * 128);

    means.download();
    return example::verify(
        "persistent_scheduler", means.host,
        [&](std::size_t i) {
          const int sequence = int(i / 128) % sequences, first = first_row.host[sequence],
                    end = first_row.host[sequence + 1];
          double    sum = 0;
          for (int r = first; r < end; ++r) sum += data.host[std::size_t(r) * 128 + i % 128];
          return sum / (end - first);
        },
        1e-5);
  });
}
