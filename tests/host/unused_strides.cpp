// Strides of dimensions of extent 1, which no element uses: whatever they are, everything is as if they were dense. Random
// tensors of every rank, each beside the same with other numbers in those places.
#include <tma/host/check_allocation.hpp>
#include <tma/host/descriptor_array.hpp>
#include <tma/host/descriptor_cache.hpp>
#include <tma/host/im2col.hpp>
#include <tma/host/thread_descriptor.hpp>
#include <tma/machine/map.hpp>

#include <cstdint>
#include <cstring>
#include <random>

#include "report.hpp"

namespace {

using tma::Shape;
using tma::TensorView;
using tma::Tile;
using tma::detail::i64;
using tma::detail::u64;

// The rule book of the machine stands in for a driver that refuses a stride whatever the extent.
int encode(void* map, int type, unsigned rank, void* base, const u64* extents, const u64* strides, const unsigned* box,
           const unsigned* every, int interleave, int swizzle, int promotion, int fill) {
  for (unsigned i = 0; i + 1 < rank; ++i)
    if (strides[i] % 32 != 0 || strides[i] == 0 || strides[i] >= u64(1) << 40) return 1;
  return tma::machine::rt::encode_tiled(map, type, rank, base, extents, strides, box, every, interleave, swizzle, promotion,
                                        fill);
}
int encode_im2col(void* map, int type, unsigned rank, void* base, const u64* extents, const u64* strides, const int* lower,
                  const int* upper, unsigned channels, unsigned pixels, const unsigned* every, int interleave, int swizzle,
                  int promotion, int fill) {
  return tma::machine::rt::encode_im2col(map, type, rank, base, extents, strides, lower, upper, channels, pixels, every,
                                         interleave, swizzle, promotion, fill);
}

int address_range(void** first, std::size_t* bytes, void*) {
  *first = reinterpret_cast<void*>(std::uintptr_t(0x7f2a40000000));
  *bytes = std::size_t(1) << 36;
  return 0;
}

const tma::Driver driver = {.encode_tiled = encode,
                            .find         = [](tma::DriverCall call) -> void* {
                              if (call == tma::DriverCall::encode_im2col) return reinterpret_cast<void*>(&encode_im2col);
                              if (call == tma::DriverCall::address_range) return reinterpret_cast<void*>(&address_range);
                              return nullptr;
                            },
                            .compute_capability = 90,
                            .version            = 13000};

template <class T> T* somewhere() { return reinterpret_cast<T*>(std::uintptr_t(0x7f2a40000000)); }

struct Random {
  std::mt19937_64 bits{1};
  u64             below(u64 n) { return bits() % n; }

  // Any number, in elements or bytes: none that makes sense among them.
  tma::detail::Index64 nonsense() {
    switch (below(8)) {
      case 0: return 0;
      case 1: return -1;
      case 2: return i64(1) << 40;
      case 3: return ~u64(0);  // does not fit 64 bits with a sign
      case 4: return (i64(1) << 62) + 1;
      case 5: return -(i64(1) << 62) - 3;
      case 6: return i64(below(1000)) * 2 + 1;
      default: return i64(bits());
    }
  }
};

template <int Rank> struct Shapes;
template <> struct Shapes<1> {
  using type = Shape<32>;
};
template <> struct Shapes<2> {
  using type = Shape<4, 32>;
};
template <> struct Shapes<3> {
  using type = Shape<2, 4, 32>;
};
template <> struct Shapes<4> {
  using type = Shape<1, 2, 4, 32>;
};
template <> struct Shapes<5> {
  using type = Shape<1, 1, 2, 4, 32>;
};

template <class Descriptor> bool same(const Descriptor& a, const Descriptor& b) {
  return std::memcmp(tma::tensor_map(a), tma::tensor_map(b), 128) == 0;
}

// Extents, dense strides in elements, and those with other numbers at extents of 1.
template <int Rank> struct Drawn {
  tma::detail::Index64 extent[Rank], dense[Rank], odd[Rank];

  explicit Drawn(Random& r) {
    i64 step = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      const bool single = r.below(2) == 0;
      extent[d]         = single ? 1 : d == Rank - 1 ? 32 * i64(1 + r.below(4)) : i64(2 + r.below(6));
      dense[d] = odd[d] = step;
      if (single) odd[d] = r.nonsense();
      step = (step * extent[d].value + 31) / 32 * 32;
    }
  }
};

