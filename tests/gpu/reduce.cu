// Reductions of the copy engine: every operation on every type that has it, into tensors and into elements in a row.
#include <tma/device/reduce.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tma/core/reduce_bytes.hpp>

#include "transfer.hpp"

using tma::ElementType;
using tma::Reduction;
using tma::Shape;
using tma::Swizzle;
using tma::Tile;
using tma::detail::ReducedPlace;
using tma::detail::reduces;

namespace {

template <Reduction Op, class Tile>
__global__ void reduce_tile(const __grid_constant__ transfer::Descriptor<Tile> to, tma::Coord<Tile::rank> at,
                            const typename Tile::value_type* elements) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (int i = block.rank(); i < Tile::size; i += block.size()) tile[i] = elements[i];
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.template reduce<Op>(to, at, ready).wait_visible();
}

template <Reduction Op, class T, int N> __global__ void reduce_chunk(tma::AlignedPointer<T> to, const T* elements) {
  auto& buffer = tma::shared<tma::Buffer<T, N>>();
  auto  block  = tma::this_block();
  for (int i = block.rank(); i < N; i += block.size()) buffer[i] = elements[i];
  auto ready = block.publish(buffer);
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    stores.template reduce<Op>(to.template chunk<N>(blockIdx.x), ready).wait_visible();
  }
}

// Any bits at all: infinities, subnormals, and what is no number.
template <class T> std::vector<T> random_bits(std::size_t count, std::uint64_t seed) {
  std::vector<T> v(count);
  gpu::Random    random(seed);
  for (T& x : v) {
    const std::uint64_t bits = random();
    std::memcpy(static_cast<void*>(&x), &bits, sizeof(T));
  }
  return v;
}

template <Reduction Op, class T> T combined(const T& old, const T& value) {
  tma::detail::u64 a = 0, b = 0;
  std::memcpy(&a, &old, sizeof(T));
  std::memcpy(&b, &value, sizeof(T));
  a = tma::reduce_element(Op, tma::element_type<T>, a, b);
  T result;
  std::memcpy(static_cast<void*>(&result), &a, sizeof(T));
  return result;
}

template <Reduction Op, class Tile> void check_tile(std::uint64_t seed, int positions) {
  using T = typename Tile::value_type;
  gpu::Random   random(seed);
  const auto    t        = transfer::tensor_for<Tile>(random);
  auto          expected = random_bits<T>(t.span() + 64, seed);
  gpu::Array<T> tensor(expected), source(Tile::size);
  const auto    to = tma::make_descriptor<Tile>(transfer::view_of(tensor.get(), t));
  for (int n = 0; n < positions; ++n) {
    const auto at   = n == 0 ? tma::Coord<Tile::rank>() : transfer::position<Tile>(random, t, true);
    const auto tile = random_bits<T>(Tile::size, seed + 1000 + n);
    source.upload(tile);
    tma::launch(reduce_tile<Op, Tile>, {.grid = 1, .block = 96}, to, at, static_cast<const T*>(source.get()));
    gpu::finish();
    reference::for_each_element<Tile>(at, nullptr, [&](int i, const std::int64_t* index) {
      std::size_t offset;
      if (reference::inside(t, index, offset)) expected[offset] = combined<Op>(expected[offset], tile[std::size_t(i)]);
    });
    REQUIRE(transfer::same_bits(tensor.download(), expected));
  }
}

// Three chunks with the memory around them, which stays as it is.
template <Reduction Op, class T, int N> void check_chunk(std::uint64_t seed) {
  constexpr int piece    = 16 / int(sizeof(T));
  auto          expected = random_bits<T>(3 * N + 2 * piece, seed);
  const auto    chunk    = random_bits<T>(N, seed + 1);
  gpu::Array<T> to(expected), source(chunk);
  tma::launch(reduce_chunk<Op, T, N>, {.grid = 3, .block = 33}, tma::aligned(to.get() + piece),
              static_cast<const T*>(source.get()));
  gpu::finish();
  for (int i = 0; i < 3 * N; ++i) expected[piece + i] = combined<Op>(expected[piece + i], chunk[i % N]);
  REQUIRE(transfer::same_bits(to.download(), expected));
}

