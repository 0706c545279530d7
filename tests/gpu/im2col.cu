// Copies of the pixels of a convolution, against the convolution's own arithmetic: padding, stride, dilation, odd sizes.
#include <tma/device/im2col.hpp>
#include <tma/host/im2col.hpp>

#include <cuda_fp16.h>

#include "transfer.hpp"

using tma::Shape;
using tma::Swizzle;
using tma::Tile;

namespace {

// A convolution of an [n][...][c] tensor, dimensions between n and c slowest first.
template <int Rank> struct Convolution {
  static constexpr int D = Rank - 2;

  int n, size[D], c;
  int filter[D], padding[D], stride[D], dilation[D];

  int lower(int d) const { return -padding[d]; }
  int upper(int d) const { return padding[d] - (filter[d] - 1) * dilation[d]; }
  int outputs(int d) const { return (size[d] + 2 * padding[d] - (filter[d] - 1) * dilation[d] - 1) / stride[d] + 1; }

  std::int64_t pixels() const {
    std::int64_t p = n;
    for (int d = 0; d < D; ++d) p *= outputs(d);
    return p;
  }
  int taps() const {
    int t = 1;
    for (int f : filter) t *= f;
    return t;
  }

  // The numbers of an output pixel, and of an element of the filter.
  void output(std::int64_t pixel, int& image, int (&o)[D]) const {
    for (int d = D - 1; d >= 0; --d) o[d] = int(pixel % outputs(d)), pixel /= outputs(d);
    image = int(pixel);
  }
  void tap(int t, int (&k)[D]) const {
    for (int d = D - 1; d >= 0; --d) k[d] = t % filter[d], t /= filter[d];
  }
};

// Where the copies of a column of output pixels begin.
template <int Rank> tma::Im2colCoord<Rank> place(const Convolution<Rank>& conv, std::int64_t pixel, int t, int channel) {
  constexpr int          D = Rank - 2;
  tma::Im2colCoord<Rank> at;
  int                    image, o[D], k[D];
  conv.output(pixel, image, o);
  conv.tap(t, k);
  at.first[0] = image;
  for (int d = 0; d < D; ++d) {
    at.first[d + 1] = conv.lower(d) + o[d] * conv.stride[d];
    at.offset[d]    = k[d] * conv.dilation[d];
  }
  at.first[Rank - 1] = channel;
  return at;
}

template <class T, int Rank> tma::TensorView<T, Rank> view(T* data, const Convolution<Rank>& conv) {
  tma::detail::Index64 extents[Rank];
  extents[0]        = conv.n;
  extents[Rank - 1] = conv.c;
  for (int d = 0; d < Rank - 2; ++d) extents[d + 1] = conv.size[d];
  return tma::TensorView<T, Rank>(data, extents);
}

template <int Rank> tma::Options options(const Convolution<Rank>& conv) {
  tma::Options o;
  o.element_strides[0] = o.element_strides[Rank - 1] = 1;
  for (int d = 0; d < Rank - 2; ++d) o.element_strides[d + 1] = conv.stride[d];
  return o;
}

// The elements of pixel `index` (n first), or null outside of the tensor.
template <int Rank, class T> T* pixel_of(std::vector<T>& data, const Convolution<Rank>& conv, const int* index) {
  std::int64_t offset = 0;
  for (int d = 0; d < Rank - 1; ++d) {
    const int extent = d == 0 ? conv.n : conv.size[d - 1];
    if (index[d] < 0 || index[d] >= extent) return nullptr;
    offset = offset * extent + index[d];
  }
  return data.data() + offset * conv.c;
}

// --- loads ---

template <class TileT, int Rank>
__global__ void
load_pixels(const __grid_constant__ tma::TmaDescriptor<const typename TileT::value_type, Rank, tma::Im2col<TileT>> from,
            const tma::Im2colCoord<Rank>* places, typename TileT::value_type* out) {
  struct Shared {
    TileT            tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
    issuer.prefetch(from, places[blockIdx.x]);
    issuer.load(from, places[blockIdx.x], tile, arrived);
  }
  arrived.wait();
  for (int i = block.rank(); i < TileT::size; i += block.size()) out[TileT::size * int(blockIdx.x) + i] = tile[i];
}

// All columns of output pixels, for every element of the filter and every block of channels.
template <class TileT, int Rank> void check(const Convolution<Rank>& conv) {
  using T              = typename TileT::value_type;
  constexpr int D      = Rank - 2;
  constexpr int pixels = TileT::rows, channels = TileT::row_elements;
  std::size_t   elements = std::size_t(conv.n) * conv.c;
  for (int s : conv.size) elements *= std::size_t(s);
  auto          data = gpu::random_values<T>(elements, elements);
  gpu::Array<T> tensor(data);

  tma::Im2colBox<Rank> box;
  for (int d = 0; d < D; ++d) box.lower[d] = conv.lower(d), box.upper[d] = conv.upper(d);
  const auto from =
      tma::make_descriptor<tma::Im2col<TileT>>(view(static_cast<const T*>(tensor.get()), conv), box, options(conv));

  struct Copy {
    std::int64_t pixel;
    int          tap, channel;
  };
  std::vector<Copy>                   copies;
  std::vector<tma::Im2colCoord<Rank>> places;
  for (int t = 0; t < conv.taps(); ++t)
    for (int c = 0; c < conv.c; c += channels)
      for (std::int64_t p = 0; p < conv.pixels(); p += pixels) {
        copies.push_back({p, t, c});
        places.push_back(place(conv, p, t, c));
      }
  gpu::Array<tma::Im2colCoord<Rank>> device_places(places);
  gpu::Array<T>                      out(copies.size() * TileT::size);
  out.fill(0xee);
  tma::launch(load_pixels<TileT, Rank>, {.grid = int(copies.size()), .block = 64}, from,
              static_cast<const tma::Im2colCoord<Rank>*>(device_places.get()), out.get());
  gpu::finish();
  const auto seen = out.download();

  std::vector<T> expected(seen.size());
  std::memset(static_cast<void*>(expected.data()), 0, expected.size() * sizeof(T));
  for (std::size_t i = 0; i < copies.size(); ++i)
    for (int row = 0; row < pixels; ++row) {
      int index[Rank - 1], o[D], k[D];
      conv.output(copies[i].pixel + row, index[0], o);
      conv.tap(copies[i].tap, k);
      for (int d = 0; d < D; ++d) index[d + 1] = o[d] * conv.stride[d] - conv.padding[d] + k[d] * conv.dilation[d];
      const T* pixel = pixel_of(data, conv, index);
      for (int x = 0; pixel && x < channels; ++x)
        if (copies[i].channel + x < conv.c)
          expected[i * TileT::size + std::size_t(row) * channels + x] = pixel[copies[i].channel + x];
    }
  REQUIRE(transfer::same_bits(seen, expected));
}

template <class T, int Pixels, int Channels, Swizzle Mode = Swizzle::none>
using Column = Tile<T, Shape<Pixels, Channels>, Mode>;

}  // namespace

