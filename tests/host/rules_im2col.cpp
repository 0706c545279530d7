// The rules of im2col maps and of four rows, both ways, and that what all maps share holds of them as well.
#include <tma/host/im2col.hpp>

#include <climits>
#include <cstdint>
#include <initializer_list>

#include "report.hpp"

namespace {

using report::is_empty;
using report::is_only;
using report::names;
using report::Says;
using tma::ElementType;
using tma::Fill;
using tma::Interleave;
using tma::MapRequest;
using tma::Severity;
using tma::Swizzle;
using tma::Traversal;
using i64 = tma::detail::i64;

const void* address(std::uintptr_t a) { return reinterpret_cast<const void*>(a); }

constexpr std::uintptr_t base = 0x7f2a40000000;

constexpr Traversal all_ways[] = {Traversal::im2col, Traversal::im2col_w, Traversal::im2col_w128};

bool wide(Traversal way) { return way != Traversal::im2col; }

// A request that breaks no rule and draws no warning: pixels of 512 bytes, of which 64 travel, in a box inset by a pixel.
MapRequest good(Traversal way = Traversal::im2col, int rank = 4, ElementType type = ElementType::f16) {
  MapRequest r;
  r.type          = type;
  r.rank          = rank;
  r.base          = address(base);
  r.traversal     = way;
  r.swizzle       = wide(way) ? Swizzle::bytes_64 : Swizzle::none;
  const int inner = rank - 1, size = tma::element_bytes(type);
  r.box[inner]    = size ? 64 / size : 128;
  r.extent[inner] = 4 * r.box[inner];
  r.stride[inner] = size ? size : type == ElementType::u6_align16 ? 12 : 8;
  r.pixels        = 128;
  i64 stride      = 512;
  for (int d = inner - 1; d >= 0; --d) {
    r.extent[d] = 20 + d;
    r.stride[d] = stride;
    stride *= r.extent[d];
    if (d == 0 || (wide(way) && d < inner - 1)) continue;
    r.lower[d] = 1;
    r.upper[d] = -1;
  }
  return r;
}

template <class Change> MapRequest with(MapRequest r, Change change) {
  change(r);
  return r;
}

void breaks(const MapRequest& r, const char* id, const Says& says) {
  is_only(tma::check_im2col(r), id, Severity::error, says);
}
void passes(const MapRequest& r) { is_empty(tma::check_im2col(r)); }

std::string corner(const char* name, Traversal way, int d) {
  return wide(way) ? std::string(name) : std::string(name) + "[" + std::to_string(d - 1) + "]";
}

}  // namespace

TEST_CASE("the im2col request the tests start from breaks nothing, in every rank, type and way") {
  for (Traversal way : all_ways)
    for (int rank = 3; rank <= 5; ++rank)
      for (int t = 0; t < 13; ++t) {
        INFO("rank " << rank << ", " << tma::element_name(ElementType(t)));
        passes(good(way, rank, ElementType(t)));
      }
}

TEST_CASE("I1: an im2col tensor has rank 3 to 5") {
  for (Traversal way : all_ways) {
    for (int rank : {-1, 0, 1, 2}) {
      const std::string value = std::to_string(rank);
      const MapRequest  r     = with(good(way, 3), [&](auto& q) {
        q.rank      = rank;
        q.extent[0] = q.extent[1] = 256;
        q.stride[0] = rank == 2 ? 512 : 2, q.stride[1] = 2;
        q.box[0] = q.box[1] = 32;
      });
      names(tma::check_im2col(r), "I1", Severity::error, {"rank", value.c_str(), "3 to 5", "extent 1"});
      CHECK(!tma::check_im2col(r).has("T3"));
    }
    breaks(with(good(way, 5), [](auto& r) { r.rank = 6; }), "I1", {"rank", "6", "3 to 5", "merge"});
  }
}