template <Reduction Op, class T> void check() {
  constexpr int row = 32 / int(sizeof(T)) * 2;
  if constexpr (reduces(Op, tma::element_type<T>, ReducedPlace::tensor)) {
    INFO("operation " << int(Op) << " into a tensor");
    check_tile<Op, Tile<T, Shape<5, row>>>(int(Op) + 1, gpu::scaled(8, 3));
    check_tile<Op, Tile<T, Shape<7, row>, Swizzle::bytes_128>>(int(Op) + 2, gpu::scaled(8, 3));
  }
  if constexpr (reduces(Op, tma::element_type<T>, ReducedPlace::global)) {
    INFO("operation " << int(Op) << " into a chunk");
    check_chunk<Op, T, 16 / int(sizeof(T))>(int(Op) + 3);
    check_chunk<Op, T, 37 * 16 / int(sizeof(T))>(int(Op) + 4);
    check_chunk<Op, T, 8192 / int(sizeof(T))>(int(Op) + 5);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("every operation that a type has", "", unsigned, int, unsigned long long, long long, __half,
                   __nv_bfloat16, float, double, tma::f32_ftz, tma::tf32, tma::tf32_ftz) {
  check<Reduction::add, TestType>();
  check<Reduction::min, TestType>();
  check<Reduction::max, TestType>();
  check<Reduction::inc, TestType>();
  check<Reduction::dec, TestType>();
  check<Reduction::bit_and, TestType>();
  check<Reduction::bit_or, TestType>();
  check<Reduction::bit_xor, TestType>();
}

TEST_CASE("every rank, over every edge") {
  check_tile<Reduction::add, Tile<float, Shape<252>>>(1, 6);
  check_tile<Reduction::add, Tile<int, Shape<3, 5, 12>>>(2, 6);
  check_tile<Reduction::max, Tile<__half, Shape<3, 5, 64>, Swizzle::bytes_128>>(3, 6);
  check_tile<Reduction::add, Tile<unsigned, Shape<2, 3, 4, 8>, Swizzle::bytes_32>>(4, 6);
  check_tile<Reduction::bit_xor, Tile<unsigned long long, Shape<2, 1, 3, 2, 8>, Swizzle::bytes_64>>(5, 6);
  check_tile<Reduction::min, Tile<__nv_bfloat16, Shape<2, 1, 3, 2, 24>>>(6, 6);
}

TEST_CASE("rows narrower than the swizzle are padded in shared memory, not in the tensor") {
  check_tile<Reduction::add, Tile<float, Shape<9, 4>, Swizzle::bytes_32>>(1, 6);
  check_tile<Reduction::add, Tile<float, Shape<9, 24>, Swizzle::bytes_128>>(2, 6);
}

namespace {

using Counters = Tile<unsigned, Shape<8, 32>>;
using Sums     = Tile<float, Shape<8, 32>>;

// Every block adds its number to every element, of a tensor and of a chunk.
__global__ void add_numbers(const __grid_constant__ transfer::Descriptor<Counters> counters,
                            const __grid_constant__ transfer::Descriptor<Sums> sums, tma::AlignedPointer<double> row) {
  struct Shared {
    Counters                 counters;
    Sums                     sums;
    tma::Buffer<double, 126> row;
  };
  auto& s     = tma::shared<Shared>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(s.counters)) x = blockIdx.x;
  for (auto& x : block.elements(s.sums)) x = float(blockIdx.x);
  for (auto& x : block.elements(s.row)) x = double(blockIdx.x);
  auto [a, b, c] = block.publish(s.counters, s.sums, s.row);
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    stores.reduce<Reduction::add>(counters, {0, 0}, a).reduce<Reduction::add>(sums, {0, 0}, b);
    stores.reduce<Reduction::add>(row.chunk<126>(0), c);
  }
}

}  // namespace

TEST_CASE("blocks reduce into the same elements at the same time") {
  const int            blocks = gpu::scaled(1000, 20);
  gpu::Array<unsigned> counters(Counters::size);
  gpu::Array<float>    sums(Sums::size);
  gpu::Array<double>   row(126);
  counters.fill(0);
  sums.fill(0);
  row.fill(0);
  tma::launch(add_numbers, {.grid = blocks, .block = 64},
              tma::make_descriptor<Counters>(tma::TensorView{counters.get(), {8, 32}}),
              tma::make_descriptor<Sums>(tma::TensorView{sums.get(), {8, 32}}), tma::aligned(row.get()));
  gpu::finish();
  const int total = blocks * (blocks - 1) / 2;
  for (unsigned x : counters.download()) REQUIRE(x == unsigned(total));
  for (float x : sums.download()) REQUIRE(x == float(total));
  for (double x : row.download()) REQUIRE(x == double(total));
}
