// Views hold what they are given: integers of every type, in 64 bits, with every overflow noticed.
#include <tma/host/map_request.hpp>
#include <tma/host/rules.hpp>
#include <tma/host/tensor_view.hpp>

#include <climits>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "report.hpp"

namespace {

using tma::TensorView;
using i64 = tma::detail::i64;
using u64 = tma::detail::u64;

constexpr i64 largest = INT64_MAX;

template <class T> T* somewhere() { return reinterpret_cast<T*>(std::uintptr_t(0x7f2a40000000)); }

template <class T, int Rank> bool has_extents(const TensorView<T, Rank>& v, const i64 (&expected)[Rank]) {
  for (int d = 0; d < Rank; ++d)
    if (v.extent(d) != expected[d]) return false;
  return true;
}

template <class T, int Rank> bool has_strides(const TensorView<T, Rank>& v, const i64 (&expected)[Rank]) {
  for (int d = 0; d < Rank; ++d)
    if (v.stride_bytes(d) != expected[d]) return false;
  return true;
}

template <class T, int Rank> tma::MapRequest request(const TensorView<T, Rank>& v) {
  return tma::detail::request_of(v, tma::Options{});
}

// An integer converts; what is no count does not, silently or otherwise.
template <class I> inline constexpr bool is_index = std::is_convertible_v<I, tma::detail::Index64>;

enum Unscoped { zero };
enum class Scoped { zero };

static_assert(is_index<char> && is_index<signed char> && is_index<unsigned char> && is_index<short> &&
              is_index<unsigned short> && is_index<int> && is_index<unsigned> && is_index<long> && is_index<unsigned long> &&
              is_index<long long> && is_index<unsigned long long> && is_index<const int&> && is_index<std::size_t> &&
              is_index<std::ptrdiff_t>);
static_assert(!is_index<float> && !is_index<double> && !is_index<bool> && !is_index<Unscoped> && !is_index<Scoped> &&
              !is_index<void*>);

// Strides in bytes are a type of their own, made by name.
static_assert(!std::is_convertible_v<int, tma::ByteStrides<1>>);
static_assert(!std::is_convertible_v<tma::ByteStrides<1>, tma::detail::Index64>);

}  // namespace

TEMPLATE_TEST_CASE("extents and strides of any integer type", "", signed char, unsigned char, short, unsigned short, int,
                   unsigned, long, unsigned long, long long, unsigned long long) {
  using I               = TestType;
  const I          rows = 100, columns = 64, pitch = 72;
  float*           a = somewhere<float>();
  const TensorView dense{a, {rows, columns}};
  CHECK(dense.data() == a);
  CHECK(has_extents(dense, {100, 64}));
  CHECK(has_strides(dense, {256, 4}));
  const TensorView pitched{a, {rows, columns}, {pitch, I(1)}};
  CHECK(has_extents(pitched, {100, 64}));
  CHECK(has_strides(pitched, {288, 4}));
  const TensorView bytes{a, {rows, columns}, tma::byte_strides(pitch, I(4))};
  CHECK(has_extents(bytes, {100, 64}));
  CHECK(has_strides(bytes, {72, 4}));
  CHECK(!dense.overflowed());
  CHECK(!pitched.overflowed());
  CHECK(!bytes.overflowed());
  static_assert(std::is_same_v<decltype(dense), const TensorView<float, 2>>);
}

TEMPLATE_TEST_CASE("the extremes of an integer type keep their value", "", signed char, unsigned char, short, unsigned short,
                   int, unsigned, long, long long) {
  using I = TestType;
  const TensorView v{
      somewhere<unsigned char>(), {std::numeric_limits<I>::max(), I(1)}, {std::numeric_limits<I>::min(), I(1)}};
  CHECK(v.extent(0) == i64(std::numeric_limits<I>::max()));
  CHECK(v.stride_bytes(0) == i64(std::numeric_limits<I>::min()));
  CHECK(!v.overflowed());
}