TEST_CASE("I2: corners fit the bits a map has for them") {
  for (Traversal way : all_ways)
    for (int rank = 3; rank <= 5; ++rank) {
      const int limit = wide(way) || rank == 3 ? 32768 : rank == 4 ? 128 : 16;
      for (int d = wide(way) ? rank - 2 : 1; d < rank - 1; ++d) {
        INFO("way " << int(way) << ", rank " << rank << ", dimension " << d);
        const auto        lower = [&](int n) { return with(good(way, rank), [&](auto& r) { r.lower[d] = n; }); };
        const auto        upper = [&](int n) { return with(good(way, rank), [&](auto& r) { r.upper[d] = n; }); };
        const std::string range = std::to_string(-limit) + " to " + std::to_string(limit - 1);
        passes(lower(-limit));
        passes(upper(limit - 1));
        for (int n : {-limit - 1, limit, INT_MIN, INT_MAX}) {
          const std::string value = std::to_string(n), low = corner("lower", way, d), up = corner("upper", way, d);
          breaks(lower(n), "I2", {low.c_str(), value.c_str(), range.c_str(), limit == 32768 ? "split" : "pad or crop"});
          breaks(upper(n), "I2", {up.c_str(), value.c_str(), range.c_str(), limit == 32768 ? "split" : "pad or crop"});
        }
      }
    }
  // Corners that no map of this kind has are not looked at.
  passes(with(good(Traversal::im2col_w, 5), [](auto& r) { r.lower[1] = 1000, r.upper[2] = -1000; }));
}

TEST_CASE("I3: the bounding box holds a pixel") {
  for (Traversal way : all_ways)
    for (int rank = 3; rank <= 5; ++rank)
      for (int d = wide(way) ? rank - 2 : 1; d < rank - 1; ++d) {
        // Of n pixels, as far as the corners reach.
        const auto box = [&](i64 extent, int lower, int upper) {
          return with(good(way, rank), [&](auto& r) {
            r.extent[d] = extent;
            for (int k = d - 1; k >= 0; --k) r.stride[k] = r.stride[k + 1] * r.extent[k + 1];
            r.lower[d] = lower;
            r.upper[d] = upper;
          });
        };
        const std::string up = corner("upper", way, d);
        passes(box(1, 0, 0));
        passes(box(8, 0, -7));
        passes(box(8, 7, 0));
        passes(box(1, -15, -15));
        passes(box(1, 15, 15));
        breaks(box(8, 0, -8), "I3", {up.c_str(), "-8 with lower 0 and extent 8", "extent + upper - lower is 0", "padding"});
        breaks(box(8, 4, -5), "I3", {up.c_str(), "-5 with lower 4", "is -1", "filter"});
        breaks(box(1, 1, 0), "I3", {up.c_str(), "0 with lower 1", "is 0", "dilation"});
      }
}

TEST_CASE("I3: the driver counts in 32 bits") {
  const auto box = [](i64 extent, int lower, int upper) {
    return with(good(Traversal::im2col, 3), [&](auto& r) {
      r.extent[1] = extent, r.lower[1] = lower, r.upper[1] = upper;
      r.stride[0] = 1 << 20;
    });
  };
  const auto has = [](const MapRequest& r) { return tma::check_im2col(r).has("I3"); };
  const i64  end = i64(1) << 31;
  for (int lower : {-5, 0, 5})
    for (int upper : {-5, 0, 5}) {
      CHECK(!has(box(end - 1 - upper, lower, upper)));
      CHECK(has(box(end - upper, lower, upper)));
      CHECK(has(box(2 * end - upper + lower, lower, upper)) == (2 * end - upper + lower <= 2 * end));
    }
  CHECK(!has(box(2 * end - 4, -5, 0)));  // wraps around to what lies behind the lower corner
  CHECK(has(box(2 * end - 5, -5, 0)));
  CHECK(has(box(2 * end, 0, 0)));
  names(tma::check_im2col(box(end, 0, 3)), "I3", Severity::error,
        {"upper[0]", "3 with extent 2147483648", "below 2^31: extent + upper is 2147483651", "split"});
}

