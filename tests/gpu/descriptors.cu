// Descriptors made on a real device: views, options, sizes, and what is refused.
#include <cmath>

#include "transfer.hpp"

using tma::Shape;
using tma::Tile;

TEST_CASE("a view of a view: strides and offset of a fused buffer") {
  // [L][4 slices][128], of which each slice is a tensor of its own.
  using Slice                     = Tile<unsigned short, Shape<8, 2, 64>>;
  constexpr int              L    = 20;
  const auto                 data = gpu::random_values<unsigned short>(L * 2048, 3);
  gpu::Array<unsigned short> fused(data), out(Slice::size);
  for (int slice = 0; slice < 4; ++slice) {
    const reference::Tensor<3> t{{L, 4, 128}, {2048, 512, 1}};
    const auto                 from =
        tma::make_descriptor<Slice>(transfer::view_of(static_cast<const unsigned short*>(fused.get() + slice * 128), t));
    const std::vector<unsigned short> tail(data.begin() + slice * 128, data.end());
    for (tma::Coord<3> at : {tma::Coord<3>{0, 0, 0}, tma::Coord<3>{16, 1, 64}, tma::Coord<3>{-3, 3, 8}}) {
      tma::launch(transfer::load_tile<Slice>, {.grid = 1, .block = 64}, from, at, out.get());
      gpu::finish();
      REQUIRE(transfer::same_bits(out.download(), reference::load<Slice>(tail, t, at)));
    }
  }
}

TEST_CASE("extremes of coordinates fill the tile") {
  using T                = Tile<float, Shape<8, 16>>;
  const auto        data = gpu::random_values<float>(64 * 64, 1);
  gpu::Array<float> in(data), out(T::size);
  const auto        from = tma::make_descriptor<T>(tma::TensorView{static_cast<const float*>(in.get()), {64, 64}});
  for (tma::Coord<2> at : {tma::Coord<2>{-3, 0},
                           {0, -16},
                           {0, 64},
                           {1000, 0},
                           {-1000, 4},
                           {60, 56},
                           {0, int(0x80000000)},
                           {int(0x7fffffff), 0},
                           {int(0x80000000), 0},
                           {0, 0x7ffffff0}}) {
    out.fill(0xee);
    tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 32}, from, at, out.get());
    gpu::finish();
    INFO(at[0] << ", " << at[1]);
    REQUIRE(transfer::same_bits(out.download(), reference::load<T>(data, reference::Tensor<2>{{64, 64}, {64, 1}}, at)));
  }
}

TEST_CASE("a box larger than the tensor loads what there is and stores what fits") {
  using T = Tile<unsigned short, Shape<16, 64>>;
  for (int columns : {64, 8}) {
    const reference::Tensor<2> t{{5, columns}, {64, 1}};
    auto                       data = gpu::random_values<unsigned short>(16 * 64, 9);
    gpu::Array<unsigned short> tensor(data), out(T::size);
    const auto                 both = tma::make_descriptor<T>(transfer::view_of(tensor.get(), t));
    tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, both, tma::Coord<2>{0, 0}, out.get());
    gpu::finish();
    REQUIRE(transfer::same_bits(out.download(), reference::load<T>(data, t, {0, 0})));
    const auto tile = gpu::random_values<unsigned short>(T::size, 10);
    out.upload(tile);
    tma::launch(transfer::store_tile<T>, {.grid = 1, .block = 64}, both, tma::Coord<2>{0, 0}, out.get());
    gpu::finish();
    reference::store<T>(data, t, {0, 0}, tile);
    REQUIRE(transfer::same_bits(tensor.download(), data));
  }
}

TEST_CASE("a load-only view may end inside a 16-byte piece; its tail reads as zero") {
  using T = Tile<unsigned char, Shape<8, 128>>;
  const reference::Tensor<2> t{{32, 466}, {512, 1}};
  const auto                 data = gpu::random_values<unsigned char>(32 * 512, 2);
  gpu::Array<unsigned char>  in(data), out(T::size);
  const auto from = tma::make_descriptor<T>(transfer::view_of(static_cast<const unsigned char*>(in.get()), t));
  tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, from, tma::Coord<2>{3, 384}, out.get());
  gpu::finish();
  CHECK(transfer::same_bits(out.download(), reference::load<T>(data, t, {3, 384})));
  CHECK(tma::check<T>(transfer::view_of(in.get(), t)).has("M4"));
}

