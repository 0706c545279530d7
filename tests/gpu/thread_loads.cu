// Loads by threads: the bytes that the engine's load leaves, for every rank, swizzle and element size, wherever the tile lies; and
// of tensors that the engine refuses the bytes that the host expects.
#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/thread_loads.hpp>

#include "transfer.hpp"

using tma::Shape;
using tma::Swizzle;
using tma::Tile;

namespace {

constexpr unsigned char untouched = 0xa5;

template <class TileT> using Element    = typename TileT::value_type;
template <class TileT> using ThreadView = tma::ThreadDescriptor<const Element<TileT>, TileT::rank, TileT>;

// Every byte of shared memory that the tile occupies, padding as well.
template <class TileT> __device__ void show(const TileT& tile, unsigned char* bytes, int rank, int threads) {
  const auto* from = static_cast<const unsigned char*>(tile.storage());
  for (int i = rank; i < TileT::footprint_bytes; i += threads) bytes[i] = from[i];
}

template <class TileT> __device__ void mark(TileT& tile, int rank, int threads) {
  auto* to = static_cast<unsigned char*>(tile.storage());
  for (int i = rank; i < TileT::footprint_bytes; i += threads) to[i] = untouched;
}

// A load by all threads of the block, which the barrier completes.
template <class TileT> __global__ void by_threads(ThreadView<TileT> from, tma::Coord<TileT::rank> at, unsigned char* bytes) {
  struct Shared {
    TileT            tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  mark(tile, block.rank(), block.size());
  block.sync();
  tma::detail::ThreadLoad<Element<TileT>>::tile(tma::detail::u32(block.rank()), tma::detail::u32(block.size()), from, at,
                                                tile);
  // Each thread's copies are awaited beside the one arrival that the barrier expects; what threads wrote plainly is ordered by
  // their meeting before it.
  tma::ptx::cp_async_mbarrier_arrive(tma::detail::BarrierAccess::address(barrier));
  block.sync();
  if (block.rank() == 0) tma::ptx::mbarrier_arrive(tma::detail::BarrierAccess::address(barrier));
  arrived.wait();
  show(tile, bytes, block.rank(), block.size());
}

template <class TileT>
__global__ void by_engine(const __grid_constant__ transfer::ConstDescriptor<TileT> from, tma::Coord<TileT::rank> at,
                          unsigned char* bytes) {
  struct Shared {
    TileT            tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  mark(tile, block.rank(), block.size());
  block.release(tile);
  if (auto issuer = block.elect()) issuer.load(from, at, tile, arrived);
  arrived.wait();
  show(tile, bytes, block.rank(), block.size());
}

// The footprint that a load of `elements`, in C order, leaves.
template <class TileT> std::vector<unsigned char> footprint(const std::vector<Element<TileT>>& elements) {
  std::vector<unsigned char> bytes(TileT::footprint_bytes, untouched);
  for (int i = 0; i < TileT::size; ++i) {
    Element<TileT> x = elements[std::size_t(i)];
    if constexpr (std::is_same_v<Element<TileT>, tma::tf32>) {
      std::uint32_t bits;
      std::memcpy(&bits, &x, 4);
      bits = tma::round_to_tf32(bits);
      std::memcpy(static_cast<void*>(&x), &bits, 4);
    }
    // A swizzle that flips halves moves elements alone, like any other.
    std::memcpy(bytes.data() + TileT::offset_at(i), &x, sizeof x);
  }
  return bytes;
}

struct How {
  std::int64_t base  = 0;  // elements from a multiple of 16 bytes to the tensor
  std::int64_t pitch = 0;  // elements that a row has more than a whole number of 16-byte pieces
  int          inner = 0;  // what the innermost coordinate is shifted by
};

// A tensor somewhat larger than the tile, or smaller where `small`.
template <class TileT> reference::Tensor<TileT::rank> tensor_of(gpu::Random& random, const How& how, bool small) {
  constexpr int        R = TileT::rank;
  reference::Tensor<R> t;
  std::int64_t         stride = 1;
  for (int d = R - 1; d >= 0; --d) {
    const int e = TileT::shape::extents[d];
    t.extent[d] = small ? 1 + random.below(e) : e + 1 + random.below(e + 2);
    t.stride[d] = stride;
    stride *= t.extent[d];
    if (d == R - 1) {
      constexpr int piece = 16 / int(sizeof(Element<TileT>));
      stride              = (stride + piece - 1) / piece * piece + how.pitch;
    }
  }
  return t;
}

template <class TileT>
tma::Coord<TileT::rank> place_in(gpu::Random& random, const reference::Tensor<TileT::rank>& t, int piece, int shift) {
  constexpr int           R = TileT::rank;
  tma::Coord<TileT::rank> at;
  for (int d = 0; d < R; ++d) {
    const int e = TileT::shape::extents[d];
    int       x = random.below(int(t.extent[d]) + 2 * e) - e - e / 2;
    if (d == R - 1) x = (x >= 0 ? x / piece : -(-x / piece)) * piece + shift;
    at[d] = x;
  }
  return at;
}

template <class TileT>
tma::TensorView<const Element<TileT>, TileT::rank> view_at(const Element<TileT>*                 data,
                                                           const reference::Tensor<TileT::rank>& t) {
  return transfer::view_of(data, t);
}

// Loads of tensors of one kind, by threads, and by the engine where it takes them.
template <class TileT> void check(std::uint64_t seed, const How& how = {}, int threads = 128, int positions = 8) {
  using T             = Element<TileT>;
  constexpr int piece = 16 / int(sizeof(T));
  gpu::Random   random(seed);
  for (const bool small : {false, true}) {
    const auto t = tensor_of<TileT>(random, how, small);
    // The tensor ends where its memory does, and something else lies around it: a load that takes one element more is seen.
    const auto           data = gpu::random_values<T>(std::size_t(how.base) + t.span(), seed);
    gpu::Array<T>        memory(data);
    const T*             base = memory.get() + how.base;
    const std::vector<T> tensor(data.begin() + how.base, data.end());
    const auto           view = view_at<TileT>(base, t);
    const auto           from = tma::make_thread_descriptor<TileT>(view);
    if (how.base == 0 && how.pitch == 0 && TileT::swizzle <= Swizzle::bytes_128) REQUIRE(tma::can_load<TileT>(view));
    gpu::Array<unsigned char> out(TileT::footprint_bytes);
    for (int n = 0; n < positions; ++n) {
      const auto at = n == 0 ? tma::Coord<TileT::rank>() : place_in<TileT>(random, t, piece, how.inner);
      INFO("seed " << seed << ", base +" << how.base << ", pitch +" << how.pitch << ", position " << n << ", innermost "
                   << at[TileT::rank - 1]);
      out.fill(0xee);
      tma::launch(by_threads<TileT>, {.grid = 1, .block = threads}, from, at, out.get());
      gpu::finish();
      const auto threads_left = out.download();
      REQUIRE(threads_left == footprint<TileT>(reference::load<TileT>(tensor, t, at)));
      if (at[TileT::rank - 1] % piece != 0 || !tma::can_load<TileT>(view)) continue;
      out.fill(0xee);
      tma::launch(by_engine<TileT>, {.grid = 1, .block = threads}, tma::make_descriptor<TileT>(view), at, out.get());
      gpu::finish();
      REQUIRE(out.download() == threads_left);
    }
  }
}

}  // namespace

TEST_CASE("threads leave what the engine leaves: every rank") {
  check<Tile<float, Shape<4>>>(1);
  check<Tile<float, Shape<256>>>(2);
  check<Tile<float, Shape<32>, Swizzle::bytes_128>>(3);
  check<Tile<float, Shape<32, 32>>>(4);
  check<Tile<float, Shape<33, 20>>>(5);
  check<Tile<float, Shape<1, 256>>>(6);
  check<Tile<float, Shape<3, 5, 12>>>(7);
  check<Tile<float, Shape<4, 6, 32>, Swizzle::bytes_128>>(8);
  check<Tile<float, Shape<2, 3, 4, 8>>>(9);
  check<Tile<float, Shape<2, 3, 4, 16>, Swizzle::bytes_64>>(10);
  check<Tile<float, Shape<2, 1, 3, 2, 8>>>(11);
  check<Tile<float, Shape<2, 1, 3, 2, 32>, Swizzle::bytes_128>>(12);
}

TEST_CASE("threads leave what the engine leaves: every swizzle, and rows narrower than it") {
  check<Tile<float, Shape<17, 8>, Swizzle::bytes_32>>(1);
  check<Tile<float, Shape<17, 16>, Swizzle::bytes_64>>(2);
  check<Tile<float, Shape<64, 32>, Swizzle::bytes_128>>(3);
  check<Tile<float, Shape<9, 4>, Swizzle::bytes_32>>(4);
  check<Tile<float, Shape<9, 12>, Swizzle::bytes_64>>(5);
  check<Tile<float, Shape<9, 24>, Swizzle::bytes_128>>(6);
  check<Tile<float, Shape<9, 4>, Swizzle::bytes_128>>(7);
  // The engine has these from capability 10 on.
  check<Tile<float, Shape<16, 32>, Swizzle::bytes_128_atom_32>>(8);
  check<Tile<float, Shape<16, 32>, Swizzle::bytes_128_atom_32_flip_8>>(9);
  check<Tile<float, Shape<16, 32>, Swizzle::bytes_128_atom_64>>(10);
  check<Tile<short, Shape<16, 40>, Swizzle::bytes_128_atom_32_flip_8>>(11, {.inner = 1});
}

TEST_CASE("threads leave what the engine leaves: elements of 1, 2, 4 and 8 bytes") {
  check<Tile<unsigned char, Shape<9, 48>>>(1);
  check<Tile<unsigned char, Shape<9, 64>, Swizzle::bytes_64>>(2);
  check<Tile<short, Shape<9, 24>>>(3);
  check<Tile<short, Shape<9, 64>, Swizzle::bytes_128>>(4);
  check<Tile<double, Shape<9, 6>>>(5);
  check<Tile<double, Shape<9, 16>, Swizzle::bytes_128>>(6);
  check<Tile<tma::tf32, Shape<9, 20>>>(7);
  check<Tile<tma::tf32, Shape<9, 32>, Swizzle::bytes_128>>(8);
}

TEST_CASE("bases and pitches that are no multiple of 16 bytes") {
  for (int n = 1; n < 4; ++n) {
    check<Tile<float, Shape<9, 20>>>(std::uint64_t(10 + n), {.base = n});
    check<Tile<float, Shape<9, 20>>>(std::uint64_t(20 + n), {.pitch = n});
    check<Tile<float, Shape<16, 32>, Swizzle::bytes_128>>(std::uint64_t(30 + n), {.base = n, .pitch = 4 - n});
  }
  for (int n = 1; n < 8; ++n) {
    check<Tile<short, Shape<9, 24>>>(std::uint64_t(40 + n), {.base = n});
    check<Tile<short, Shape<3, 5, 64>, Swizzle::bytes_128>>(std::uint64_t(50 + n), {.pitch = n});
  }
  for (int n = 1; n < 16; n += 2) {
    check<Tile<unsigned char, Shape<9, 48>>>(std::uint64_t(60 + n), {.base = n});
    check<Tile<unsigned char, Shape<16, 128>, Swizzle::bytes_128>>(std::uint64_t(80 + n), {.pitch = n + 1});
  }
  check<Tile<double, Shape<9, 6>>>(90, {.base = 1});
  check<Tile<double, Shape<2, 3, 2, 3, 16>, Swizzle::bytes_128>>(91, {.pitch = 1});
  check<Tile<tma::tf32, Shape<9, 20>>>(92, {.base = 3, .pitch = 1});
}

TEST_CASE("innermost coordinates that are no multiple of 16 bytes") {
  for (int n = 1; n < 4; ++n) check<Tile<float, Shape<9, 32>, Swizzle::bytes_128>>(std::uint64_t(n), {.inner = n});
  for (int n = 1; n < 8; ++n) check<Tile<short, Shape<2, 5, 24>>>(std::uint64_t(10 + n), {.inner = n});
  for (int n = 1; n < 16; n += 3)
    check<Tile<unsigned char, Shape<9, 32>, Swizzle::bytes_32>>(std::uint64_t(20 + n), {.inner = n});
  check<Tile<double, Shape<9, 16>, Swizzle::bytes_128>>(40, {.inner = 1});
  check<Tile<tma::tf32, Shape<9, 20>>>(41, {.inner = 1});
}

TEST_CASE("groups of any size load a tile by threads") {
  for (int threads : {1, 7, 32, 33, 96, 1000, 1024}) {
    check<Tile<float, Shape<16, 16>>>(std::uint64_t(threads), {}, threads, 3);
    check<Tile<short, Shape<5, 24>>>(std::uint64_t(threads), {.base = 1}, threads, 3);
  }
}

TEST_CASE("strides of 0 and below") {
  using TileT                    = Tile<float, Shape<8, 12>>;
  const auto                data = gpu::random_values<float>(7 * 13, 5);
  gpu::Array<float>         memory(data);
  gpu::Array<unsigned char> out(TileT::footprint_bytes);
  // The rows backwards, from the last one on.
  const auto backwards = tma::make_thread_descriptor<TileT>(
      tma::TensorView{static_cast<const float*>(memory.get() + 6 * 13), {7, 13}, {-13, 1}});
  const auto repeated =
      tma::make_thread_descriptor<TileT>(tma::TensorView{static_cast<const float*>(memory.get()), {1000, 13}, {0, 1}});
  for (const int row : {-3, 0, 2, 6, 7}) {
    tma::launch(by_threads<TileT>, {.grid = 1, .block = 64}, backwards, tma::Coord<2>{row, 3}, out.get());
    gpu::finish();
    std::vector<float> expected(TileT::size, 0.0f);
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 12; ++c)
        if (row + r >= 0 && row + r < 7 && 3 + c < 13)
          expected[std::size_t(r * 12 + c)] = data[std::size_t((6 - row - r) * 13 + 3 + c)];
    REQUIRE(out.download() == footprint<TileT>(expected));
    tma::launch(by_threads<TileT>, {.grid = 1, .block = 64}, repeated, tma::Coord<2>{row, 3}, out.get());
    gpu::finish();
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 12; ++c)
        expected[std::size_t(r * 12 + c)] = row + r >= 0 && 3 + c < 13 ? data[std::size_t(3 + c)] : 0.0f;
    REQUIRE(out.download() == footprint<TileT>(expected));
  }
}

