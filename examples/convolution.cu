// A convolution without an unfolded copy of its input: for each element of the filter the engine brings the pixels that it
// meets, with padding and stride, as a tile of 64 output pixels by the channels. Then it is a product of matrices.
#include <tma/device/im2col.hpp>
#include <tma/host/im2col.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int images = 2, height = 19, width = 27, channels = 16, outputs = 32;  // [n][h][w][c] in, [n][h][w][outputs] out
constexpr int filter = 3, padding = 1, stride = 2, taps = filter * filter;
constexpr int height_out = (height + 2 * padding - filter) / stride + 1,
              width_out  = (width + 2 * padding - filter) / stride + 1;
constexpr int pixels = images * height_out * width_out, threads = 256, each = 64 * outputs / threads;

using Column = tma::Tile<float, tma::Shape<64, channels>>;
using Filter = tma::Tile<float, tma::Shape<outputs, channels>>;
using Pipe   = tma::Pipeline<3, Column, Filter>;

__global__ void convolve(const __grid_constant__ tma::TmaDescriptor<const float, 4, tma::Im2col<Column>> in,
                         const __grid_constant__ tma::TmaDescriptor<const float, 2, Filter> weights, float* out) {
  Pipe      pipe(tma::shared<Pipe::Shared>());
  const int first = int(blockIdx.x) * 64, thread = int(threadIdx.x);
  float     sum[each] = {};
  // clang-format off
  // [program]
  const int n = first / (height_out * width_out), h = first / width_out % height_out, w = first % width_out;
  pipe.for_each(taps, [&](auto load, int tap) {
    load(in, {{n, h * stride - padding, w * stride - padding, 0}, {tap / filter, tap % filter}});
    load(weights, {tap * outputs, 0});
  }, [&](const Column& column, const Filter& weight, int) {
    for (int i = 0; i < each; ++i)
      for (int c = 0; c < channels; ++c) sum[i] = fmaf(column(thread / outputs * each + i, c), weight(thread % outputs, c), sum[i]);
  });
  // [end]
  // clang-format on
  for (int i = 0; i < each; ++i)
    if (const int pixel = first + thread / outputs * each + i; pixel < pixels)
      out[pixel * outputs + thread % outputs] = sum[i];
}

int main() {
  return example::main([] {
    auto                  a = example::Array<float>::random(images * height * width * channels);
    auto                  f = example::Array<float>::random(taps * outputs * channels);
    example::Array<float> b(pixels * outputs);

    constexpr int last = padding - (filter - 1);  // where the filter's first element stops, from the last pixel
    auto          in   = tma::make_descriptor<tma::Im2col<Column>>(
        tma::TensorView{static_cast<const float*>(a.device), {images, height, width, channels}},
        {.lower = {-padding, -padding}, .upper = {last, last}}, {.element_strides = {1, stride, stride, 1}});
    auto weights = tma::make_descriptor<Filter>(tma::TensorView{f.device, {taps * outputs, channels}});
    tma::launch(convolve, {.grid = (pixels + 63) / 64, .block = threads, .shared = tma::shared_bytes<Pipe::Shared>}, in,
                weights, b.device);

    b.download();
    return example::verify(
        "convolution", b.host,
        [&](std::size_t i) {
          const int o = int(i) % outputs, p = int(i) / outputs;
          double    sum = 0;
          for (int tap = 0; tap < taps; ++tap) {
            const int y = p / width_out % height_out * stride - padding + tap / filter;
            const int x = p % width_out * stride - padding + tap % filter;
            if (y < 0 || y >= height || x < 0 || x >= width) continue;
            for (int c = 0; c < channels; ++c)
              sum += double(a.host[((p / (height_out * width_out) * height + y) * width + x) * channels + c]) *
                     f.host[(tap * outputs + o) * channels + c];
          }
          return sum;
        },
        1e-4);
  });
}