TEST_CASE("element strides bring every n-th element; the tile keeps its shape") {
  using T = Tile<unsigned short, Shape<4, 3, 64>>;
  const reference::Tensor<3> t{{30, 20, 64}, {20 * 64, 64, 1}};
  const auto                 data = gpu::random_values<unsigned short>(t.span(), 4);
  gpu::Array<unsigned short> in(data), out(T::size);
  for (int a : {1, 2, 3, 8})
    for (int b : {1, 2, 5}) {
      const int  strides[] = {a, b, 1};
      const auto from      = tma::make_descriptor<T>(transfer::view_of(static_cast<const unsigned short*>(in.get()), t),
                                                     {.element_strides = {a, b, 1}});
      for (tma::Coord<3> at : {tma::Coord<3>{0, 0, 0}, tma::Coord<3>{-4, 3, 8}, tma::Coord<3>{20, 15, 0}}) {
        tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, from, at, out.get());
        gpu::finish();
        INFO("strides " << a << ", " << b << " at " << at[0]);
        REQUIRE(transfer::same_bits(out.download(), reference::load<T>(data, t, at, strides)));
      }
    }
}

TEST_CASE("broadcast and overlapping strides load") {
  using T                = Tile<float, Shape<8, 64>>;
  const auto        data = gpu::random_values<float>(4096, 4);
  gpu::Array<float> in(data), out(T::size);
  for (std::int64_t pitch : {0, 16}) {
    const reference::Tensor<2> t{{8, 64}, {pitch, 1}};
    const auto                 from = tma::make_descriptor<T>(transfer::view_of(static_cast<const float*>(in.get()), t));
    tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, from, tma::Coord<2>{0, 0}, out.get());
    gpu::finish();
    REQUIRE(transfer::same_bits(out.download(), reference::load<T>(data, t, {0, 0})));
  }
  CHECK(tma::check<T>(tma::TensorView{in.get(), {8, 64}, {0, 1}}).has("M5"));
}

TEST_CASE("strides of extents of 1 may be anything") {
  using T                         = Tile<unsigned short, Shape<1, 1, 64>>;
  const auto                 data = gpu::random_values<unsigned short>(4096, 4);
  gpu::Array<unsigned short> in(data), out(T::size);
  for (int odd : {1, 7, 65, 12345}) {
    const auto from =
        tma::make_descriptor<T>(tma::TensorView{static_cast<const unsigned short*>(in.get()), {32, 1, 128}, {128, odd, 1}});
    tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, from, tma::Coord<3>{3, 0, 8}, out.get());
    gpu::finish();
    const auto h = out.download();
    for (int i = 0; i < 64; ++i) REQUIRE(h[i] == data[3 * 128 + 8 + i]);
    const auto first =
        tma::make_descriptor<T>(tma::TensorView{static_cast<const unsigned short*>(in.get()), {1, 32, 128}, {odd, 128, 1}});
    tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, first, tma::Coord<3>{0, 5, 0}, out.get());
    gpu::finish();
    const auto g = out.download();
    for (int i = 0; i < 64; ++i) REQUIRE(g[i] == data[5 * 128 + i]);
  }
}

TEST_CASE("NaN fill marks what lies outside") {
  using T                = Tile<float, Shape<8, 64>>;
  const auto        data = gpu::random_values<float>(5 * 64, 4);
  gpu::Array<float> in(data), out(T::size);
  const auto        from = tma::make_descriptor<T>(tma::TensorView{static_cast<const float*>(in.get()), {5, 60}, {64, 1}},
                                                   {.fill = tma::Fill::nan});
  tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, from, tma::Coord<2>{0, 0}, out.get());
  gpu::finish();
  const auto h = out.download();
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 64; ++c) {
      if (r < 5 && c < 60) REQUIRE(h[r * 64 + c] == data[r * 64 + c]);
      else REQUIRE(std::isnan(h[r * 64 + c]));
    }
}

TEST_CASE("every promotion and a row of every width load the same bytes") {
  using T                = Tile<float, Shape<8, 64>>;
  const auto        data = gpu::random_values<float>(64 * 128, 4);
  gpu::Array<float> in(data), out(T::size);
  for (int p = 0; p < 4; ++p) {
    const auto from = tma::make_descriptor<T>(tma::TensorView{static_cast<const float*>(in.get()), {64, 128}},
                                              {.promotion = tma::Promotion(p)});
    tma::launch(transfer::load_tile<T>, {.grid = 1, .block = 64}, from, tma::Coord<2>{9, 32}, out.get());
    gpu::finish();
    REQUIRE(
        transfer::same_bits(out.download(), reference::load<T>(data, reference::Tensor<2>{{64, 128}, {128, 1}}, {9, 32})));
  }
}

TEST_CASE("interleaved maps of rank 3 to 5 are made") {
  gpu::Array<unsigned short> in(std::size_t(1) << 16);
  using T3 = Tile<unsigned short, Shape<4, 8, 8>>;
  using T5 = Tile<unsigned short, Shape<1, 8, 2, 2, 8>>;
  using S3 = Tile<unsigned short, Shape<4, 16, 16>, tma::Swizzle::bytes_32>;
  CHECK(tma::try_make_descriptor<T3>(tma::TensorView{in.get(), {16, 16, 8}}, {.interleave = tma::Interleave::bytes_16}));
  CHECK(
      tma::try_make_descriptor<T5>(tma::TensorView{in.get(), {2, 2, 16, 16, 8}}, {.interleave = tma::Interleave::bytes_16}));
  CHECK(tma::try_make_descriptor<S3>(tma::TensorView{in.get(), {16, 16, 16}}, {.interleave = tma::Interleave::bytes_32}));
}

