// A batch of sequences of any length, none included, one behind the other in one tensor: the sum of each. Blocks stay, and each
// takes every so many-th sequence. Its producer walks over sequences and pieces of 32 rows, loads half a stage where a tail
// needs no more and nothing where a sequence is empty, and hands the rest on as a value: how many rows are the sequence's own.
#include <tma/pipeline/static_tiles.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int columns = 256, half = 16;

using Half = tma::Tile<float, tma::Shape<half, columns>>;
using In   = tma::TmaDescriptor<const float, 2, Half>;

// clang-format off
// [program]
struct Piece { int sequence, rows; bool last; };
using Pipe = tma::Pipeline<5, Half, Half, tma::Meta<Piece>>;

__global__ void sums(const __grid_constant__ In in, const int* first_row, int sequences, float* out) {
  tma::specialize(tma::shared<Pipe::Shared>(), tma::producer_warp<0>, [&](auto& producer) {
    for (int sequence : tma::StaticTiles(sequences)) {
      int       row = first_row[sequence];
      const int end = first_row[sequence + 1];
      do {  // an empty sequence has a stage as well, without a load: full at once
        producer.next([&](auto& stage) {
          const int rows = min(end - row, 2 * half);
          stage.meta()   = Piece{sequence, rows, end - row <= 2 * half};
          if (rows > 0) stage.load(in, {row, 0}, tma::slot<0>);
          if (rows > half) stage.load(in, {row + half, 0}, tma::slot<1>);
        });
        row += 2 * half;
      } while (row < end);
    }
    producer.next([&](auto& stage) { stage.meta() = Piece{-1, 0, false}; });
  }, tma::consumer_warps<columns / 4 / 32>, [&](auto& consumer) {
    tma::Vec<float, 4> sum = {};  // of this thread's four columns
    bool more = true;
    while (more)
      consumer.next([&](const Half& upper, const Half& lower, const Piece& piece) {
        more = piece.sequence >= 0;
        for (int r = 0; r < piece.rows; ++r) {  // the rows after these are the next sequence's
          const auto v = (r < half ? upper : lower).vector<4>(r % half * (columns / 4) + consumer.rank());
          for (int i = 0; i < 4; ++i) sum[i] += v[i];
        }
        if (piece.last) {
          for (int i = 0; i < 4; ++i) out[piece.sequence * columns + consumer.rank() * 4 + i] = sum[i];
          sum = {};
        }
      });
  });
}
// [end]
// clang-format on

int main() {
  return example::main([] {
    const int           lengths[] = {0, 1, 65, 32, 16, 17, 0, 33, 500, 31, 64, 2, 0, 15, 129, 48, 7};
    const int           sequences = 10 * int(std::size(lengths));
    example::Array<int> first_row(std::size_t(sequences) + 1);
    for (int i = 0; i < sequences; ++i) first_row.host[i + 1] = first_row.host[i] + lengths[i % std::size(lengths)];
    first_row.upload();
    const int             rows = first_row.host[sequences];
    auto                  data = example::Array<float>::random(std::size_t(rows) * columns);
    example::Array<float> out(std::size_t(sequences) * columns);

    auto in = tma::make_descriptor<Half>(tma::TensorView{static_cast<const float*>(data.device), {rows, columns}});
    tma::launch(sums, {.grid = 24, .block = 3 * 32, .shared = tma::shared_bytes<Pipe::Shared>}, in, first_row.device,
                sequences, out.device);

    out.download();
    return example::verify(
        "ragged_batch", out.host,
        [&](std::size_t i) {
          double sum = 0;
          for (int r = first_row.host[i / columns]; r < first_row.host[i / columns + 1]; ++r)
            sum += data.host[std::size_t(r) * columns + i % columns];
          return sum;
        },
        1e-4);
  });
}
