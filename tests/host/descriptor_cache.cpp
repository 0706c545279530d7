// The cache of descriptors: what is the same request and what is not, its bound, and threads.
#include <tma/core/gather.hpp>
#include <tma/host/descriptor_cache.hpp>
#include <tma/machine/map.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "report.hpp"

namespace {

using tma::DescriptorCache;
using tma::Im2col;
using tma::Options;
using tma::Shape;
using tma::Swizzle;
using tma::TensorView;
using tma::Tile;
using half = unsigned short;

std::atomic<int> encodes;

int encode_tiled(void* map, int type, unsigned rank, void* base, const unsigned long long* extents,
                 const unsigned long long* strides, const unsigned* box, const unsigned* element_strides, int interleave,
                 int swizzle, int promotion, int fill) {
  ++encodes;
  return tma::machine::rt::encode_tiled(map, type, rank, base, extents, strides, box, element_strides, interleave, swizzle,
                                        promotion, fill);
}

int encode_im2col(void* map, int type, unsigned rank, void* base, const unsigned long long* extents,
                  const unsigned long long* strides, const int* lower, const int* upper, unsigned channels, unsigned pixels,
                  const unsigned* element_strides, int interleave, int swizzle, int promotion, int fill) {
  ++encodes;
  return tma::machine::rt::encode_im2col(map, type, rank, base, extents, strides, lower, upper, channels, pixels,
                                         element_strides, interleave, swizzle, promotion, fill);
}

tma::Driver driver() {
  encodes = 0;
  return {.encode_tiled = encode_tiled,
          .find =
              [](tma::DriverCall call) {
                return call == tma::DriverCall::encode_im2col ? reinterpret_cast<void*>(&encode_im2col) : nullptr;
              },
          .compute_capability = 100,
          .version            = 13020};
}

template <class T> T* somewhere(long long offset = 0) {
  return reinterpret_cast<T*>(std::uintptr_t(0x7f2a40000000 + offset));
}

template <class A, class B> bool same(const A& a, const B& b) {
  return std::memcmp(tma::tensor_map(a), tma::tensor_map(b), 128) == 0;
}

using T = Tile<half, Shape<4, 16>, Swizzle::bytes_32>;
const TensorView<const half, 2> view(somewhere<const half>(), {64, 128});

}  // namespace

TEST_CASE("what was made is given again, byte for byte") {
  const tma::Driver d = driver();
  DescriptorCache   cache(8, &d);
  const auto        first = cache.get<T>(view), second = cache.get<T>(view);
  static_assert(std::is_same_v<decltype(first), const tma::TmaDescriptor<const half, 2, T>>);
  CHECK(same(first, second));
  CHECK(same(first, *tma::try_make_descriptor<T>(view, {}, &d)));
  CHECK(cache.hits() == 1);
  CHECK(cache.misses() == 1);
  CHECK(cache.size() == 1);
  CHECK(encodes == 2);
  // Spelled otherwise: the same strides, element strides of 0 and 1, and a stride that is never used.
  cache.get<T>(TensorView{somewhere<const half>(), {64, 128}, {128, 1}}, {.element_strides = {1, 1}});
  CHECK(cache.hits() == 2);
  cache.clear();
  CHECK(cache.size() == 0);
  cache.get<T>(view);
  CHECK(cache.misses() == 2);
}