namespace {

template <int Count> __global__ void chunk_by_threads(tma::AlignedPointer<const float> from, float* to) {
  struct Shared {
    tma::Buffer<float, Count> buffer;
    tma::LoadBarrier          barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::detail::ThreadLoad<const float>::chunk(tma::detail::u32(block.rank()), tma::detail::u32(block.size()),
                                              from.chunk<Count>(1), buffer);
  tma::ptx::cp_async_mbarrier_arrive(tma::detail::BarrierAccess::address(barrier));
  block.sync();
  if (block.rank() == 0) tma::ptx::mbarrier_arrive(tma::detail::BarrierAccess::address(barrier));
  arrived.wait();
  for (int i = block.rank(); i < Count; i += block.size()) to[i] = buffer[i];
}

template <int Count> void check_chunk() {
  const auto        data = gpu::random_values<float>(2 * Count, Count);
  gpu::Array<float> in(data), out(Count);
  for (const int threads : {1, 32, 96, 256}) {
    out.fill(0xee);
    tma::launch(chunk_by_threads<Count>, {.grid = 1, .block = threads}, tma::aligned(static_cast<const float*>(in.get())),
                out.get());
    gpu::finish();
    REQUIRE(out.download() == std::vector<float>(data.begin() + Count, data.end()));
  }
}

}  // namespace

TEST_CASE("threads load a chunk") {
  check_chunk<4>();
  check_chunk<100>();
  check_chunk<4096>();
}