TEST_CASE("rank 3") {
  check<Column<float, 16, 8>, 3>({2, {13}, 8, {3}, {1}, {1}, {1}});
  check<Column<float, 7, 8, Swizzle::bytes_32>, 3>({3, {19}, 12, {5}, {2}, {2}, {1}});
  check<Column<__half, 32, 16>, 3>({2, {31}, 24, {3}, {4}, {3}, {4}});
  check<Column<float, 5, 4>, 3>({1, {9}, 4, {9}, {0}, {1}, {1}});  // one output pixel
}

TEST_CASE("rank 4") {
  check<Column<float, 16, 8>, 4>({2, {5, 7}, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}});
  check<Column<__half, 64, 32, Swizzle::bytes_64>, 4>({2, {9, 11}, 64, {3, 5}, {1, 2}, {2, 1}, {1, 1}});
  check<Column<float, 13, 32, Swizzle::bytes_128>, 4>({3, {8, 6}, 40, {2, 3}, {0, 2}, {1, 2}, {3, 2}});
  check<Column<unsigned char, 40, 32, Swizzle::bytes_32>, 4>({2, {7, 5}, 48, {1, 1}, {0, 0}, {1, 1}, {1, 1}});
  check<Column<double, 24, 2>, 4>({2, {5, 9}, 6, {3, 3}, {2, 2}, {3, 2}, {2, 2}});
}

TEST_CASE("output rows shorter than the input's: columns of pixels wrap at the output's width") {
  check<Column<__half, 16, 64, Swizzle::bytes_128>, 4>({1, {6, 7}, 64, {3, 3}, {0, 0}, {1, 1}, {1, 1}});
  check<Column<float, 9, 16>, 4>({2, {6, 7}, 16, {5, 3}, {0, 0}, {1, 1}, {1, 1}});
}

TEST_CASE("output rows longer than the input's") {
  check<Column<float, 11, 16>, 4>({2, {3, 4}, 16, {1, 2}, {2, 3}, {1, 1}, {1, 1}});
}