TEST_CASE("integer types mix in one list") {
  const short       a = 3;
  const unsigned    b = 5;
  const std::size_t c = 7;
  const TensorView  v{somewhere<double>(), {a, b, c, 9L, (unsigned short)(16)}};
  CHECK(has_extents(v, {3, 5, 7, 9, 16}));
  CHECK(has_strides(v, {5 * 7 * 9 * 16 * 8, 7 * 9 * 16 * 8, 9 * 16 * 8, 16 * 8, 8}));
}

TEST_CASE("unsigned numbers above 2^63 are noticed, signed ones never are") {
  unsigned char* a    = somewhere<unsigned char>();
  const u64      half = u64(1) << 63;
  CHECK(!TensorView{a, {1, half - 1}}.overflowed());
  for (u64 n : {half, half + 1, ~u64(0)}) {
    const TensorView extents{a, {n, 1}};
    CHECK(extents.overflowed());
    CHECK(extents.extent(0) == largest);  // not negative
    const TensorView strides{a, {2, 2}, {n, 1}};
    CHECK(strides.overflowed());
    CHECK(strides.stride_bytes(0) == largest);
    const TensorView bytes{a, {2, 2}, tma::byte_strides(n, 1)};
    CHECK(bytes.overflowed());
    CHECK(bytes.stride_bytes(0) == largest);
  }
  // What `n - m` makes of unsigned operands that cross: not a small negative number.
  const std::size_t n = 3, m = 4;
  CHECK(TensorView{a, {n - m, 64}}.overflowed());
  const TensorView negative{a, {-1LL, 64}};
  CHECK(!negative.overflowed());
  CHECK(negative.extent(0) == -1);
}

TEST_CASE("products that leave 64 bits are noticed") {
  // Extents times the element size.
  CHECK(!TensorView{somewhere<unsigned char>(), {i64(1) << 62}}.overflowed());
  CHECK(!TensorView{somewhere<double>(), {i64(1) << 59}}.overflowed());
  CHECK(TensorView{somewhere<double>(), {i64(1) << 60}}.overflowed());
  CHECK(TensorView{somewhere<double>(), {i64(1) << 62}}.overflowed());
  // Extents with one another.
  CHECK(!TensorView{somewhere<unsigned char>(), {i64(1) << 31, i64(1) << 31}}.overflowed());
  CHECK(TensorView{somewhere<unsigned char>(), {i64(1) << 32, i64(1) << 31}}.overflowed());
  CHECK(TensorView{somewhere<unsigned short>(), {i64(1) << 31, i64(1) << 31}}.overflowed());
  CHECK(TensorView{somewhere<float>(), {1 << 13, 1 << 13, 1 << 13, 1 << 13, 1 << 13}}.overflowed());
  CHECK(TensorView{somewhere<float>(), {4, i64(1) << 62, 16}}.overflowed());
  // Strides times the element size, of both signs.
  CHECK(!TensorView{somewhere<double>(), {2, 2}, {largest / 8, 1}}.overflowed());
  CHECK(TensorView{somewhere<double>(), {2, 2}, {largest / 8 + 1, 1}}.overflowed());
  CHECK(TensorView{somewhere<double>(), {2, 2}, {1, largest}}.overflowed());
  CHECK(TensorView{somewhere<double>(), {2, 2}, {INT64_MIN / 8 - 1, 1}}.overflowed());
  CHECK(!TensorView{somewhere<double>(), {2, 2}, {INT64_MIN / 8, 1}}.overflowed());
  // Byte strides are not multiplied.
  CHECK(!TensorView{somewhere<double>(), {2, 2}, tma::byte_strides(largest, 8)}.overflowed());
  // 32 bits are no limit.
  const TensorView large{somewhere<float>(), {65384, 65384}};
  CHECK(has_strides(large, {65384LL * 4, 4}));
  const TensorView deep{somewhere<unsigned short>(), {4, 1 << 20, 1 << 12}};
  CHECK(has_strides(deep, {i64(1) << 33, 1 << 13, 2}));
  CHECK(!deep.overflowed());
}