TEST_CASE("each parameter by itself makes another descriptor") {
  const tma::Driver d = driver();
  DescriptorCache   cache(64, &d);
  int               kinds    = 0;
  const auto        is_other = [&](const char* what, const auto& ask) {
    INFO(what);
    const long long hits = cache.hits(), misses = cache.misses();
    ask();
    CHECK(cache.misses() == misses + 1);
    ask();
    CHECK(cache.hits() == hits + 1);
    CHECK(cache.size() == ++kinds);
  };
  const half* const a = somewhere<const half>();
  is_other("the first", [&] { cache.get<T>(view); });
  is_other("base", [&] { cache.get<T>(TensorView{somewhere<const half>(64), {64, 128}}); });
  is_other("may be stored to", [&] { cache.get<T>(TensorView{somewhere<half>(), {64, 128}}); });
  is_other("outer extent", [&] { cache.get<T>(TensorView{a, {63, 128}}); });
  is_other("inner extent", [&] { cache.get<T>(TensorView{a, {64, 127}, {128, 1}}); });
  is_other("stride", [&] { cache.get<T>(TensorView{a, {64, 128}, {136, 1}}); });
  is_other("element stride", [&] { cache.get<T>(view, {.element_strides = {2}}); });
  is_other("promotion", [&] { cache.get<T>(view, {.promotion = tma::Promotion::bytes_64}); });
  is_other("tile height", [&] { cache.get<Tile<half, Shape<5, 16>, Swizzle::bytes_32>>(view); });
  is_other("tile width", [&] { cache.get<Tile<half, Shape<4, 8>, Swizzle::bytes_32>>(view); });
  is_other("swizzle", [&] { cache.get<Tile<half, Shape<4, 16>>>(view); });
  is_other("type of the same width",
           [&] { cache.get<Tile<float, Shape<4, 8>, Swizzle::bytes_32>>(TensorView{somewhere<const float>(), {64, 64}}); });
  is_other("type of the same width, ftz", [&] {
    cache.get<Tile<tma::tf32, Shape<4, 8>, Swizzle::bytes_32>>(TensorView{somewhere<const tma::tf32>(), {64, 64}});
  });
  is_other("fill", [&] {
    cache.get<Tile<float, Shape<4, 8>, Swizzle::bytes_32>>(TensorView{somewhere<const float>(), {64, 64}},
                                                           {.fill = tma::Fill::nan});
  });
  is_other("rank", [&] { cache.get<Tile<half, Shape<1, 8, 16>, Swizzle::bytes_32>>(TensorView{a, {1, 64, 128}}); });
  is_other("interleave", [&] {
    cache.get<Tile<half, Shape<1, 8, 16>, Swizzle::bytes_32>>(TensorView{a, {1, 64, 128}},
                                                              {.interleave = tma::Interleave::bytes_16});
  });
  is_other("four rows", [&] { cache.get<tma::Rows4<T>>(view); });
  is_other("one row, which is the same map with other rules",
           [&] { cache.get<Tile<half, Shape<1, 16>, Swizzle::bytes_32>>(view); });

  using Column = Im2col<Tile<half, Shape<32, 16>>>;
  const TensorView image{a, {8, 20, 20, 64}};
  is_other("im2col", [&] { cache.get<Column>(image); });
  is_other("lower corner", [&] { cache.get<Column>(image, {.lower = {0, -1}}); });
  is_other("the other lower corner", [&] { cache.get<Column>(image, {.lower = {-1, 0}}); });
  is_other("upper corner", [&] { cache.get<Column>(image, {.upper = {0, -1}}); });
  is_other("pixels", [&] { cache.get<Im2col<Tile<half, Shape<31, 16>>>>(image); });
  is_other("channels", [&] { cache.get<Im2col<Tile<half, Shape<32, 8>>>>(image); });
}

TEST_CASE("what is refused is said each time, and not kept") {
  const tma::Driver d = driver();
  DescriptorCache   cache(8, &d);
  const TensorView  bad{somewhere<const half>(2), {64, 128}};
  for (int i = 0; i < 2; ++i) {
    try {
      cache.get<T>(bad);
      FAIL("nothing was thrown");
    } catch (const tma::Error& error) {
      CHECK(error.report().has("T4"));
    }
  }
  CHECK(cache.size() == 0);
  CHECK(cache.misses() == 2);
  CHECK(encodes == 0);
  // A view of const elements may end inside 16 bytes, one that is stored to may not: the first does not let the second pass.
  cache.get<T>(TensorView{somewhere<const half>(), {64, 127}, {128, 1}});
  CHECK_THROWS_AS(cache.get<T>(TensorView{somewhere<half>(), {64, 127}, {128, 1}}), tma::Error);
}