TEST_CASE("I3: corners of interleaved layouts belong to the dimensions behind the slices") {
  for (int rank = 3; rank <= 5; ++rank)
    for (int d = 2; d < rank; ++d) {
      const auto box = [&](int dimension, i64 extent) {
        return with(good(Traversal::im2col, rank), [&](auto& r) {
          r.interleave        = Interleave::bytes_16;
          r.box[rank - 1]     = 8;
          r.lower[d - 1]      = 0;
          r.upper[d - 1]      = -7;
          r.extent[dimension] = extent;
        });
      };
      INFO("rank " << rank << ", dimension " << d);
      passes(box(d, 8));
      const std::string name = "upper[" + std::to_string(d - 2) + "]";
      breaks(box(d, 7), "I3", {name.c_str(), "-7 with lower 0 and extent 7", "is 0", "padding"});
      passes(box(1, 1));  // slices have no corners
    }
}

TEST_CASE("M14: an interleaved copy brings the channels of one slice; T24: boxes of up to 228 KiB") {
  const auto slice = [](int channels, Interleave layout) {
    return with(good(Traversal::im2col, 4, ElementType::f32), [&](auto& r) { r.interleave = layout, r.box[3] = channels; });
  };
  passes(slice(4, Interleave::bytes_16));
  CHECK(!tma::check_im2col(slice(8, Interleave::bytes_32)).has("M14"));
  breaks(slice(8, Interleave::bytes_16), "M14", {"box[3]", "8 channels of f32", "one slice of 16 bytes", "4 channels"});
  const auto box = [](int pixels) {
    return with(good(Traversal::im2col, 4, ElementType::u8),
                [&](auto& r) { r.pixels = pixels, r.box[3] = 256, r.shared_limit = INT_MAX, r.element_stride[1] = 2; });
  };
  passes(box(912));
  breaks(box(913), "T24", {"box", "233728 bytes", "up to 233472", "smaller"});
}

TEST_CASE("I4: 1 to 256 channels; T10, T11, T14: of whole pieces, within the swizzle") {
  const auto channels = [](int n, ElementType type = ElementType::u8, Swizzle swizzle = Swizzle::none) {
    return with(good(Traversal::im2col, 4, type), [&](auto& r) { r.box[3] = n, r.swizzle = swizzle; });
  };
  for (int n : {16, 240, 256}) passes(channels(n));
  breaks(channels(272), "I4", {"channels", "272", "1 to 256", "smaller tiles"});
  breaks(channels(0), "I4", {"channels", "0", "1 to 256", "at least one"});
  breaks(channels(-16), "I4", {"channels", "-16", "1 to 256", "at least one"});
  breaks(channels(8), "T10", {"box[3]", "8 elements of u8", "multiple of 16 bytes", "16 elements wide"});
  passes(channels(64, ElementType::f16, Swizzle::bytes_128));
  breaks(channels(80, ElementType::f16, Swizzle::bytes_128), "T14",
         {"box[3]", "80 elements of f16 (160 bytes)", "at most 128 bytes", "64 elements"});
  for (ElementType type : {ElementType::u4_align16, ElementType::u6_align16}) {
    passes(channels(128, type));
    breaks(channels(256, type), "T11", {"box[3]", "256", "exactly 128", "make it 128"});
  }
}

TEST_CASE("I5: 1 to 1024 pixels, and W4: 128 of them") {
  const auto pixels = [](Traversal way, int n) {
    return with(good(way, 4, ElementType::u8), [&](auto& r) { r.pixels = n, r.box[3] = 64; });
  };
  for (Traversal way : {Traversal::im2col, Traversal::im2col_w}) {
    for (int n : {1, 127, 128, 129, 1023, 1024}) passes(pixels(way, n));
    breaks(pixels(way, 1025), "I5", {"pixels", "1025", "1 to 1024", "smaller tiles"});
    breaks(pixels(way, 0), "I5", {"pixels", "0", "1 to 1024", "at least one"});
    breaks(pixels(way, -1), "I5", {"pixels", "-1", "1 to 1024", "at least one"});
  }
  passes(pixels(Traversal::im2col_w128, 128));
  for (int n : {0, -1, 1025})
    breaks(pixels(Traversal::im2col_w128, n), "I5", {"pixels", std::to_string(n).c_str(), "1 to 1024", "128 pixels"});
  for (int n : {1, 64, 127, 129, 1024})
    breaks(pixels(Traversal::im2col_w128, n), "W4", {"pixels", std::to_string(n).c_str(), "always brings 128", "Im2colW"});
}