namespace {

using Room = Tile<float, Shape<32, 32>>;
// Of another rank than the tensor: room for boxes of any row.
using AnyRoom = Tile<float, Shape<1, 4, 256>>;

__global__ void load_runtime_box(const __grid_constant__ tma::TmaDescriptor<const float, 2> from, tma::Coord<2> at,
                                 float* out) {
  struct Shared {
    AnyRoom          tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, at, tile, arrived);
  arrived.wait();
  for (int i = block.rank(); i < from.payload_bytes() / 4; i += block.size()) out[i] = tile[i];
}

}  // namespace

TEST_CASE("a box known at run time arms the barrier with its own bytes") {
  const auto        data = gpu::random_values<float>(64 * 64, 4);
  gpu::Array<float> in(data), out(1024);
  for (int rows : {1, 5, 32})
    for (int columns : {4, 20, 32}) {
      const auto from =
          tma::make_descriptor(tma::TensorView{static_cast<const float*>(in.get()), {64, 64}}, {rows, columns});
      CHECK(from.payload_bytes() == rows * columns * 4);
      tma::launch(load_runtime_box, {.grid = 1, .block = 64}, from, tma::Coord<2>{3, 8}, out.get());
      gpu::finish();
      const auto h = out.download();
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) REQUIRE(h[r * columns + c] == data[(3 + r) * 64 + 8 + c]);
    }
}

TEST_CASE("on capability 9 the map is the driver's, bit for bit") {
  tma::Driver driver;
  REQUIRE(!tma::system_driver(driver));
  if (driver.compute_capability >= 100) return;
  gpu::Array<float>            in(4096);
  const auto                   made = tma::make_descriptor<Room>(tma::TensorView{in.get(), {32, 40}, {64, 1}});
  alignas(64) tma::detail::u64 map[16];
  const tma::detail::u64       extents[] = {40, 32}, strides[] = {256};
  const unsigned               box[] = {32, 32}, ones[] = {1, 1};
  REQUIRE(driver.encode_tiled(map, 7, 2, in.get(), extents, strides, box, ones, 0, 0, 0, 0) == 0);
  CHECK(std::memcmp(map, tma::tensor_map(made), 128) == 0);
}

namespace {

__global__ void arguments(const __grid_constant__ tma::TmaDescriptor<const float, 2, Room> a, int tag,
                          const __grid_constant__ tma::TmaDescriptor<const float, 2, Room> b, double x, float* out) {
  struct Shared {
    Room             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(a, {0, 0}, tile, arrived);
  arrived.wait();
  if (block.rank() == 0) out[0] = tile[0], out[2] = float(tag), out[3] = float(x);
  block.release(tile);
  if (auto issuer = block.elect()) issuer.load(b, {0, 0}, tile, arrived);
  arrived.wait();
  if (block.rank() == 0) out[1] = tile[0];
}

__global__ void needs_shared(int* out) {
  int* const words         = reinterpret_cast<int*>(tma::ptx::dynamic_shared());
  words[threadIdx.x * 400] = int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x * 400] + int(gridDim.x);
}

}  // namespace

TEST_CASE("launch passes descriptors among other arguments, converted to the parameters' types") {
  gpu::Array<float> one(std::vector<float>(1024, 1.5f)), two(std::vector<float>(1024, 2.5f)), out(4);
  const auto        a = tma::make_descriptor<Room>(tma::TensorView{one.get(), {32, 32}});
  const auto        b = tma::make_descriptor<Room>(tma::TensorView{two.get(), {32, 32}});
  tma::launch(arguments, {.grid = 1, .block = 32}, a, short(0x5a), b, 7, out.get());
  gpu::finish();
  CHECK(out.download() == std::vector<float>{1.5f, 2.5f, 90.f, 7.f});
}

TEST_CASE("launch opts in to shared memory, and refuses what cannot be") {
  gpu::Array<int> out(128);
  tma::launch(needs_shared, {.grid = 1, .block = 128, .shared = 128 * 1600}, out.get());
  gpu::finish();
  CHECK(out.download()[127] == 128);
  const tma::Error too_much = tma::try_launch(needs_shared, {.grid = 1, .block = 128, .shared = 400 * 1024}, out.get());
  CHECK(too_much.report().has("L4"));
  CHECK(tma::try_launch(needs_shared, {.grid = 5, .block = 32, .cluster = 2}, out.get()).report().has("L3"));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("an error that somebody left unread is neither taken for a failed context nor cleared") {
  gpu::Array<float> in(1024);
  CHECK(cudaMalloc(static_cast<void**>(nullptr), 1) != cudaSuccess);
  CHECK(tma::try_make_descriptor<Room>(tma::TensorView{in.get(), {32, 32}}));
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}