TEST_CASE("an overflow is a broken rule, and never a harmless number") {
  // In each of these a wrapped product would be 0 or negative.
  const auto judge = [](const auto& view) {
    tma::MapRequest r        = request(view);
    const int       size     = r.element_size();
    r.box[r.inner()]         = 16 / size;
    const tma::Report report = tma::check(r);
    INFO(report.text().c_str());
    report::check_texts(report);
    CHECK(report.has("M6"));
    CHECK(!report.has("M5"));
    for (const tma::Violation& v : report) {
      CHECK(!report::contains(v.value, "-"));
      CHECK(!report::contains(v.rule, "negative"));
    }
  };
  judge(TensorView{somewhere<double>(), {2, 2}, {i64(1) << 61, 1}});
  judge(TensorView{somewhere<double>(), {2, 2}, {i64(1) << 60, 1}});
  judge(TensorView{somewhere<unsigned char>(), {4, i64(1) << 32, i64(1) << 32}});
  judge(TensorView{somewhere<unsigned char>(), {4, i64(1) << 32, i64(1) << 31}});
  judge(TensorView{somewhere<double>(), {2, 2}, {~std::size_t(0), 1}});
  judge(TensorView{somewhere<float>(), {~std::size_t(0), 64}});
}

TEST_CASE("const and non-const, and what may be stored to") {
  float            value[4] = {};
  const float      fixed[4] = {};
  const TensorView writable{value, {4}};
  const TensorView readable{fixed, {4}};
  static_assert(std::is_same_v<decltype(writable), const TensorView<float, 1>>);
  static_assert(std::is_same_v<decltype(readable), const TensorView<const float, 1>>);
  static_assert(std::is_same_v<decltype(writable.data()), float*>);
  static_assert(std::is_same_v<decltype(readable.data()), const float*>);
  CHECK(writable.data() == value);
  CHECK(readable.data() == fixed);
  CHECK(request(writable).stores);
  CHECK(!request(readable).stores);
  CHECK((request(readable).type == tma::ElementType::f32));
}

TEST_CASE("ranks 1 to 5, slowest first") {
  short* a = somewhere<short>();
  CHECK(has_strides(TensorView{a, {7}}, {2}));
  CHECK(has_strides(TensorView{a, {5, 7}}, {14, 2}));
  CHECK(has_strides(TensorView{a, {3, 5, 7}}, {70, 14, 2}));
  CHECK(has_strides(TensorView{a, {2, 3, 5, 7}}, {210, 70, 14, 2}));
  CHECK(has_strides(TensorView{a, {11, 2, 3, 5, 7}}, {420, 210, 70, 14, 2}));
  CHECK(has_strides(TensorView{a, {11, 2, 3, 5, 7}, {1, 20, 300, 4000, 50000}}, {2, 40, 600, 8000, 100000}));
  CHECK(has_strides(TensorView{a, {2, 3, 5}, tma::byte_strides(1, 20, 300)}, {1, 20, 300}));
  const tma::MapRequest r = request(TensorView{a, {11, 2, 3, 5, 7}, {1, 20, 300, 4000, 1}});
  CHECK(r.rank == 5);
  CHECK(r.extent[0] == 11);
  CHECK(r.extent[4] == 7);
  CHECK(r.stride[0] == 2);
  CHECK(r.stride[3] == 8000);
  CHECK(r.stride[4] == 2);
  CHECK(r.base == a);
}

TEST_CASE("strides are taken as given, never computed anew") {
  // One slice of a fused buffer: its rows are 2048 elements apart.
  const TensorView slice{somewhere<unsigned short>(), {20, 4, 128}, {2048, 512, 1}};
  CHECK(has_strides(slice, {4096, 1024, 2}));
  // A different padding in each dimension.
  const TensorView padded{somewhere<unsigned short>(), {2, 3, 4, 5, 64}, {20000, 5000, 1000, 72, 1}};
  CHECK(has_strides(padded, {40000, 10000, 2000, 144, 2}));
  const tma::MapRequest r = request(padded);
  for (int d = 0; d < 5; ++d) CHECK(r.stride[d] == padded.stride_bytes(d));
}