TEST_CASE("the bound holds, and what was unused for longest goes") {
  const tma::Driver d = driver();
  DescriptorCache   cache(3, &d);
  const auto        ask = [&](int i) { return cache.get<T>(TensorView{somewhere<const half>(i * 64), {64, 128}}); };
  ask(0), ask(1), ask(2);
  ask(0);  // now 1 is the oldest
  ask(3);
  CHECK(cache.size() == 3);
  const long long misses = cache.misses();
  ask(0), ask(2), ask(3);
  CHECK(cache.misses() == misses);
  ask(1);
  CHECK(cache.misses() == misses + 1);
  ask(0);  // the oldest then, and gone
  CHECK(cache.misses() == misses + 2);
  CHECK(DescriptorCache(0, &d).capacity() == 1);
  CHECK(DescriptorCache(-5, &d).capacity() == 1);

  DescriptorCache small(17, &d);
  unsigned        state = 1;
  for (int i = 0; i < 10000; ++i) {
    state               = state * 1664525 + 1013904223;
    const int        at = int(state >> 16) % 200;
    const TensorView random{somewhere<const half>(at % 20 * 64), {64 + at / 20, 128}};
    REQUIRE(same(small.get<T>(random), *tma::try_make_descriptor<T>(random, {}, &d)));
    REQUIRE(small.size() <= 17);
  }
  CHECK(small.size() == 17);
  CHECK(small.hits() + small.misses() == 10000);
  CHECK(small.hits() > 200);
}

namespace {

// Leaves junk on the stack below its caller.
__attribute__((noinline)) void dirty_stack(int value) {
  volatile unsigned char junk[16384];
  for (volatile unsigned char& byte : junk) byte = static_cast<unsigned char>(value);
}

}  // namespace

TEST_CASE("a key depends on no byte that was never written") {
  const tma::Driver d = driver();
  DescriptorCache   cache(64, &d);
  for (int junk = 0; junk < 64; ++junk) {
    // The objects of a request lie in memory that held something else.
    alignas(64) unsigned char view_room[sizeof(TensorView<const half, 2>)], options_room[sizeof(Options)];
    std::memset(view_room, junk * 4 + 1, sizeof view_room);
    std::memset(options_room, junk * 4 + 1, sizeof options_room);
    auto* const v = new (view_room) TensorView<const half, 2>(somewhere<const half>(), {1, 128}, {junk, 1});
    auto* const o = new (options_room) Options{.promotion = tma::Promotion::bytes_128};
    dirty_stack(junk * 4 + 1);
    cache.get<T>(*v, *o);
    dirty_stack(255 - junk);
    using Column = Im2col<Tile<half, Shape<32, 16>>>;
    cache.get<Column>(TensorView{somewhere<const half>(), {8, 20, 64}}, {.lower = {-1}}, *o);
  }
  CHECK(cache.size() == 2);
  CHECK(cache.misses() == 2);
  CHECK(cache.hits() == 126);
}

TEST_CASE("many threads ask at once") {
  const tma::Driver        d = driver();
  DescriptorCache          cache(5, &d);
  std::atomic<int>         wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const TensorView<const half, 2> v(somewhere<const half>((i * (t + 1)) % 9 * 64), {64, 128});
        tma::TensorBox                  box;
        void*                           base = nullptr;
        const auto                      made = cache.get<T>(v);
        if (!tma::machine::decode(tma::tensor_map(made), box, base) || base != v.data()) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(cache.size() == 5);
  CHECK(cache.hits() + cache.misses() == 8000);
  CHECK(encodes == cache.misses());
}