TEST_CASE("rank 5") {
  check<Column<float, 16, 8>, 5>({2, {3, 4, 5}, 8, {2, 3, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  check<Column<__half, 33, 16, Swizzle::bytes_32>, 5>({2, {5, 3, 7}, 24, {3, 1, 3}, {1, 0, 2}, {2, 1, 3}, {1, 1, 2}});
}

TEST_CASE("the longest column") {
  check<Column<float, 1024, 8>, 4>({3, {17, 23}, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}});
  check<Column<float, 1, 8>, 3>({1, {6}, 8, {2}, {0}, {1}, {1}});
}

// --- stores and reductions: without offsets, in a bounding box that lies inside of the tensor ---

namespace {

template <class TileT, int Rank>
__global__ void
store_pixels(const __grid_constant__ tma::TmaDescriptor<typename TileT::value_type, Rank, tma::Im2col<TileT>> to,
             tma::Im2colCoord<Rank> at, const typename TileT::value_type* elements, bool add) {
  auto& tile  = tma::shared<TileT>();
  auto  block = tma::this_block();
  for (int i = block.rank(); i < TileT::size; i += block.size()) tile[i] = elements[i];
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) {
    if (add) issuer.template reduce<tma::Reduction::add>(to, at, ready).wait_visible();
    else issuer.store(to, at, ready).wait_visible();
  }
}

template <class TileT, int Rank>
void check_store(const Convolution<Rank>& conv, const tma::Im2colBox<Rank>& box, std::uint64_t seed) {
  using T                = typename TileT::value_type;
  constexpr int D        = Rank - 2;
  constexpr int channels = TileT::row_elements;
  std::size_t   elements = std::size_t(conv.n) * conv.c;
  for (int s : conv.size) elements *= std::size_t(s);
  auto          expected = gpu::random_values<T>(elements, seed);
  gpu::Array<T> tensor(expected), source(TileT::size);
  const auto    to = tma::make_descriptor<tma::Im2col<TileT>>(view(tensor.get(), conv), box, options(conv));

  int steps[D];
  for (int d = 0; d < D; ++d) steps[d] = (conv.size[d] + box.upper[d] - box.lower[d] + conv.stride[d] - 1) / conv.stride[d];
  gpu::Random random(seed);
  for (int n = 0; n < 12; ++n) {
    std::int64_t           first = random.below(conv.n);
    tma::Im2colCoord<Rank> at;
    at.first[0] = int(first);
    for (int d = 0; d < D; ++d) {
      const int step  = random.below(steps[d]);
      at.first[d + 1] = box.lower[d] + step * conv.stride[d];
      first           = first * steps[d] + step;
    }
    at.first[Rank - 1] = random.below(2) ? channels : 0;
    const auto tile    = gpu::random_values<T>(TileT::size, seed + 100 + n);
    const bool add     = n % 2;
    source.upload(tile);
    tma::launch(store_pixels<TileT, Rank>, {.grid = 1, .block = 64}, to, at, static_cast<const T*>(source.get()), add);
    gpu::finish();
    for (int row = 0; row < TileT::rows; ++row) {
      std::int64_t pixel = first + row;
      int          index[Rank - 1];
      for (int d = D - 1; d >= 0; --d) {
        index[d + 1] = box.lower[d] + int(pixel % steps[d]) * conv.stride[d];
        pixel /= steps[d];
      }
      index[0] = int(pixel);
      T* place = pixel_of(expected, conv, index);
      for (int x = 0; place && x < channels; ++x) {
        T& element = place[at.first[Rank - 1] + x];
        if (at.first[Rank - 1] + x < conv.c)
          element = add ? T(element + tile[row * channels + x]) : tile[row * channels + x];
      }
    }
    REQUIRE(transfer::same_bits(tensor.download(), expected));
  }
}

}  // namespace

TEST_CASE("stores and reductions through an im2col descriptor") {
  check_store<Column<unsigned, 7, 8>, 3>({2, {13}, 12, {1}, {0}, {1}, {1}}, {}, 1);
  check_store<Column<unsigned, 20, 8, Swizzle::bytes_32>, 4>({3, {5, 7}, 12, {1, 1}, {0, 0}, {1, 1}, {1, 1}}, {}, 2);
  check_store<Column<unsigned, 17, 16, Swizzle::bytes_64>, 4>({2, {8, 9}, 32, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
                                                              {{1, 2}, {-2, -1}}, 3);
  check_store<Column<int, 24, 8>, 5>({2, {3, 4, 5}, 16, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
                                     {{0, 1, 1}, {-1, 0, -1}}, 4);
}
