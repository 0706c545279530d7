// One-dimensional copies: static sizes, and any pointer with any length.
#include <tma/tma.hpp>

#include <algorithm>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

template <class T, int N> __global__ void copy_static(tma::AlignedPointer<const T> from, tma::AlignedPointer<T> to) {
  struct Shared {
    tma::Buffer<T, N> buffer;
    tma::LoadBarrier  barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D<N> copy;
  if (auto issuer = block.elect()) copy.load(issuer, buffer, from, arrived);
  arrived.wait();
  for (auto& x : block.elements(buffer)) x = T(x + 1);
  auto ready = block.publish(buffer);
  if (auto issuer = block.elect()) copy.store(issuer, to, ready);
}

template <class T, int N> __global__ void copy_any(const T* from, T* to, int count, int* seen) {
  struct Shared {
    tma::RaggedBuffer<T, N> buffer;
    tma::LoadBarrier        barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D copy;
  auto            data = copy.load(block, buffer, from, count, arrived);
  arrived.wait();
  // Every thread sees every element, those that another thread moved as well.
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += int(*reinterpret_cast<const unsigned char*>(&data[i]));
  seen[block.rank()] = sum;
  block.sync();
  auto ready = block.publish(data);
  copy.store(block, to, ready).wait_source_free();
}

template <class T, int N> void check_static() {
  auto          data = gpu::random_values<T>(N, N);
  gpu::Array<T> in(data), out(N + 16);
  out.fill(0x5a);
  tma::launch(copy_static<T, N>, {.grid = 1, .block = 96, .shared = 0}, tma::aligned(in.get()), tma::aligned(out.get()));
  gpu::finish();
  const auto h = out.download();
  for (int i = 0; i < N; ++i) REQUIRE(h[i] == T(data[i] + 1));
  T guard;
  std::memset(&guard, 0x5a, sizeof guard);
  for (int i = N; i < N + 16; ++i) REQUIRE(h[i] == guard);
}

// `count` elements from `from_offset` to `to_offset`, with guards on both sides of the destination.
template <class T, int N>
void check_any(gpu::Array<T>& in, const std::vector<T>& data, gpu::Array<T>& out, int count, int from_offset, int to_offset,
               int threads) {
  gpu::Array<int> seen(threads);
  out.fill(0x5a);
  tma::launch(copy_any<T, N>, {.grid = 1, .block = threads}, static_cast<const T*>(in.get() + from_offset),
              out.get() + to_offset, count, seen.get());
  gpu::finish();
  const auto     h = out.download();
  std::vector<T> expected(h.size());
  std::memset(static_cast<void*>(expected.data()), 0x5a, expected.size() * sizeof(T));
  std::copy(data.begin() + from_offset, data.begin() + from_offset + count, expected.begin() + to_offset);
  INFO("count " << count << " from +" << from_offset << " to +" << to_offset << " with " << threads << " threads");
  REQUIRE(std::memcmp(h.data(), expected.data(), h.size() * sizeof(T)) == 0);
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += int(*reinterpret_cast<const unsigned char*>(&data[from_offset + i]));
  REQUIRE(seen.download() == std::vector<int>(threads, sum));
}

struct Pixel {  // twelve bytes, aligned to four: no power of two
  int r, g, b;
};

}  // namespace

TEST_CASE("static sizes") {
  check_static<float, 4>();
  check_static<float, 1024>();
  check_static<double, 2>();
  check_static<unsigned char, 16>();
  check_static<short, 1000>();
  check_static<int, 11264>();
}

TEST_CASE("any length 0 to 48 at every offset of bytes") {
  const auto                data = gpu::random_values<unsigned char>(4096, 7);
  gpu::Array<unsigned char> in(data), out(4096 + 64);
  for (int count = 0; count <= 48; ++count)
    for (int offset = 0; offset < 16; ++offset) {
      check_any<unsigned char, 64>(in, data, out, count, offset, 16 + offset, 64);                 // alike
      check_any<unsigned char, 64>(in, data, out, count, offset, 16 + (offset * 7 + 3) % 16, 64);  // not
    }
}

TEST_CASE("longer pieces, other elements, other blocks") {
  {
    const auto        data = gpu::random_values<float>(5000, 1);
    gpu::Array<float> in(data), out(5064);
    for (int count : {1, 3, 4, 5, 31, 63, 250, 252, 255, 1000, 1023, 1024})
      for (int offset : {0, 1, 2, 3, 4, 5})
        check_any<float, 1024>(in, data, out, count, offset, 8 + (offset ^ (count & 1)), 1 + count % 200);
  }
  {
    const auto        data = gpu::random_values<short>(5000, 2);
    gpu::Array<short> in(data), out(5064);
    for (int count : {0, 1, 7, 8, 9, 511, 1001}) check_any<short, 1024>(in, data, out, count, count % 8, 8 + count % 8, 256);
  }
  {
    const auto         data = gpu::random_values<double>(5000, 3);
    gpu::Array<double> in(data), out(5064);
    for (int count : {0, 1, 2, 3, 512}) check_any<double, 512>(in, data, out, count, 1, 1, 32);
  }
  {
    std::vector<Pixel> data(1000);
    for (int i = 0; i < 1000; ++i) data[i] = {i, -i, 7 * i};
    gpu::Array<Pixel> in(data), out(1064);
    for (int count : {0, 1, 2, 3, 4, 5, 100, 333})
      for (int offset : {0, 1, 2, 3, 4}) check_any<Pixel, 400>(in, data, out, count, offset, 4 + offset, 128);
  }
}

namespace {

// More blocks than there is work: those past the end copy nothing, and wait for nothing.
__global__ void past_the_end(const float* in, float* out, int n) {
  struct Shared {
    tma::RaggedBuffer<float, 256> buffer;
    tma::LoadBarrier              barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  const int       first   = int(blockIdx.x) * 256;
  const int       count   = first >= n ? 0 : n - first < 256 ? n - first : 256;
  tma::BulkCopy1D copy;
  auto            data = copy.load(block, buffer, in + first, count, arrived);
  arrived.wait();
  for (auto& x : block.elements(data)) x *= 2;
  auto ready = block.publish(data);
  copy.store(block, out + first, ready);
}

}  // namespace

TEST_CASE("blocks past the end copy nothing and do not hang") {
  for (int n : {1000, 1, 256, 0}) {
    const auto        data = gpu::random_values<float>(n + 1, 5);
    gpu::Array<float> in(data), out(2048 + 64);
    out.fill(0);
    tma::launch(past_the_end, {.grid = 8, .block = 128}, static_cast<const float*>(in.get()), out.get(), n);
    gpu::finish();
    const auto h = out.download();
    for (int i = 0; i < int(h.size()); ++i) REQUIRE(h[i] == (i < n ? data[i] * 2 : 0.f));
  }
}