TEST_CASE("I8: element strides are the convolution's: they change neither pixels nor channels") {
  for (Traversal way : all_ways) {
    const MapRequest r = with(good(way), [](auto& q) { q.element_stride[1] = 2, q.element_stride[2] = 8; });
    passes(r);
    CHECK(r.payload_bytes() == 128 * 64);
    CHECK(r.footprint_bytes() == 128 * 64);
    const tma::TensorBox box = r;
    CHECK(box.payload_bytes() == 128 * 64);
    CHECK(box.rows() == 128);
  }
  breaks(with(good(), [](auto& r) { r.element_stride[2] = 9; }), "T12", {"element_strides[2]", "9", "1 to 8", "stride"});
}

TEST_CASE("I9: offsets of a load are unsigned, of so many bits") {
  is_empty(tma::check_im2col_offsets<1>({65535}));
  is_empty(tma::check_im2col_offsets<2>({255, 0}));
  is_empty(tma::check_im2col_offsets<3>({31, 0, 31}));
  is_only(tma::check_im2col_offsets<1>({65536}), "I9", Severity::error,
          {"offset[0]", "65536", "0 to 65535", "lower corner"});
  is_only(tma::check_im2col_offsets<2>({0, 256}), "I9", Severity::error, {"offset[1]", "256", "0 to 255 with 2", "lower"});
  is_only(tma::check_im2col_offsets<3>({32, 1, 2}), "I9", Severity::error, {"offset[0]", "32", "0 to 31 with 3", "fewer"});
  is_only(tma::check_im2col_offsets<3>({0, -1, 2}), "I9", Severity::error, {"offset[1]", "-1", "0 to 31", "fewer"});
}

TEST_CASE("I10: stores stay inside the tensor") {
  for (Traversal way : all_ways)
    for (int rank = 3; rank <= 5; ++rank)
      for (int d = wide(way) ? rank - 2 : 1; d < rank - 1; ++d) {
        const auto corners = [&](int lower, int upper, bool stores) {
          return with(good(way, rank), [&](auto& r) { r.lower[d] = lower, r.upper[d] = upper, r.stores = stores; });
        };
        const std::string low = corner("lower", way, d), up = corner("upper", way, d);
        passes(corners(0, 0, true));
        passes(corners(2, -2, true));
        passes(corners(-1, 1, false));
        breaks(corners(-1, 0, true), "I10", {low.c_str(), "-1", "inside the tensor", "const elements"});
        breaks(corners(0, 1, true), "I10", {up.c_str(), "1", "inside the tensor", "const elements"});
      }
}

TEST_CASE("W1 to W3: along w alone needs capability 10, a swizzle of its own, and no interleave") {
  for (Traversal way : {Traversal::im2col_w, Traversal::im2col_w128}) {
    const auto on = [&](int capability) { return with(good(way), [&](auto& r) { r.compute_capability = capability; }); };
    breaks(
        on(90), "W1",
        {"traversal", way == Traversal::im2col_w ? "im2col_w" : "im2col_w128", "10.0; this device has 9.0", "tma::Im2col"});
    for (int capability : {0, 100, 103, 120}) passes(on(capability));
    for (int s = 0; s < 7; ++s) {
      const MapRequest r = with(good(way), [&](auto& q) { q.swizzle = Swizzle(s), q.box[3] = 16; });
      if (s == 2 || s == 3 || s == 4) passes(r);
      else
        breaks(r, "W2",
               {"swizzle", tma::swizzle_name(Swizzle(s)), "bytes_64, bytes_128 and bytes_128_atom_32", "bytes_128"});
    }
    breaks(with(good(way), [](auto& r) { r.interleave = Interleave::bytes_16, r.box[3] = 8; }), "W3",
           {"interleave", "1", "not interleaved", "none"});
  }
  passes(with(good(), [](auto& r) { r.compute_capability = 90; }));
  passes(with(good(), [](auto& r) { r.interleave = Interleave::bytes_16, r.box[3] = 8; }));
}