template <class T, int Rank> void compare(const TensorView<T, Rank>& dense, const TensorView<T, Rank>& odd) {
  using TileT  = Tile<std::remove_const_t<T>, typename Shapes<Rank>::type>;
  const auto a = tma::try_make_descriptor<TileT>(dense, {}, &driver), b = tma::try_make_descriptor<TileT>(odd, {}, &driver);
  INFO(b.error().what());
  CHECK_FALSE(odd.overflowed());
  REQUIRE(a);
  REQUIRE(b);
  CHECK(same(*a, *b));
  CHECK(tma::check<TileT>(odd).ok());
  CHECK(tma::can_load<TileT>(odd, {}, &driver));
  const auto run_time = [](const TensorView<T, Rank>& view) {
    tma::detail::Index64 box[Rank];
    for (int d = 0; d < Rank; ++d) box[d] = TileT::shape::extents[d];
    return tma::try_make_descriptor(view, box, tma::Swizzle::none, {}, &driver);
  };
  CHECK(same(*run_time(dense), *run_time(odd)));
  if constexpr (std::is_const_v<T>) {
    tma::DescriptorCache cache(4, &driver);
    CHECK(same(cache.get<TileT>(dense), cache.get<TileT>(odd)));
    CHECK(cache.size() == 1);
  }
  const auto s = tma::try_make_thread_descriptor<TileT>(dense, &driver),
             t = tma::try_make_thread_descriptor<TileT>(odd, &driver);
  INFO(t.error().what());
  REQUIRE(t);
  CHECK(s->granule() == t->granule());
  const tma::Error place = tma::check_allocation(odd, &driver);
  INFO(place.what());
  CHECK(!place);
}

template <class T, int Rank> void draw(int rounds) {
  Random r;
  for (int i = 0; i < rounds; ++i) {
    const Drawn<Rank>         x(r);
    const TensorView<T, Rank> dense{somewhere<T>(), x.extent, x.dense};
    compare(dense, TensorView<T, Rank>{somewhere<T>(), x.extent, x.odd});
    // In bytes: a whole stride times the size, and nonsense as it is.
    tma::detail::Index64 bytes[Rank];
    for (int d = 0; d < Rank; ++d)
      bytes[d] = x.extent[d].value == 1 ? x.odd[d] : tma::detail::Index64(x.dense[d].value * i64(sizeof(T)));
    const auto strides = [&]<std::size_t... I>(std::index_sequence<I...>) {
      tma::ByteStrides<Rank> s = tma::byte_strides(bytes[I].value...);
      ((s.stride[I] = bytes[I]), ...);
      return s;
    }(std::make_index_sequence<Rank>());
    compare(dense, TensorView<T, Rank>{somewhere<T>(), x.extent, strides});
  }
}

}  // namespace

TEMPLATE_TEST_CASE("strides of extent 1 change nothing, of any rank, in elements or in bytes", "", const float, const short,
                   const unsigned char) {
  draw<TestType, 1>(200);
  draw<TestType, 2>(500);
  draw<TestType, 3>(500);
  draw<TestType, 4>(500);
  draw<TestType, 5>(500);
}

TEST_CASE("they change nothing where the tensor may be stored to") {
  const auto view = [](auto outer, auto middle) { return TensorView{somewhere<float>(), {1, 1, 64}, {outer, middle, 1}}; };
  for (const i64 stride : {i64(0), i64(-4), i64(3), i64(1) << 61, -(i64(1) << 61)}) {
    compare(view(64, 64), view(stride, 64));
    compare(view(64, 64), view(64, stride));
    compare(view(64, 64), view(stride, -stride));
  }
  compare(view(64, 64), view(~u64(0), 64));
}

TEST_CASE("they change nothing in an im2col descriptor, nor in one of padded units") {
  using Column     = tma::Im2col<Tile<float, Shape<16, 32>>>;
  const auto at    = [](i64 n, i64 h) { return TensorView{somewhere<const float>(), {1, 1, 8, 32}, {n, h, 32, 1}}; };
  const auto dense = tma::try_make_descriptor<Column>(at(256, 256), {}, {}, &driver);
  REQUIRE(dense);
  for (const i64 stride : {i64(0), i64(-4), i64(3), i64(1) << 62}) {
    const auto odd = tma::try_make_descriptor<Column>(at(stride, 3 - stride), {}, {}, &driver);
    INFO(odd.error().what());
    REQUIRE(odd);
    CHECK(same(*dense, *odd));
  }
  const TensorView units{somewhere<const tma::u4x16>(), {1, 8}, {i64(1) << 62, 1}};
  CHECK_FALSE(units.overflowed());
  CHECK_FALSE(tma::check<Tile<tma::u4x16, Shape<1, 8>>>(units).has("T7"));
  CHECK_FALSE(tma::check<Tile<tma::u4x16, Shape<1, 8>>>(units).has("M6"));
}

TEST_CASE("a stride that is used refuses as before, beside others that are not") {
  using TileT    = Tile<float, Shape<2, 4, 32>>;
  const auto has = [](const char* id, auto outer, auto middle) {
    return tma::check<TileT>(TensorView{somewhere<const float>(), {1, 4, 32}, {outer, middle, 1}}).has(id);
  };
  CHECK(has("T7", 5, 33));
  CHECK(has("T7", 5, -32));
  CHECK(has("M6", 5, ~u64(0)));
  CHECK_FALSE(has("T7", 5, 32));
  CHECK_FALSE(has("M6", ~u64(0), 32));
}