TEST_CASE("the stride of a dimension of one element is replaced by one the driver takes") {
  float* a = somewhere<float>();
  // Of the rows: what it would be if the tensor were dense, in whole 32-byte pieces.
  for (i64 odd : {i64(0), i64(1), i64(7), i64(-3), i64(1) << 50}) {
    INFO("stride " << odd);
    CHECK(request(TensorView{a, {1, 64}, {odd, 1}}).stride[0] == 256);
    CHECK(request(TensorView{a, {1, 60}, {odd, 1}}).stride[0] == 256);
    CHECK(request(TensorView{a, {1, 1}, {odd, 1}}).stride[0] == 32);
    CHECK(request(TensorView{a, {64, 1, 64}, {1024, odd, 1}}).stride[1] == 256);
    CHECK(request(TensorView{a, {64, 1, 64}, {1024, odd, 1}}).stride[0] == 4096);  // used: as given
    CHECK(request(TensorView{a, {1, 1, 64}, {odd, odd, 1}}).stride[0] == 256);
    CHECK(request(TensorView{a, {1, 16, 64}, {odd, 64, 1}}).stride[0] == 4096);
  }
  // In every rank and dimension the result is a legal stride.
  for (int d = 0; d < 4; ++d)
    for (i64 odd : {i64(0), i64(1), i64(-1), i64(33), largest / 4}) {
      i64 extents[] = {3, 3, 3, 3, 64}, strides[] = {64 * 27, 64 * 9, 64 * 3, 64, 1};
      extents[d]              = 1;
      strides[d]              = odd;
      const tma::MapRequest r = request(TensorView{a,
                                                   {extents[0], extents[1], extents[2], extents[3], extents[4]},
                                                   {strides[0], strides[1], strides[2], strides[3], strides[4]}});
      CHECK(r.stride[d] % 32 == 0);
      CHECK(r.stride[d] > 0);
      CHECK(r.stride[d] < i64(1) << 40);
      for (int k = 0; k < 5; ++k)
        if (k != d) CHECK(r.stride[k] == strides[k] * 4);
    }
  // Of the row: dense.
  CHECK(request(TensorView{a, {16, 1}, {4, 9}}).stride[1] == 4);
  CHECK(request(TensorView{a, {16, 1}, {4, 9}}).stride[0] == 16);
  CHECK(request(TensorView{a, {1}, {0}}).stride[0] == 4);
  // A dense view behind a far dimension, where what is dense is out of range.
  const tma::MapRequest far = request(TensorView{a, {1, 1 << 20, 64}, {1, i64(1) << 30, 1}});
  CHECK(far.stride[0] == 32);
  const auto behind = [&](i64 rows, i64 bytes) {
    return request(TensorView{a, {1, rows, 64}, tma::byte_strides(1, bytes, 4)}).stride[0];
  };
  CHECK(behind(2, (i64(1) << 39) - 32) == (i64(1) << 40) - 64);
  CHECK(behind(2, i64(1) << 39) == 32);
  // With an extent of two it stays as it is, and the rules judge it.
  CHECK(request(TensorView{a, {2, 64}, {7, 1}}).stride[0] == 28);
}

TEST_CASE("dense strides above an extent that is no count are 0, never negative") {
  unsigned short* a = somewhere<unsigned short>();
  CHECK(has_strides(TensorView{a, {4, 0, 128}}, {0, 256, 2}));
  CHECK(has_strides(TensorView{a, {4, 16, 0}}, {0, 0, 2}));
  CHECK(has_strides(TensorView{a, {4, -2, 128}}, {0, 256, 2}));
  CHECK(has_strides(TensorView{a, {4, 16, -1}}, {0, 0, 2}));
  CHECK(has_strides(TensorView{a, {-4, 16, 64}}, {2048, 128, 2}));
  CHECK(!TensorView{a, {4, -2, 128}}.overflowed());
}