TEST_CASE("what holds of any map holds of these") {
  for (Traversal way : all_ways)
    for (int rank = 3; rank <= 5; ++rank) {
      const auto has = [&](const char* id, auto change) {
        const tma::Report report = tma::check_im2col(with(good(way, rank), change));
        INFO(id << ", way " << int(way) << ", rank " << rank << "\n" << report.text().c_str());
        CHECK(report.has(id));
        report::check_texts(report);
      };
      has("T1", [](auto& r) { r.destination = address(base + 32); });
      has("T2", [](auto& r) { r.type = ElementType(16); });
      has("T4", [](auto& r) { r.base = address(base + 8); });
      has("T5", [](auto& r) { r.extent[0] = 0; });
      has("T7", [](auto& r) { r.stride[0] += 8; });
      has("T8", [](auto& r) { r.stride[0] = 16; });
      has("T12", [](auto& r) { r.element_stride[1] = 0; });
      has("T13", [](auto& r) { r.interleave = Interleave(3); });
      has("T14", [&](auto& r) { r.box[rank - 1] = 128, r.swizzle = Swizzle::bytes_64; });
      has("T15", [](auto& r) { r.interleave = Interleave::bytes_32, r.swizzle = Swizzle::none; });
      has("T18", [](auto& r) { r.promotion = tma::Promotion(4); });
      has("T19", [](auto& r) { r.type = ElementType::u16, r.fill = Fill::nan; });
      has("T20", [&](auto& r) { r.pixels = 1024, r.box[rank - 1] = 256, r.swizzle = Swizzle::none; });
      has("M1", [&](auto& r) { r.stride[rank - 1] = 4; });
      has("M2", [](auto& r) { r.base = nullptr; });
      has("M3", [](auto& r) { r.base_kind = tma::PointerKind::pageable_host; });
      has("M4", [&](auto& r) { r.stores = true, r.extent[rank - 1] = 33; });
      has("M5", [](auto& r) { r.stores = true, r.stride[0] = 0; });
      has("M6", [](auto& r) { r.overflow = true; });
      has("M7", [](auto& r) { r.swizzle = Swizzle::bytes_128_atom_64, r.compute_capability = 90; });
    }
}

TEST_CASE("no text of the im2col rules is cut") {
  const int numbers[] = {INT_MIN, -32769, -1, 0, 1, 1025, INT_MAX};
  for (Traversal way : all_ways)
    for (int rank : {-1, 2, 3, 4, 5, 6})
      for (int n : numbers)
        for (i64 extent : {i64(INT64_MIN), i64(0), i64(1), i64(1) << 32, i64(INT64_MAX)}) {
          MapRequest r         = good(way, 5);
          r.rank               = rank;
          r.stores             = true;
          r.pixels             = n;
          r.compute_capability = 90;
          r.interleave         = Interleave::bytes_16;
          for (int d = 0; d < 5; ++d) r.lower[d] = n, r.upper[d] = -(n / 2), r.box[d] = n, r.extent[d] = extent;
          report::check_texts(tma::check_im2col(r));
        }
}

TEST_CASE("G1 and M7: four rows are plain, and need capability 10") {
  MapRequest r;
  r.type      = ElementType::f32;
  r.rank      = 2;
  r.base      = address(base);
  r.extent[0] = 100;
  r.extent[1] = 64;
  r.stride[0] = 256;
  r.stride[1] = 4;
  tma::detail::set_rows4(r, 32, Swizzle::bytes_128);
  is_empty(tma::check(r));
  CHECK(r.box[0] == 1);
  CHECK(r.box[1] == 32);
  CHECK(r.payload_bytes() == 512);
  CHECK(r.footprint_bytes() == 512);
  is_only(tma::check(with(r, [](auto& q) { q.element_stride[0] = 2; })), "G1", Severity::error,
          {"element_strides[0]", "2", "named by itself", "leave it 1"});
  CHECK(tma::check(with(r, [](auto& q) { q.interleave = Interleave::bytes_16; })).has("G1"));
  is_only(tma::check(with(r, [](auto& q) { q.compute_capability = 90; })), "M7", Severity::error,
          {"traversal", "rows4", "10.0; this device has 9.0", "a tile of one row"});
  is_empty(tma::check(with(r, [](auto& q) { q.compute_capability = 100; })));
}
