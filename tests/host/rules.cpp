// Every rule both ways: a request that breaks it and nothing else, and the nearest ones that do not break it.
#include <tma/core/gather.hpp>
#include <tma/host/aligned.hpp>
#include <tma/host/launch.hpp>
#include <tma/host/make_descriptor.hpp>
#include <tma/host/rules.hpp>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <random>
#include <utility>

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
using tma::PointerKind;
using tma::Promotion;
using tma::Severity;
using tma::Swizzle;
using i64 = tma::detail::i64;

constexpr i64 two_to_the(int n) { return i64(1) << n; }

const void* address(std::uintptr_t a) { return reinterpret_cast<const void*>(a); }

constexpr std::uintptr_t base = 0x7f2a40000000;

std::string hexadecimal(std::uintptr_t a) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(a));
  return text;
}

constexpr ElementType all_types[] = {
    ElementType::u8,       ElementType::u16,       ElementType::u32,        ElementType::i32,
    ElementType::u64,      ElementType::i64,       ElementType::f16,        ElementType::f32,
    ElementType::f64,      ElementType::bf16,      ElementType::f32_ftz,    ElementType::tf32,
    ElementType::tf32_ftz, ElementType::u4_align8, ElementType::u4_align16, ElementType::u6_align16};

// In the driver's order: none, 32, 64, 128 bytes, and the modes with larger atoms.
constexpr Swizzle all_swizzles[] = {Swizzle::none,
                                    Swizzle::bytes_32,
                                    Swizzle::bytes_64,
                                    Swizzle::bytes_128,
                                    Swizzle::bytes_128_atom_32,
                                    Swizzle::bytes_128_atom_32_flip_8,
                                    Swizzle::bytes_128_atom_64};

constexpr int span_of[] = {0, 32, 64, 128, 128, 128, 128};

bool packed(ElementType t) { return t >= ElementType::u4_align8; }
bool align16(ElementType t) { return t == ElementType::u4_align16 || t == ElementType::u6_align16; }

// A request that breaks no rule and draws no warning: rows of 256 bytes 512 bytes apart, in tiles of 64-byte rows. Of the
// packed types rows of 512 elements in tiles of 128.
MapRequest good(int rank = 2, ElementType type = ElementType::f32) {
  MapRequest r;
  r.type          = type;
  r.rank          = rank;
  r.base          = address(base);
  const int inner = rank - 1;
  const int size  = tma::element_bytes(type);
  r.box[inner]    = size ? 64 / size : 128;
  r.extent[inner] = 4 * r.box[inner];
  r.stride[inner] = size ? size : type == ElementType::u6_align16 ? 12 : 8;  // of packed types 16 elements are a unit
  i64 stride      = 512;
  for (int d = inner - 1; d >= 0; --d) {
    r.extent[d] = 10 + d;
    r.box[d]    = 4;
    r.stride[d] = stride;
    stride *= r.extent[d];
  }
  return r;
}

MapRequest interleaved(Interleave layout, int rank = 3, ElementType type = ElementType::f16) {
  MapRequest r = good(rank, type);
  r.interleave = layout;
  if (layout == Interleave::bytes_32) r.swizzle = Swizzle::bytes_32;
  // A tile has the channels of one slice.
  if (rank >= 3 && tma::element_bytes(type))
    r.box[1] = (layout == Interleave::bytes_32 ? 32 : 16) / tma::element_bytes(type);
  return r;
}

template <class Change> MapRequest with(MapRequest r, Change change) {
  change(r);
  return r;
}

void breaks(const MapRequest& r, const char* id, const Says& says) { is_only(tma::check(r), id, Severity::error, says); }

void warns(const MapRequest& r, const char* id, const Says& says) {
  const tma::Report report = tma::check(r);
  is_only(report, id, Severity::warning, says);
  CHECK(report.ok());
}

void passes(const MapRequest& r) { is_empty(tma::check(r)); }

// Where a neighbour cannot help breaking another rule.
void does_not_break(const MapRequest& r, const char* id) {
  const tma::Report report = tma::check(r);
  INFO(report.text().c_str());
  CHECK(!report.has(id));
}

std::string field(const char* name, int d) { return std::string(name) + "[" + std::to_string(d) + "]"; }

}  // namespace

TEST_CASE("the request the tests start from breaks nothing, in every rank and type") {
  for (int rank = 1; rank <= 5; ++rank)
    for (ElementType type : all_types) {
      INFO("rank " << rank << ", " << tma::element_name(type));
      passes(good(rank, type));
    }
  for (int rank = 3; rank <= 5; ++rank)
    for (Interleave layout : {Interleave::bytes_16, Interleave::bytes_32}) passes(interleaved(layout, rank));
}

TEST_CASE("T1: the map lies at a multiple of 64") {
  for (int offset : {0, 64, 128, 192}) passes(with(good(), [&](auto& r) { r.destination = address(base + offset); }));
  for (int offset : {8, 16, 32, 63, 65}) {
    const std::string rest = "remainder is " + std::to_string(offset % 64);
    breaks(with(good(), [&](auto& r) { r.destination = address(base + offset); }), "T1",
           {"descriptor address", hexadecimal(base + offset).c_str(), rest.c_str(), "multiple of 128"});
  }
}

TEST_CASE("T2: the element type is one of the driver's") {
  for (int type : {-1, 16, 1000}) {
    const std::string value = std::to_string(type);
    breaks(with(good(), [&](auto& r) { r.type = ElementType(type); }), "T2",
           {"element type", value.c_str(), "0 to 15", "tma::element_type<T>"});
  }
}

TEST_CASE("T3: rank 1 to 5; 3 to 5 with interleave") {
  breaks(with(good(1), [](auto& r) { r.rank = 0; }), "T3", {"rank", "0", "rank 1 to 5", "extent 1"});
  breaks(with(good(1), [](auto& r) { r.rank = -1; }), "T3", {"rank", "-1", "rank 1 to 5", "extent 1"});
  breaks(with(good(5), [](auto& r) { r.rank = 6; }), "T3", {"rank", "6", "rank 1 to 5", "merge dimensions"});
  for (Interleave layout : {Interleave::bytes_16, Interleave::bytes_32})
    for (int rank : {1, 2}) {
      const std::string value = std::to_string(rank);
      breaks(interleaved(layout, rank), "T3",
             {"rank", value.c_str(), "rank 3 to 5", "extent 1, or leave the interleave out"});
      passes(interleaved(layout, 3));
    }
  breaks(with(interleaved(Interleave::bytes_16, 5), [](auto& r) { r.rank = 6; }), "T3",
         {"rank", "6", "rank 3 to 5", "merge"});
}

TEST_CASE("T4: the base is a multiple of 16, or of 32") {
  for (int rank = 1; rank <= 5; ++rank) {
    for (int offset : {1, 2, 4, 8, 12, 15}) {
      const std::string value = hexadecimal(base + offset);
      const std::string rest  = "multiple of 16 bytes; the remainder is " + std::to_string(offset);
      const std::string fix   = std::to_string(offset) + " bytes earlier";
      breaks(with(good(rank), [&](auto& r) { r.base = address(base + offset); }), "T4",
             {"base", value.c_str(), rest.c_str(), fix.c_str()});
    }
    for (int offset : {16, 32, 48}) passes(with(good(rank), [&](auto& r) { r.base = address(base + offset); }));
  }
  for (ElementType type : all_types) {
    const MapRequest r = with(good(2, type), [](auto& q) { q.base = address(base + 16); });
    if (align16(type))
      breaks(r, "T4", {"base", "0x7f2a40000010", "multiple of 32 bytes; the remainder is 16", "16 bytes earlier"});
    else passes(r);
    passes(with(good(2, type), [](auto& q) { q.base = address(base + 32); }));
  }
  passes(with(interleaved(Interleave::bytes_16), [](auto& r) { r.base = address(base + 16); }));
  // A swizzle warns of a base that is no multiple of 128.
  const tma::Report report =
      tma::check(with(interleaved(Interleave::bytes_32), [](auto& r) { r.base = address(base + 16); }));
  CHECK((report::ids(report) == std::set<std::string>{"T4", "T21"}));
  names(report, "T4", Severity::error, {"base", "0x7f2a40000010", "multiple of 32", "16 bytes earlier"});
}

TEST_CASE("T5: every extent is 1 to 2^32") {
  for (int rank = 1; rank <= 5; ++rank)
    for (int d = 0; d < rank; ++d) {
      INFO("rank " << rank << ", dimension " << d);
      const std::string name = field("extent", d);
      for (bool stores : {false, true}) {
        const auto extent = [&](i64 n) {
          return with(good(rank), [&](auto& r) {
            r.extent[d] = n;
            r.stores    = stores;
          });
        };
        breaks(extent(0), "T5", {name.c_str(), "0", "empty: every extent is at least 1", "do not launch"});
        breaks(extent(-1), "T5", {name.c_str(), "-1", "1 to 2^32", "below zero"});
        if (d < rank - 1) passes(extent(1));  // the last row may end inside a 16-byte piece of a store
        does_not_break(extent(1), "T5");
        does_not_break(extent(two_to_the(32)), "T5");
        names(tma::check(extent(two_to_the(32) + 1)), "T5", Severity::error,
              {name.c_str(), "4294967297", "at most 2^32", "split the dimension in two"});
      }
    }
  breaks(with(good(), [](auto& r) { r.extent[0] = two_to_the(32) + 1; }), "T5",
         {"extent[0]", "4294967297", "2^32", "split the dimension"});
}

TEST_CASE("T6: rows of the packed types hold whole groups") {
  const auto rows = [](ElementType type, i64 n) { return with(good(2, type), [&](auto& r) { r.extent[1] = n; }); };
  for (ElementType type : {ElementType::u4_align16, ElementType::u6_align16}) {
    for (int n : {128, 256, 384}) passes(rows(type, n));
    for (int n : {1, 64, 127, 129, 255}) {
      const std::string value = std::to_string(n), fix = "pad the rows to " + std::to_string((n + 127) / 128 * 128);
      breaks(rows(type, n), "T6", {"extent[1]", value.c_str(), "multiple of 128 elements", fix.c_str()});
    }
  }
  passes(rows(ElementType::u4_align8, 126));
  passes(rows(ElementType::u4_align8, 2));
  breaks(rows(ElementType::u4_align8, 127), "T6", {"extent[1]", "127", "multiple of 2 elements", "128 elements"});
  for (ElementType type : all_types)
    if (!packed(type)) passes(rows(type, 1));
  // An extent that is no count at all is T5's.
  for (ElementType type : {ElementType::u4_align8, ElementType::u4_align16, ElementType::u6_align16})
    breaks(rows(type, -1), "T5", {"extent[1]", "-1", "1 to 2^32", "below zero"});
}

TEST_CASE("T7: strides are multiples of 16, not negative, below 2^40") {
  // With an extent of 1 in the dimension the stride overlaps nothing.
  const auto stride = [](int rank, int d, i64 bytes) {
    return with(good(rank), [&](auto& r) {
      r.extent[d] = 1;
      r.stride[d] = bytes;
    });
  };
  for (int rank = 2; rank <= 5; ++rank)
    for (int d = 0; d < rank - 1; ++d) {
      INFO("rank " << rank << ", dimension " << d);
      const std::string name = field("stride", d);
      for (i64 bytes : {i64(0), i64(16), i64(32), i64(48), two_to_the(36) - 16, two_to_the(36), two_to_the(40) - 16})
        does_not_break(stride(rank, d, bytes), "T7");
      for (i64 bytes : {i64(16), two_to_the(36) - 16, two_to_the(36), two_to_the(40) - 16})
        if (d == 0) passes(stride(rank, d, bytes));
      names(tma::check(stride(rank, d, 8)), "T7", Severity::error,
            {name.c_str(), "8 bytes (2 elements)", "multiple of 16 bytes; the remainder is 8",
             "pad to 16 bytes (4 elements)"});
      names(tma::check(stride(rank, d, -16)), "T7", Severity::error,
            {name.c_str(), "-16 bytes (-4 elements)", "not be negative", "other end"});
      names(tma::check(stride(rank, d, two_to_the(40))), "T7", Severity::error,
            {name.c_str(), "1099511627776 bytes (274877906944 elements)", "below 2^40", "each part"});
    }
  breaks(stride(2, 0, 8), "T7", {"stride[0]", "8 bytes (2 elements)", "multiple of 16", "16 bytes (4 elements)"});
  breaks(stride(2, 0, 6), "T7", {"stride[0]", "6 bytes", "the remainder is 6", "pad to 16 bytes"});
  breaks(stride(2, 0, -16), "T7", {"stride[0]", "-16 bytes", "not be negative", "other end"});
  breaks(stride(2, 0, -2), "T7", {"stride[0]", "-2 bytes", "not be negative", "other end"});
  // What only a wrapped number can be, no descriptor for each part mends.
  names(tma::check(stride(2, 0, -4)), "T7", Severity::error,
        {"stride[0]", "-4 bytes", "not be negative", "a subtraction of unsigned numbers that went below"});
  names(tma::check(stride(2, 0, two_to_the(48))), "T7", Severity::error,
        {"stride[0]", "281474976710656 bytes", "must be below 2^40",
         "look for a product or a difference that wrapped around"});
  names(tma::check(stride(2, 0, two_to_the(62))), "T7", Severity::error,
        {"stride[0]", "4611686018427387904 bytes", "below 2^40", "that wrapped around, or for bytes where elements"});
  breaks(stride(2, 0, two_to_the(40)), "T7", {"stride[0]", "1099511627776 bytes", "below 2^40", "descriptor"});
  breaks(stride(2, 0, two_to_the(40) - 8), "T7", {"stride[0]", "1099511627768 bytes", "the remainder is 8", "pad to"});
  passes(with(good(2), [](auto& r) { r.stride[0] = 0; }));  // every row the same: right for loads
  for (ElementType type : all_types) {
    const auto gap = [&](i64 bytes) {
      return with(good(2, type), [&](auto& r) {
        r.extent[0] = 1;
        r.stride[0] = bytes;
      });
    };
    passes(gap(1024));
    passes(gap(1056));
    if (align16(type))
      breaks(gap(1040), "T7", {"stride[0]", "1040 bytes", "multiple of 32 bytes; the remainder is 16", "1056 bytes"});
    else passes(gap(1040));
    names(tma::check(gap(1032)), "T7", Severity::error,
          {"stride[0]", "1032 bytes", align16(type) ? "multiple of 32" : "multiple of 16", align16(type) ? "1056" : "1040"});
  }
  const auto slices = [](Interleave layout, i64 bytes) {
    return with(interleaved(layout), [&](auto& r) { r.stride[0] = bytes; });
  };
  passes(slices(Interleave::bytes_16, 8192 + 16));
  passes(slices(Interleave::bytes_32, 8192 + 32));
  breaks(slices(Interleave::bytes_32, 8192 + 16), "T7",
         {"stride[0]", "8208 bytes (4104 elements)", "multiple of 32", "8224 bytes"});
}

TEST_CASE("T8: rows that overlap draw a warning") {
  const auto window = [](int rank, i64 bytes) {
    return with(good(rank), [&](auto& r) {
      for (int k = 0; k < rank - 1; ++k) r.stride[k] = r.stride[k] / 512 * bytes;
    });
  };
  for (int rank = 2; rank <= 5; ++rank) {
    INFO("rank " << rank);
    passes(window(rank, 256));
    // The rows overlap, and with them what lies above.
    const std::string name   = field("stride", rank - 2);
    const tma::Report report = tma::check(window(rank, 240));
    CHECK(report.ok());
    CHECK((report::ids(report) == std::set<std::string>{"T8"}));
    names(report, "T8", Severity::warning, {name.c_str(), "240 bytes (60 elements)", "256 bytes", "sliding window"});
  }
  warns(window(2, 240), "T8", {"stride[0]", "240 bytes (60 elements)", "256 bytes", "sliding window"});
  warns(window(2, 16), "T8", {"stride[0]", "16 bytes (4 elements)", "256 bytes", "sliding window"});
  warns(with(window(2, 16), [](auto& r) { r.stores = true; }), "T8", {"stride[0]", "16 bytes", "256 bytes", "stored"});
  passes(with(window(2, 16), [](auto& r) { r.extent[0] = 1; }));  // one row overlaps with none
}

TEST_CASE("T8: dimensions in another order than their strides do not overlap") {
  // Heads before steps: [batch][head][step][64], where a step holds all heads.
  passes(with(good(4, ElementType::f16), [](auto& r) {
    const i64 extents[] = {2, 4, 100, 64}, strides[] = {100 * 512, 128, 512, 2};
    for (int d = 0; d < 4; ++d) r.extent[d] = extents[d], r.stride[d] = strides[d];
  }));
  // Overlap is found whatever the order: heads 64 bytes apart that are 128 bytes wide.
  CHECK(tma::check(with(good(4, ElementType::f16), [](auto& r) {
          const i64 extents[] = {2, 4, 100, 64}, strides[] = {100 * 512, 64, 512, 2};
          for (int d = 0; d < 4; ++d) r.extent[d] = extents[d], r.stride[d] = strides[d];
        })).has("T8"));
}

TEST_CASE("T9: a box is 1 to 256 in each dimension") {
  for (int rank = 1; rank <= 5; ++rank)
    for (int d = 0; d < rank; ++d) {
      INFO("rank " << rank << ", dimension " << d);
      const std::string name = field("box", d);
      const bool        last = d == rank - 1;
      const auto        box  = [&](int n) {
        return with(good(rank), [&](auto& r) {
          for (int k = 0; k < rank - 1; ++k) r.box[k] = 1;
          r.box[d] = n;
        });
      };
      if (!last) passes(box(1));
      passes(box(256));
      breaks(box(0), "T9", {name.c_str(), "0", "1 to 256 elements", "at least one element"});
      breaks(box(-1), "T9", {name.c_str(), "-1", "1 to 256 elements", "subtraction or a cast that went below zero"});
      if (!last) breaks(box(257), "T9", {name.c_str(), "257", "1 to 256 elements", "smaller tiles"});
      names(tma::check(box(257)), "T9", Severity::error, {name.c_str(), "257", "1 to 256", "smaller tiles, or view"});
      breaks(box(272), "T9", {name.c_str(), "272", "1 to 256 elements", "smaller tiles"});
      names(tma::check(box(INT_MAX)), "T9", Severity::error,
            {name.c_str(), "2147483647", "1 to 256", "look for a number that wrapped around"});
      names(tma::check(box(4096)), "T9", Severity::error, {name.c_str(), "4096", "1 to 256", "smaller tiles"});
    }
  breaks(with(interleaved(Interleave::bytes_16), [](auto& r) { r.box[2] = 264; }), "T9",
         {"box[2]", "264", "1 to 256 elements", "smaller tiles"});
  // An element stride counts what it skips.
  breaks(with(good(), [](auto& r) { r.box[0] = 257, r.element_stride[0] = 2; }), "T9",
         {"box[0]", "257", "the elements that a stride skips included", "smaller tiles"});
}

TEST_CASE("T10: a row of the box is a multiple of 16 bytes") {
  for (int rank = 1; rank <= 5; ++rank)
    for (ElementType type : all_types) {
      const int size = tma::element_bytes(type);
      if (size == 0) continue;
      INFO("rank " << rank << ", " << tma::element_name(type));
      const std::string name = field("box", rank - 1);
      const auto width = [&](int elements) { return with(good(rank, type), [&](auto& r) { r.box[rank - 1] = elements; }); };
      for (int elements = 1; elements * size <= 128; ++elements) {
        const int bytes = elements * size;
        if (bytes % 16 == 0) {
          passes(width(elements));
          continue;
        }
        const std::string value =
            std::to_string(elements) + " elements of " + tma::element_name(type) + " (" + std::to_string(bytes) + " bytes)";
        const std::string rule = "multiple of 16 bytes; the remainder is " + std::to_string(bytes % 16);
        const std::string fix  = "make the row " + std::to_string((bytes + 15) / 16 * 16 / size) + " elements wide";
        breaks(width(elements), "T10", {name.c_str(), value.c_str(), rule.c_str(), fix.c_str()});
      }
    }
  const auto nibbles = [](int elements) {
    return with(good(2, ElementType::u4_align8), [&](auto& r) { r.box[1] = elements; });
  };
  for (int elements : {32, 64, 96, 256}) passes(nibbles(elements));
  breaks(nibbles(16), "T10", {"box[1]", "16 elements of u4_align8", "multiple of 32 such elements", "make it 32"});
  breaks(nibbles(255), "T10", {"box[1]", "255 elements of u4_align8", "multiple of 32 such elements", "make it 256"});
  // A row of an interleaved box is of slices; the driver asks it of elements all the same.
  for (Interleave layout : {Interleave::bytes_16, Interleave::bytes_32}) {
    for (int n : {8, 16, 64}) passes(with(interleaved(layout), [&](auto& r) { r.box[2] = n; }));
    for (int n : {1, 3, 12})
      breaks(with(interleaved(layout), [&](auto& r) { r.box[2] = n; }), "T10",
             {"box[2]", "elements of f16", "multiple of 16 bytes", "elements wide"});
  }
}

TEST_CASE("T11: a row of a 16-byte packed type is 128 elements") {
  for (int rank = 1; rank <= 5; ++rank)
    for (ElementType type : {ElementType::u4_align16, ElementType::u6_align16}) {
      const std::string name = field("box", rank - 1);
      passes(good(rank, type));
      for (int elements : {1, 64, 127, 129, 256}) {
        const std::string value = std::to_string(elements);
        breaks(with(good(rank, type), [&](auto& r) { r.box[rank - 1] = elements; }), "T11",
               {name.c_str(), value.c_str(), "exactly 128 elements", "make it 128"});
      }
    }
  passes(with(good(2, ElementType::u4_align8), [](auto& r) { r.box[1] = 64; }));
}

TEST_CASE("T12: element strides are 1 to 8; M13: the innermost is 1") {
  for (int rank = 1; rank <= 5; ++rank)
    for (int d = 0; d < rank; ++d) {
      INFO("rank " << rank << ", dimension " << d);
      const std::string name = field("element_strides", d);
      const bool        last = d == rank - 1;
      const auto        step = [&](int n) { return with(good(rank), [&](auto& r) { r.element_stride[d] = n; }); };
      passes(step(1));
      breaks(step(0), "T12", {name.c_str(), "0", "1 to 8", "stride of the view"});
      breaks(step(-1), "T12", {name.c_str(), "-1", "1 to 8", "stride of the view"});
      breaks(step(9), "T12", {name.c_str(), "9", "1 to 8", "stride of the view"});
      for (int n : {2, 8}) {
        const std::string value = std::to_string(n);
        if (last)
          breaks(step(n), "M13", {name.c_str(), value.c_str(), "ignores the stride of the innermost", "one more dimension"});
        else passes(step(n));
      }
    }
}

TEST_CASE("T12: an element stride belongs to a dimension of the tensor") {
  for (int rank = 1; rank <= 4; ++rank)
    for (int d = rank; d < 5; ++d) {
      INFO("rank " << rank << ", element stride of dimension " << d);
      const std::string name = field("element_strides", d), has = "this one has " + std::to_string(rank) + " dimension";
      for (int n : {-1, 2, 8, 9}) {
        const std::string value = std::to_string(n);
        breaks(with(good(rank), [&](auto& r) { r.element_stride[d] = n; }), "T12",
               {name.c_str(), value.c_str(), has.c_str(), "leave it out"});
      }
      passes(with(good(rank), [&](auto& r) { r.element_stride[d] = 1; }));
    }
}

TEST_CASE("T13: the interleave is one of the driver's, and none for the 6-bit type") {
  for (int layout : {-1, 3, 100}) {
    const std::string value = std::to_string(layout);
    breaks(with(good(3), [&](auto& r) { r.interleave = Interleave(layout); }), "T13",
           {"interleave", value.c_str(), "none, bytes_16 or bytes_32", "tma::Interleave::none"});
  }
  breaks(interleaved(Interleave::bytes_16, 3, ElementType::u6_align16), "T13",
         {"interleave", "1", "never interleaved", "tma::Interleave::none"});
  does_not_break(interleaved(Interleave::bytes_16, 3, ElementType::u4_align16), "T13");
}

TEST_CASE("T14: a row is at most as wide as its swizzle") {
  for (int rank : {1, 2, 5})
    for (ElementType type : all_types)
      for (int s = 0; s < 7; ++s)
        for (int bytes : {16, 32, 48, 64, 96, 128, 144, 256}) {
          const int size = tma::element_bytes(type);
          if (size == 0) continue;
          INFO(tma::element_name(type) << ", swizzle " << s << ", " << bytes << " bytes");
          const MapRequest r = with(good(rank, type), [&](auto& q) {
            q.swizzle = all_swizzles[s];
            for (int d = 0; d < rank - 1; ++d) q.box[d] = 2;
            q.box[rank - 1] = bytes / size;
          });
          if (span_of[s] == 0 || bytes <= span_of[s]) {
            passes(r);
            continue;
          }
          const std::string name  = field("box", rank - 1);
          const std::string value = std::to_string(bytes / size) + " elements of " + tma::element_name(type) + " (" +
                                    std::to_string(bytes) + " bytes)";
          const std::string rule  = std::string("swizzle ") + tma::swizzle_name(all_swizzles[s]) + " is at most " +
                                    std::to_string(span_of[s]) + " bytes";
          const std::string fix   = "make the row " + std::to_string(span_of[s] / size) + " elements and load " +
                                    std::to_string((bytes + span_of[s] - 1) / span_of[s]) + " tiles side by side, or use " +
                                    (span_of[s] < 128 ? "a wider swizzle" : "no swizzle");
          breaks(r, "T14", {name.c_str(), value.c_str(), rule.c_str(), fix.c_str()});
        }
  // Interleaved rows are not bound by the swizzle.
  does_not_break(with(interleaved(Interleave::bytes_16), [](auto& r) { r.swizzle = Swizzle::bytes_32; }), "T14");
}

TEST_CASE("T14: sixteen 4-bit elements are 8 bytes of a swizzled row") {
  const auto row = [](Swizzle swizzle, int elements) {
    return with(good(2, ElementType::u4_align8), [&](auto& r) {
      r.swizzle = swizzle;
      r.box[1]  = elements;
    });
  };
  passes(row(Swizzle::bytes_32, 64));
  passes(row(Swizzle::bytes_64, 128));
  passes(row(Swizzle::bytes_128, 256));
  CHECK(tma::check(row(Swizzle::bytes_32, 96)).has("T14"));
  CHECK(tma::check(row(Swizzle::bytes_64, 160)).has("T14"));
}

TEST_CASE("M13: an interleaved layout heeds the innermost element stride") {
  for (Interleave layout : {Interleave::bytes_16, Interleave::bytes_32})
    for (int n : {1, 2, 8}) passes(with(interleaved(layout), [&](auto& r) { r.element_stride[2] = n; }));
}

TEST_CASE("M14: an interleaved tile has the channels of one slice") {
  for (int rank = 3; rank <= 5; ++rank)
    for (ElementType type : {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::f64})
      for (Interleave layout : {Interleave::bytes_16, Interleave::bytes_32}) {
        const int         slice = layout == Interleave::bytes_16 ? 16 : 32, fits = slice / tma::element_bytes(type);
        const std::string bytes = "one slice of " + std::to_string(slice) + " bytes";
        const std::string fix   = "make it " + std::to_string(fits) + " channels";
        const auto        box   = [&](int n) {
          return with(interleaved(layout, rank, type), [&](auto& r) { r.box[1] = n, r.box[0] = 1; });
        };
        INFO("rank " << rank << ", " << tma::element_name(type) << ", interleave " << slice);
        passes(box(fits));
        // What element strides leave is what counts.
        passes(with(box(2 * fits - 1), [](auto& r) { r.element_stride[1] = 2; }));
        for (int n : {fits - 1, fits + 1, 2 * fits}) {
          if (n < 1) continue;
          const std::string value = std::to_string(n) + " channels of " + tma::element_name(type);
          breaks(box(n), "M14", {"box[1]", value.c_str(), bytes.c_str(), fix.c_str()});
        }
      }
  passes(with(good(3), [](auto& r) { r.box[1] = 3; }));
}

TEST_CASE("T15 (warning): a 32-byte interleave has the 32-byte swizzle") {
  for (Swizzle swizzle : all_swizzles) {
    const MapRequest r = with(interleaved(Interleave::bytes_32), [&](auto& q) { q.swizzle = swizzle; });
    if (swizzle == Swizzle::bytes_32) passes(r);
    else warns(r, "T15", {"swizzle", tma::swizzle_name(swizzle), "asks for the 32-byte swizzle", "tma::Swizzle::bytes_32"});
    passes(with(interleaved(Interleave::bytes_16), [&](auto& q) { q.swizzle = swizzle; }));
  }
}

TEST_CASE("T16, T17: the 16-byte packed types know few swizzles; 4-bit ones are only loaded") {
  for (Swizzle swizzle : all_swizzles) {
    const bool both = swizzle == Swizzle::none || swizzle == Swizzle::bytes_128 || swizzle == Swizzle::bytes_128_atom_32;
    const auto type = [&](ElementType t) { return with(good(2, t), [&](auto& r) { r.swizzle = swizzle; }); };
    const char* const name = tma::swizzle_name(swizzle);
    if (both || swizzle == Swizzle::bytes_128_atom_64)
      passes(with(type(ElementType::u6_align16), [](auto& r) { r.stores = true; }));
    else
      breaks(type(ElementType::u6_align16), "T16",
             {"swizzle", name, "for stores, bytes_128_atom_64", "tma::Swizzle::bytes_128"});
    if (both) passes(type(ElementType::u4_align16));
    else
      breaks(type(ElementType::u4_align16), "T17",
             {"swizzle", name, "none, bytes_128, bytes_128_atom_32", "tma::Swizzle::bytes_128"});
  }
  for (ElementType type : all_types) {
    const MapRequest r = with(good(2, type), [](auto& q) { q.stores = true; });
    if (type == ElementType::u4_align16) breaks(r, "T17", {"access", "store", "loaded only", "const elements"});
    else passes(r);
  }
}

TEST_CASE("T18: promotion and swizzle are ones the driver has") {
  for (int n = 0; n <= 3; ++n) passes(with(good(), [&](auto& r) { r.promotion = Promotion(n); }));
  for (int n : {-1, 4}) {
    const std::string value = std::to_string(n);
    breaks(with(good(), [&](auto& r) { r.promotion = Promotion(n); }), "T18",
           {"promotion", value.c_str(), "none, bytes_64, bytes_128 or bytes_256", "tma::Promotion::none"});
  }
  for (int n = 0; n <= 6; ++n) does_not_break(with(good(), [&](auto& r) { r.swizzle = Swizzle(n); }), "T18");
  for (int n : {-1, 7}) {
    const std::string value = std::to_string(n);
    breaks(with(good(), [&](auto& r) { r.swizzle = Swizzle(n); }), "T18",
           {"swizzle", value.c_str(), "swizzles 0 to 6", "tma::Swizzle::none"});
  }
}

TEST_CASE("T19: the NaN fill is for floating types") {
  for (ElementType type : all_types) {
    const bool        floating = type == ElementType::f16 || type == ElementType::f32 || type == ElementType::f64 ||
                                 type == ElementType::bf16 || type == ElementType::f32_ftz || type == ElementType::tf32 ||
                                 type == ElementType::tf32_ftz;
    const MapRequest  r        = with(good(2, type), [](auto& q) { q.fill = Fill::nan; });
    const std::string value    = std::string("nan for ") + tma::element_name(type);
    if (floating) passes(r);
    else breaks(r, "T19", {"fill", value.c_str(), "f16, bf16, f32, f64 and tf32", "tma::Fill::zero"});
    passes(with(r, [](auto& q) { q.fill = Fill::zero; }));
  }
  breaks(with(good(), [](auto& r) { r.fill = Fill(2); }), "T19", {"fill", "?", "NaN fill", "tma::Fill::zero"});
}

TEST_CASE("T20: the tile fits the shared memory of a block") {
  for (int rank = 2; rank <= 5; ++rank) {
    const auto limit = [&](int bytes) { return with(good(rank), [&](auto& r) { r.shared_limit = bytes; }); };
    int        bytes = 64;
    for (int d = 1; d < rank; ++d) bytes *= 4;
    passes(limit(bytes));
    const std::string value = std::to_string(bytes) + " bytes of shared memory", rule = std::to_string(bytes - 1) + " bytes";
    breaks(limit(bytes - 1), "T20", {"box", value.c_str(), rule.c_str(), "smaller"});
  }
  // 227 KiB where nothing else is known.
  const auto rows = [](int n) { return with(good(3), [&](auto& r) { r.box[0] = 16, r.box[1] = n, r.box[2] = 16; }); };
  passes(rows(227));
  breaks(rows(228), "T20", {"box", "233472 bytes", "232448 bytes", "smaller"});
  // A swizzled row narrower than the span takes the span.
  const auto padded = [](int bytes) {
    return with(good(2),
                [&](auto& r) { r.swizzle = Swizzle::bytes_128, r.box[0] = 100, r.box[1] = 24, r.shared_limit = bytes; });
  };
  passes(padded(12800));
  breaks(padded(12799), "T20", {"box", "12800 bytes", "12799 bytes", "smaller"});
  // An element stride skips elements of the box.
  const auto sparse = [](int bytes) {
    return with(good(2), [&](auto& r) { r.box[0] = 10, r.element_stride[0] = 3, r.shared_limit = bytes; });
  };
  passes(sparse(256));
  breaks(sparse(255), "T20", {"box", "256 bytes", "255 bytes", "smaller"});
  CHECK(!tma::check(rows(256)).has("T24"));  // of the same T20 says more
  // The product does not wrap.
  const MapRequest huge = with(good(5), [](auto& r) {
    for (int& b : r.box) b = INT_MAX;
  });
  CHECK(tma::check(huge).has("T20"));
}

TEST_CASE("T24: the driver's own limit on boxes") {
  // As the driver is asked, which knows nothing of a block's limit.
  const auto rows = [](int n, int step = 1) {
    return with(good(3), [&](auto& r) {
      r.shared_limit = INT_MAX;
      r.box[0] = 16, r.box[1] = n, r.box[2] = 16;
      r.element_stride[1] = step;
    });
  };
  passes(rows(228));
  breaks(rows(229), "T24", {"box", "234496 bytes", "up to 233472 bytes", "smaller"});
  // A quotient is rounded down.
  passes(with(rows(229, 2), [](auto& r) { r.box[0] = 32; }));
  breaks(with(rows(230, 2), [](auto& r) { r.box[0] = 32; }), "T24", {"box", "235520 bytes", "up to 233472", "smaller"});
  passes(rows(3, 4));
  // Slices of an interleaved box are not copied, and count.
  const auto slices = [](int n) {
    return with(interleaved(Interleave::bytes_16),
                [&](auto& r) { r.box[0] = 19, r.box[1] = n, r.box[2] = 256, r.shared_limit = INT_MAX; });
  };
  does_not_break(slices(24), "T24");
  names(tma::check(slices(25)), "T24", Severity::error, {"box", "243200 bytes", "233472", "smaller"});
}

TEST_CASE("T20: sixteen 4-bit elements are 8 bytes of shared memory") {
  const auto nibbles = [](int slabs) {
    return with(good(3, ElementType::u4_align8), [&](auto& r) { r.box[0] = slabs, r.box[1] = 256, r.box[2] = 256; });
  };
  passes(nibbles(7));  // 224 KiB
  breaks(nibbles(8), "T20", {"box", "262144 bytes", "232448 bytes", "smaller"});
}

TEST_CASE("T21: a swizzled tensor off a multiple of 128 draws a warning") {
  for (Swizzle swizzle : all_swizzles)
    for (int offset : {0, 16, 64, 112, 128}) {
      const MapRequest r = with(good(1, ElementType::u8), [&](auto& q) {
        q.swizzle = swizzle;
        q.box[0]  = 32;
        q.base    = address(base + offset);
      });
      if (swizzle == Swizzle::none || offset % 128 == 0) passes(r);
      else warns(r, "T21", {"base", hexadecimal(base + offset).c_str(), "multiple of 128", "128 bytes"});
    }
}

TEST_CASE("T22: elements that no coordinate reaches draw a warning") {
  for (i64 n : {two_to_the(31) - 1, two_to_the(31)}) passes(with(good(), [&](auto& r) { r.extent[0] = n; }));
  warns(with(good(), [](auto& r) { r.extent[0] = two_to_the(31) + 1; }), "T22",
        {"extent[0]", "2147483649", "signed 32-bit", "split the dimension"});
  warns(with(good(), [](auto& r) { r.extent[0] = two_to_the(32); }), "T22",
        {"extent[0]", "4294967296", "signed 32-bit", "split the dimension"});
  warns(with(good(1), [](auto& r) { r.extent[0] = two_to_the(32); }), "T22",
        {"extent[0]", "4294967296", "from 2^31 on", "split the dimension"});
}

TEST_CASE("M1: the innermost dimension is contiguous") {
  for (int rank = 1; rank <= 5; ++rank)
    for (ElementType type : all_types) {
      const int size = tma::element_bytes(type);
      if (size == 0) continue;
      INFO("rank " << rank << ", " << tma::element_name(type));
      const std::string name  = field("stride", rank - 1);
      const std::string twice = std::to_string(2 * size) + " bytes (2 elements)";
      const std::string rule  = "a stride of 1 element, " + std::to_string(size) + " bytes";
      const auto inner = [&](i64 bytes) { return with(good(rank, type), [&](auto& r) { r.stride[rank - 1] = bytes; }); };
      passes(inner(size));
      breaks(inner(2 * size), "M1", {name.c_str(), twice.c_str(), rule.c_str(), "last"});
      breaks(inner(0), "M1", {name.c_str(), "0 bytes (0 elements)", rule.c_str(), "copy the tensor"});
      breaks(inner(-size), "M1", {name.c_str(), "(-1 elements)", rule.c_str(), "load it by threads"});
      if (size > 1) {
        breaks(inner(1), "M1", {name.c_str(), "1 bytes", rule.c_str(), "last"});
        CHECK(!report::contains(tma::check(inner(1))[0].value, "elements"));  // it is no whole number of them
      }
    }
}

TEST_CASE("M2: the base is not null") {
  for (int rank = 1; rank <= 5; ++rank)
    breaks(with(good(rank), [](auto& r) { r.base = nullptr; }), "M2", {"base", "null", "device memory", "allocate"});
  passes(with(good(), [](auto& r) { r.base = address(16); }));
}

TEST_CASE("M3: the device can read the base") {
  for (PointerKind kind : {PointerKind::unknown, PointerKind::device, PointerKind::managed, PointerKind::pinned_host})
    passes(with(good(), [&](auto& r) { r.base_kind = kind; }));
  const MapRequest pageable = with(good(), [](auto& r) { r.base_kind = PointerKind::pageable_host; });
  breaks(pageable, "M3", {"base", "0x7f2a40000000", "ordinary host memory", "cudaMalloc"});
  passes(with(pageable, [](auto& r) { r.reads_pageable = true; }));
}

TEST_CASE("M4: a stored row ends with a whole 16-byte piece") {
  const auto row = [](ElementType type, i64 elements, bool stores) {
    return with(good(2, type), [&](auto& r) {
      r.extent[1] = elements;
      r.stride[0] = 4096;
      r.stores    = stores;
    });
  };
  for (ElementType type : all_types) {
    const int size = tma::element_bytes(type);
    if (size == 0) continue;
    for (int elements = 1; elements * size <= 48; ++elements) {
      const int bytes = elements * size, to = (bytes + 15) / 16 * 16;
      passes(row(type, elements, false));
      if (bytes % 16 == 0) {
        passes(row(type, elements, true));
        continue;
      }
      const std::string value = std::to_string(elements) + " elements (" + std::to_string(bytes) + " bytes)";
      const std::string rule  = "to byte " + std::to_string(to) + ", " + std::to_string(to - bytes) + " bytes past its end";
      const std::string fix   = "give the extent as " + std::to_string(to / size);
      breaks(row(type, elements, true), "M4", {"extent[1]", value.c_str(), rule.c_str(), fix.c_str()});
    }
  }
  breaks(row(ElementType::u8, 466, true), "M4", {"extent[1]", "466 elements (466 bytes)", "byte 480, 14 bytes past", "480"});
  breaks(row(ElementType::u16, 470, true), "M4", {"extent[1]", "470 elements (940 bytes)", "byte 944, 4 bytes past", "472"});
  breaks(row(ElementType::f32, 30, true), "M4", {"extent[1]", "30 elements (120 bytes)", "byte 128, 8 bytes past", "32"});
  breaks(with(good(1), [](auto& r) { r.extent[0] = 63, r.stores = true; }), "M4",
         {"extent[0]", "63 elements (252 bytes)", "byte 256, 4 bytes past", "64"});
}

TEST_CASE("M5: a store needs each element in one place") {
  for (int rank = 2; rank <= 5; ++rank)
    for (int d = 0; d < rank - 1; ++d) {
      const std::string name = field("stride", d);
      MapRequest        r    = good(rank);
      r.stride[d]            = 0;
      r.stores               = true;
      const std::string rule = "repeats one row " + std::to_string(r.extent[d]) + " times";
      breaks(r, "M5", {name.c_str(), "0", rule.c_str(), "const elements"});
      CHECK(tma::check(with(r, [&](auto& q) { q.extent[d] = 2; })).has("M5"));
      passes(with(r, [](auto& q) { q.stores = false; }));
      passes(with(r, [&](auto& q) { q.extent[d] = 1; }));
      passes(with(r, [&](auto& q) { q.stride[d] = 512, q.extent[d] = 1; }));
    }
}

TEST_CASE("M6: the tensor ends inside the address space") {
  const auto far = [](i64 extent, i64 stride) {
    return with(good(2), [&](auto& r) { r.extent[0] = extent, r.stride[0] = stride; });
  };
  passes(far(two_to_the(30), two_to_the(27)));
  passes(far(two_to_the(17), two_to_the(40) - 16));
  breaks(far(two_to_the(30) + 1, two_to_the(27)), "M6",
         {"extents x strides", "more than 2^57 bytes", "inside the address space", "bytes where elements"});
  breaks(far(two_to_the(31), two_to_the(36)), "M6",
         {"extents x strides", "more than 2^57 bytes", "does not fit", "negative"});
  breaks(with(good(), [](auto& r) { r.overflow = true; }), "M6",
         {"extents x strides", "more than 2^57 bytes", "some product does not fit", "unsigned"});
  // The sum overflows where no product does.
  CHECK(tma::check(with(good(3), [](auto& r) {
          r.extent[0] = two_to_the(31), r.stride[0] = two_to_the(31) + 16;
          r.extent[1] = two_to_the(31), r.stride[1] = two_to_the(31) + 16;
        })).has("M6"));
}

TEST_CASE("M7: atom swizzles and packed types need capability 10.0") {
  for (int capability : {0, 90, 100, 103, 110, 120, 121}) {
    const auto on = [&](MapRequest r) {
      r.compute_capability = capability;
      return r;
    };
    for (Swizzle swizzle : all_swizzles) {
      const MapRequest r = on(with(good(), [&](auto& q) { q.swizzle = swizzle, q.box[1] = 8; }));
      if (capability == 90 && swizzle >= Swizzle::bytes_128_atom_32)
        breaks(r, "M7", {"swizzle", tma::swizzle_name(swizzle), "10.0; this device has 9.0", "tma::Swizzle::bytes_128"});
      else passes(r);
    }
    for (ElementType type : all_types) {
      const MapRequest r = on(good(2, type));
      if (capability == 90 && packed(type))
        breaks(r, "M7", {"element type", tma::element_name(type), "10.0; this device has 9.0", "unpack"});
      else passes(r);
    }
  }
  // Both at once are both named.
  const tma::Report report = tma::check(with(good(2, ElementType::u6_align16), [](auto& r) {
    r.swizzle            = Swizzle::bytes_128_atom_32;
    r.compute_capability = 90;
  }));
  names(report, "M7", Severity::error, {"swizzle", "bytes_128_atom_32", "10.0", "bytes_128"});
  names(report, "M7", Severity::error, {"element type", "u6_align16", "10.0", "unpack"});
}

TEST_CASE("M8: the innermost coordinate is a multiple of 16 bytes") {
  const auto say = [](int elements, int bytes) {
    return std::to_string(elements) + " elements (byte " + std::to_string(bytes) + ")";
  };
  using F32 = tma::Tile<float, tma::Shape<8, 16>>;
  using U8  = tma::Tile<unsigned char, tma::Shape<2, 8, 16>>;
  using F64 = tma::Tile<double, tma::Shape<2>>;
  using U16 = tma::Tile<unsigned short, tma::Shape<1, 1, 1, 1, 8>>;
  for (int x = -40; x <= 40; ++x) {
    INFO("coordinate " << x);
    const auto f32 = tma::check_coord<F32>({3, x});
    if (x % 4 == 0) is_empty(f32);
    else
      is_only(f32, "M8", Severity::error,
              {"coordinate[1]", say(x, 4 * x).c_str(), "multiple of 16 bytes (4 elements)", "multiple before"});
    const auto u8 = tma::check_coord<U8>({-1, 5, x});
    if (x % 16 == 0) is_empty(u8);
    else
      is_only(u8, "M8", Severity::error,
              {"coordinate[2]", say(x, x).c_str(), "multiple of 16 bytes (16 elements)", "multiple before"});
    const auto f64 = tma::check_coord<F64>({x});
    if (x % 2 == 0) is_empty(f64);
    else
      is_only(f64, "M8", Severity::error,
              {"coordinate[0]", say(x, 8 * x).c_str(), "multiple of 16 bytes (2 elements)", "multiple before"});
    const auto u16 = tma::check_coord<U16>({1, 2, 3, 4, x});
    if (x % 8 == 0) is_empty(u16);
    else
      is_only(u16, "M8", Severity::error,
              {"coordinate[4]", say(x, 2 * x).c_str(), "multiple of 16 bytes (8 elements)", "multiple before"});
  }
  is_empty(tma::check_coord<F32>({INT_MAX, INT_MAX - 3}));
  is_empty(tma::check_coord<F32>({INT_MIN, INT_MIN}));
  is_only(tma::check_coord<F32>({0, INT_MAX}), "M8", Severity::error,
          {"coordinate[1]", "(byte 8589934588)", "16 bytes", "multiple"});
}

TEST_CASE("M9: a store starts inside the tensor") {
  using Tile = tma::Tile<float, tma::Shape<2, 2, 4>>;
  is_empty(tma::check_coord<Tile>({0, 0, 0}, true));
  is_empty(tma::check_coord<Tile>({INT_MAX, INT_MAX, INT_MAX - 3}, true));
  is_empty(tma::check_coord<Tile>({-1, -1, -4}, false));
  is_empty(tma::check_coord<Tile>({-1, -1, -4}));
  is_only(tma::check_coord<Tile>({-1, 0, 0}, true), "M9", Severity::error,
          {"coordinate[0]", "-1", "inside the tensor", "smaller tile"});
  is_only(tma::check_coord<Tile>({0, -7, 0}, true), "M9", Severity::error,
          {"coordinate[1]", "-7", "negative", "move the tile"});
  is_only(tma::check_coord<Tile>({0, 0, -4}, true), "M9", Severity::error,
          {"coordinate[2]", "-4", "negative", "smaller tile"});
  CHECK(tma::check_coord<Tile>({-1, -1, -3}, true).errors() == 4);
}

TEST_CASE("M10: a bulk copy of static size starts at a multiple of 16") {
  for (int offset = 0; offset <= 32; ++offset) {
    const tma::Report report = tma::check_aligned(address(base + offset));
    if (offset % 16 == 0) {
      is_empty(report);
      continue;
    }
    const std::string rule = "multiple of 16 bytes; the remainder is " + std::to_string(offset % 16);
    const std::string fix  = "start " + std::to_string(16 - offset % 16) + " bytes later";
    is_only(report, "M10", Severity::error, {"pointer", hexadecimal(base + offset).c_str(), rule.c_str(), fix.c_str()});
  }
  is_only(tma::check_aligned(nullptr), "M2", Severity::error, {"pointer", "null", "device memory", "allocate"});

  alignas(16) float values[8] = {};
  CHECK(tma::aligned(values).get() == values);
  CHECK(tma::aligned(values + 4).get() == values + 4);
  try {
    (void)tma::aligned(values + 2);
    FAIL("a pointer off by 8 was taken");
  } catch (const tma::Error& e) {
    CHECK((e.kind() == tma::ErrorKind::rule_broken));
    CHECK(e.report().has("M10"));
    CHECK(report::contains(e.what(), "the remainder is 8"));
  }
  CHECK_THROWS_AS(tma::aligned(static_cast<float*>(nullptr)), tma::Error);
}

TEST_CASE("M11: a bulk copy moves a multiple of 16 bytes") {
  for (int bytes = 0; bytes <= 512; ++bytes) {
    const tma::Report report = tma::check_bulk_length(bytes);
    if (bytes % 16 == 0) {
      is_empty(report);
      continue;
    }
    const std::string value = std::to_string(bytes) + " bytes";
    is_only(report, "M11", Severity::error,
            {"length", value.c_str(), "multiple of 16 bytes; the hardware drops the rest silently", "tma::BulkCopy1D"});
  }
  is_empty(tma::check_bulk_length(two_to_the(40)));
  // Below zero nothing is dropped: the length is wrong as such.
  for (i64 bytes : {i64(-1), i64(-16), i64(INT64_MIN)}) {
    const tma::Report report = tma::check_bulk_length(bytes);
    INFO(report.text().c_str());
    REQUIRE(report.has("M11"));
    CHECK(!report::contains(report.find("M11")->rule, "drops the rest"));
  }
}

namespace {

tma::Report check_launch(const tma::LaunchConfig& config) {
  tma::Report             report;
  tma::detail::Dimensions grid, block, cluster;
  tma::detail::check_launch(report, config, grid, block, cluster);
  return report;
}

void kernel_stand_in(int) {}

}  // namespace

TEST_CASE("L1: grid, block and cluster are in range in every axis") {
  is_empty(check_launch({}));
  const i64         most[3][3] = {{0x7fffffff, 65535, 65535}, {1024, 1024, 64}, {16, 16, 16}};
  const char* const name[]     = {"grid", "block", "cluster"};
  for (int what = 0; what < 3; ++what)
    for (int axis = 0; axis < 3; ++axis) {
      const auto extent = [&](tma::detail::Index64 n) {
        const tma::Extent3 e(axis == 0 ? n : 1, axis == 1 ? n : 1, axis == 2 ? n : 1);
        tma::LaunchConfig  c;
        if (what == 0) c.grid = e;
        if (what == 1) c.block = e;
        if (what == 2) c.cluster = e, c.grid = tma::Extent3(720720, 5040, 5040);  // whole clusters of 1 to 10, 12, 16
        return check_launch(c);
      };
      const i64         limit = most[what][axis];
      const std::string field = std::string(name[what]) + "." + "xyz"[axis];
      const std::string over  = std::to_string(limit + 1);
      const std::string rule  = "1 to " + std::to_string(limit) + " in " + "xyz"[axis];
      INFO(field);
      is_empty(extent(1));
      is_empty(extent(limit));
      is_only(extent(limit + 1), "L1", Severity::error, {field.c_str(), over.c_str(), rule.c_str(), "another dimension"});
      is_only(extent(0), "L1", Severity::error, {field.c_str(), "0", rule.c_str(), "no work"});
      const tma::Report negative = extent(-5);
      is_only(negative, "L1", Severity::error, {field.c_str(), "-5", rule.c_str(), ""});
      // There is no part of it to move elsewhere: it went below zero on the way here.
      CHECK(!report::contains(negative[0].fix, "move part of it"));
      is_only(extent(~std::size_t(0)), "L1", Severity::error, {field.c_str(), "9223372036854775807", rule.c_str(), ""});
    }
}

TEST_CASE("L2: a block has at most 1024 threads") {
  is_empty(check_launch({.grid = 1, .block = 1024}));
  is_empty(check_launch({.grid = 1, .block = {32, 32}}));
  is_empty(check_launch({.grid = 1, .block = {4, 4, 64}}));
  is_only(check_launch({.grid = 1, .block = {32, 33}}), "L2", Severity::error,
          {"block", "32 x 33 x 1 = 1056 threads", "at most 1024 threads", "smaller block"});
  is_only(check_launch({.grid = 1, .block = {1024, 1024, 64}}), "L2", Severity::error,
          {"block", "1024 x 1024 x 64 = 67108864 threads", "at most 1024 threads", "more of them"});
}

TEST_CASE("L3: the grid holds whole clusters of at most 16 blocks") {
  is_empty(check_launch({.grid = 8, .block = 32, .cluster = 8}));
  is_empty(check_launch({.grid = 16, .block = 32, .cluster = 16}));
  is_empty(check_launch({.grid = {6, 4, 2}, .block = 32, .cluster = {3, 2, 1}}));
  is_only(check_launch({.grid = 5, .block = 32, .cluster = 2}), "L3", Severity::error,
          {"grid.x", "5 blocks, clusters of 2", "whole clusters", "launch 6 blocks"});
  is_only(check_launch({.grid = {4, 7}, .block = 32, .cluster = {1, 4}}), "L3", Severity::error,
          {"grid.y", "7 blocks, clusters of 4", "whole clusters", "launch 8 blocks"});
  is_only(check_launch({.grid = {1, 1, 1}, .block = 32, .cluster = {1, 1, 3}}), "L3", Severity::error,
          {"grid.z", "1 blocks, clusters of 3", "whole clusters", "launch 3 blocks"});
  is_only(check_launch({.grid = {16, 2}, .block = 32, .cluster = {16, 2}}), "L3", Severity::error,
          {"cluster", "32 blocks", "at most 8 blocks, 16 where", "8 or fewer"});
}

namespace {

// Of a kernel that begins with so many registers a thread.
tma::Report check_registers(tma::RoleRegisters roles, int threads, int a_thread) {
  tma::Report report;
  tma::detail::check_registers(report, roles, tma::detail::u64(threads), a_thread);
  return report;
}

}  // namespace

TEST_CASE("R1: a block has all warps of the roles whose registers move") {
  const tma::RoleRegisters roles = {12, 128 * (40 + 2 * 232)};
  is_empty(check_registers({}, 32, 10));
  is_empty(check_registers(roles, 384, 168));
  is_only(check_registers(roles, 256, 168), "R1", Severity::error,
          {"block", "256 threads, the roles have 12 warps", "all warps of the roles", "launch 384 threads"});
}

TEST_CASE("R2: the roles' warps begin with the registers that the roles take") {
  const tma::RoleRegisters roles = {12, 128 * (40 + 2 * 232)};
  is_empty(check_registers(roles, 384, 0));    // where nobody knows
  is_empty(check_registers(roles, 384, 161));  // given in steps of 8
  // __launch_bounds__(384, 2), (512, 1), and none, of which the assembler ignores setmaxnreg.
  for (const int a_thread : {80, 128, 160, 10}) {
    INFO(a_thread << " registers a thread");
    is_only(check_registers(roles, 384, a_thread), "R2", Severity::error,
            {"registers", "64512 of 384 threads that begin with", "must not be more than", "__launch_bounds__(384, 1)"});
  }
  // A warpgroup more does no harm where the roles' own have enough.
  is_empty(check_registers({12, 128 * (24 + 2 * 168)}, 512, 128));
  is_only(check_registers({12, 128 * (24 + 2 * 184)}, 512, 128), "R2", Severity::error,
          {"registers", "50176 of 384 threads that begin with 128 each", "here 49152", "one block to an SM"});
  const tma::Report both = check_registers(roles, 128, 80);
  CHECK(both.has("R1"));
  CHECK(both.has("R2"));
}

TEST_CASE("L4: static and dynamic shared memory fit the device") {
  const auto check = [](unsigned long long dynamic, unsigned long long fixed, unsigned long long limit) {
    tma::Report report;
    tma::detail::check_shared(report, dynamic, fixed, limit);
    return report;
  };
  is_empty(check(0, 0, 0));
  is_empty(check(232448, 0, 232448));
  is_empty(check(200000, 32448, 232448));
  is_only(check(232449, 0, 232448), "L4", Severity::error,
          {"shared", "232449 + 0 static = 232449 bytes", "232448 bytes", "fewer stages"});
  is_only(check(200000, 32449, 232448), "L4", Severity::error,
          {"shared", "200000 + 32449 static = 232449 bytes", "at most 232448 bytes", "smaller tiles"});
  // A sum that wraps is not a small one.
  is_only(check(~0ull, 128, 232448), "L4", Severity::error, {"shared", "-1", "at least 0", "went below zero"});
  is_only(check(~0ull - 100, 128, 232448), "L4", Severity::error, {"shared", "-101", "at least 0", "went below zero"});
  is_only(check(1ull << 40, 128, 232448), "L4", Severity::error,
          {"shared", "1099511627776 + 128 static", "at most", "fewer stages"});
}

TEST_CASE("a launch that breaks rules is refused before the runtime is asked") {
  const tma::Error error = tma::try_launch(kernel_stand_in, {.grid = {0, 70000}, .block = {64, 64}, .cluster = 3}, 1);
  CHECK((error.kind() == tma::ErrorKind::rule_broken));
  INFO(error.what());
  CHECK((report::ids(error.report()) == std::set<std::string>{"L1", "L2", "L3"}));
  names(error.report(), "L1", Severity::error, {"grid.x", "0", "1 to 2147483647 in x", "no work"});
  names(error.report(), "L1", Severity::error, {"grid.y", "70000", "1 to 65535 in y", "another dimension"});
  names(error.report(), "L2", Severity::error, {"block", "4096 threads", "1024", "smaller"});
  CHECK_THROWS_AS(tma::launch(kernel_stand_in, {.grid = 0, .block = 32}, 1), tma::Error);
}

TEST_CASE("all broken rules are reported at once") {
  MapRequest r             = good(3);
  r.base                   = address(base + 8);
  r.extent[0]              = 0;
  r.stride[0]              = -16;
  r.stride[1]              = 6932;
  r.stride[2]              = 8;
  r.box[0]                 = 257;
  r.box[2]                 = 6;
  r.element_stride[1]      = 9;
  r.element_stride[2]      = 2;
  r.promotion              = Promotion(9);
  r.swizzle                = Swizzle::bytes_128_atom_64;
  r.fill                   = Fill(3);
  r.destination            = address(base + 4);
  r.base_kind              = PointerKind::pageable_host;
  r.compute_capability     = 90;
  r.shared_limit           = 1024;
  r.overflow               = true;
  r.stores                 = true;
  r.extent[2]              = 63;
  const tma::Report report = tma::check(r);
  INFO(report.text().c_str());
  for (const char* id :
       {"T1", "T4", "T5", "T7", "T9", "T10", "T12", "T18", "T19", "T20", "T21", "M1", "M3", "M4", "M6", "M7"}) {
    INFO(id);
    CHECK(report.has(id));
  }
  report::check_texts(report);
  names(report, "T7", Severity::error, {"stride[0]", "-16 bytes", "not be negative", "other end"});
  names(report, "T7", Severity::error,
        {"stride[1]", "6932 bytes (1733 elements)", "multiple of 16", "6944 bytes (1736 elements)"});
  names(report, "T12", Severity::error, {"element_strides[1]", "9", "1 to 8", "view"});
  names(report, "M13", Severity::error, {"element_strides[2]", "2", "innermost", "dimension"});

  // The error's text holds them all, a line each.
  const tma::Error error("this tensor cannot have a descriptor", report);
  for (const tma::Violation& v : report) {
    CHECK(report::contains(error.what(), v.rule));
    CHECK(report::contains(error.what(), v.fix));
  }
  int lines = 0;
  for (const char* p = error.what(); *p; ++p) lines += *p == '\n';
  CHECK(lines == 1 + report.size());
}

TEST_CASE("no text is cut, whatever the numbers") {
  const i64 numbers[] = {INT64_MIN, -two_to_the(40) - 8, -1, 0, 1, 7, two_to_the(32) + 1, two_to_the(40) + 8, INT64_MAX};
  const int boxes[]   = {INT_MIN, -1, 0, 1, 255, 257, INT_MAX};
  for (ElementType type : all_types)
    for (i64 n : numbers)
      for (int b : boxes) {
        MapRequest r = good(5, type);
        for (int d = 0; d < 5; ++d) r.extent[d] = n, r.stride[d] = n, r.box[d] = b, r.element_stride[d] = b;
        r.base               = address(~std::uintptr_t(0) - 2);
        r.destination        = r.base;
        r.base_kind          = PointerKind::pageable_host;
        r.swizzle            = Swizzle::bytes_128_atom_32_flip_8;
        r.interleave         = b > 0 ? Interleave::bytes_32 : Interleave::none;
        r.fill               = Fill::nan;
        r.promotion          = Promotion(b);
        r.stores             = true;
        r.compute_capability = 90;
        report::check_texts(tma::check(r));
      }
}

namespace {

template <class T, int Rank>
tma::Report box_report(const tma::TensorView<T, Rank>& view, const tma::detail::Index64 (&box)[Rank],
                       Swizzle swizzle = Swizzle::none, const tma::Options& options = {}) {
  return tma::check(tma::detail::box_request(view, box, swizzle, options));
}

template <class T> T* at(std::uintptr_t a) { return reinterpret_cast<T*>(a); }

using half = unsigned short;  // the rules look at its width only

}  // namespace

TEST_CASE("what people get wrong, through the public views") {
  float* const a = at<float>(base);
  is_only(box_report(tma::TensorView{a, {128, 64}}, {8, 6}), "T10", Severity::error,
          {"box[1]", "6 elements of f32 (24 bytes)", "multiple of 16 bytes; the remainder is 8", "8 elements wide"});
  is_only(box_report(tma::TensorView{a, {512, 64}}, {257, 16}), "T9", Severity::error,
          {"box[0]", "257", "1 to 256", "smaller tiles"});
  is_only(box_report(tma::TensorView{a, {128, 64}}, {8, 64}, Swizzle::bytes_128), "T14", Severity::error,
          {"box[1]", "64 elements of f32 (256 bytes)", "swizzle bytes_128 is at most 128 bytes",
           "32 elements and load 2 tiles"});
  is_only(box_report(tma::TensorView{a, {128, 64}, {128, 2}}, {8, 16}), "M1", Severity::error,
          {"stride[1]", "8 bytes (2 elements)", "a stride of 1 element, 4 bytes", "last"});
  is_only(
      box_report(tma::TensorView{static_cast<const float*>(a), {128, 1733}}, {8, 16}), "T7", Severity::error,
      {"stride[0]", "6932 bytes (1733 elements)", "multiple of 16 bytes; the remainder is 4", "6944 bytes (1736 elements)"});
  is_only(box_report(tma::TensorView{at<float>(base + 8), {128, 64}}, {8, 16}), "T4", Severity::error,
          {"base", "0x7f2a40000008", "multiple of 16 bytes; the remainder is 8", "8 bytes earlier"});
  is_only(box_report(tma::TensorView{at<float>(0), {128, 64}}, {8, 16}), "M2", Severity::error,
          {"base", "null", "device memory", "allocate"});
  is_only(box_report(tma::TensorView{a, {0, 64}}, {8, 16}), "T5", Severity::error,
          {"extent[0]", "0", "the tensor is empty", "nothing to copy"});
  is_only(box_report(tma::TensorView{a, {128, 64}, {-64, 1}}, {8, 16}), "T7", Severity::error,
          {"stride[0]", "-256 bytes (-64 elements)", "not be negative", "other end"});
  is_only(tma::check_bulk_length(252), "M11", Severity::error,
          {"length", "252 bytes", "multiple of 16 bytes; the hardware drops the rest silently", "tma::BulkCopy1D"});
}

TEST_CASE("a pitch that is no multiple of 16 bytes; padded it passes") {
  const float* const a = at<float>(base);
  is_only(box_report(tma::TensorView{a, {128, 1733}, {1733, 1}}, {8, 16}), "T7", Severity::error,
          {"stride[0]", "6932 bytes (1733 elements)", "multiple of 16", "6944 bytes"});
  is_empty(box_report(tma::TensorView{a, {128, 1733}, {1736, 1}}, {8, 16}));
  is_empty(box_report(tma::TensorView{a, {128, 1733}, tma::byte_strides(6944, 4)}, {8, 16}));
  // 44 columns of bytes, 511 of 16 bits.
  CHECK(box_report(tma::TensorView{at<const unsigned char>(base), {128, 44}}, {8, 16}).has("T7"));
  CHECK(box_report(tma::TensorView{at<const half>(base), {64, 511}}, {8, 8}).has("T7"));
}

TEST_CASE("transposed, gapped and shifted views") {
  half* const a = at<half>(base);
  is_only(box_report(tma::TensorView{a, {64, 64}, {65, 1}}, {8, 8}), "T7", Severity::error,
          {"stride[0]", "130 bytes (65 elements)", "the remainder is 2", "144 bytes (72 elements)"});
  is_only(box_report(tma::TensorView{at<half>(base + 2), {64, 64}}, {8, 8}), "T4", Severity::error,
          {"base", "0x7f2a40000002", "the remainder is 2", "2 bytes earlier"});
  is_only(box_report(tma::TensorView{static_cast<const half*>(a), {64, 30}}, {8, 8}), "T7", Severity::error,
          {"stride[0]", "60 bytes (30 elements)", "the remainder is 12", "64 bytes (32 elements)"});
  // The same memory seen the other way round: the contiguous dimension is not the last.
  CHECK(box_report(tma::TensorView{static_cast<const half*>(a), {30, 64}, {1, 30}}, {8, 8}).has("M1"));
  for (i64 pitch : {i64(0), i64(1), i64(65), i64(64), two_to_the(50), i64(-3)}) {
    INFO("one row with a pitch of " << pitch);
    is_empty(box_report(tma::TensorView{a, {1, 64}, {pitch, 1}}, {1, 8}));
    is_empty(box_report(tma::TensorView{a, {4, 1, 64}, {64, pitch, 1}}, {2, 1, 8}));
    is_empty(box_report(tma::TensorView{a, {1, 4, 64}, {pitch, 64, 1}}, {1, 2, 8}));
  }
}

TEST_CASE("strides of 2^27 elements and offsets past 2^31 are in range") {
  half* const a = at<half>(base);
  is_empty(box_report(tma::TensorView{a, {2, 64, 64}, {1 << 27, 64, 1}}, {1, 8, 8}));
  is_empty(box_report(tma::TensorView{a, {2, 64, 64}, {(1 << 27) + 8, 64, 1}}, {1, 8, 8}));
  is_empty(box_report(tma::TensorView{at<unsigned char>(base), {(1 << 20) + 3, 4096}}, {8, 128}));
  is_empty(box_report(tma::TensorView{a, {(1 << 29) + 8, 4 * 8}}, {8, 8}));
  is_empty(box_report(tma::TensorView{a, {65384, 65384}}, {8, 8}));
}

TEST_CASE("strides from 2^36 up to 2^40") {
  const float* const a = at<float>(base);
  for (i64 bytes : {two_to_the(36) - 16, two_to_the(36), two_to_the(40) - 16})
    is_empty(box_report(tma::TensorView{a, {2, 64}, tma::byte_strides(bytes, 4)}, {1, 16}));
  is_only(box_report(tma::TensorView{a, {2, 64}, tma::byte_strides(two_to_the(40), 4)}, {1, 16}), "T7", Severity::error,
          {"stride[0]", "1099511627776 bytes", "below 2^40", "descriptor"});
}

TEST_CASE("boxes over 256, and of nothing") {
  const float* const a = at<float>(base);
  is_empty(box_report(tma::TensorView{a, {512, 64}}, {256, 64}));
  is_only(box_report(tma::TensorView{a, {512, 64}}, {257, 64}), "T9", Severity::error,
          {"box[0]", "257", "1 to 256", "smaller tiles"});
  is_only(box_report(tma::TensorView{a, {4096}}, {512}), "T9", Severity::error,
          {"box[0]", "512", "1 to 256", "smaller tiles"});
  is_only(box_report(tma::TensorView{a, {512, 64}}, {8, 0}), "T9", Severity::error,
          {"box[1]", "0", "1 to 256", "at least one"});
  is_only(box_report(tma::TensorView{a, {512, 64}}, {-3, 16}), "T9", Severity::error,
          {"box[0]", "-3", "1 to 256", "went below zero"});
  CHECK(box_report(tma::TensorView{a, {512, 64}}, {two_to_the(32) + 8, 16}).has("T9"));  // not 8
  CHECK(box_report(tma::TensorView{a, {512, 64}}, {8, ~std::size_t(0)}).has("T9"));
}

TEST_CASE("rows wider than the swizzle, and the ones that just fit") {
  const tma::TensorView view{at<const half>(base), {512, 512}};
  for (Swizzle s : {Swizzle::none, Swizzle::bytes_128}) is_empty(box_report(view, {8, 64}, s));
  for (Swizzle s : {Swizzle::bytes_64, Swizzle::bytes_32}) CHECK(box_report(view, {8, 64}, s).has("T14"));
  CHECK(box_report(view, {8, 128}, Swizzle::bytes_128).has("T14"));
  is_empty(box_report(view, {8, 48}, Swizzle::bytes_128));
  CHECK(box_report(view, {8, 48}, Swizzle::bytes_64).has("T14"));
}

TEST_CASE("rows of 4, 8 and 12 bytes are refused, rows of 16 are not; no rule is stricter than the hardware") {
  const tma::TensorView f32{at<const float>(base), {64, 64}};
  CHECK(box_report(f32, {8, 1}).has("T10"));
  CHECK(box_report(f32, {8, 3}).has("T10"));
  is_empty(box_report(f32, {8, 4}));
  CHECK(box_report(tma::TensorView{at<const unsigned char>(base), {64, 64}}, {8, 8}).has("T10"));
  is_empty(box_report(tma::TensorView{at<const unsigned char>(base), {64, 64}}, {8, 16}));
  is_empty(box_report(tma::TensorView{at<const double>(base), {64, 64}}, {8, 2}));
  const tma::TensorView f16{at<const half>(base), {64, 64}};
  is_empty(box_report(f16, {64, 8}));
  is_empty(box_report(f16, {64, 16}, Swizzle::bytes_32));
  is_empty(box_report(f16, {64, 32}, Swizzle::bytes_64));
  is_empty(box_report(f32, {1, 4}));
  is_empty(box_report(tma::TensorView{at<const half>(base), {64}}, {8}));
  is_empty(box_report(tma::TensorView{at<const half>(base), {3, 3, 3, 3, 64}}, {1, 2, 1, 2, 8}));
  is_empty(box_report(f32, {256, 128}));  // a box beyond the tensor is filled
  is_empty(box_report(tma::TensorView{at<const half>(base), {5, 7}, {8, 1}}, {8, 64}));
}

TEST_CASE("an interleave takes rank 3, and the 32-byte one its swizzle and base") {
  const tma::Options s16{.interleave = Interleave::bytes_16}, s32{.interleave = Interleave::bytes_32};
  const half* const  a = at<half>(base);
  is_only(box_report(tma::TensorView{a, {16, 8}}, {4, 8}, Swizzle::none, s16), "T3", Severity::error,
          {"rank", "2", "rank 3 to 5", "extent 1"});
  is_empty(box_report(tma::TensorView{a, {16, 16, 8}}, {4, 8, 8}, Swizzle::none, s16));
  is_empty(box_report(tma::TensorView{a, {16, 16, 16}}, {4, 16, 16}, Swizzle::bytes_32, s32));
  is_only(box_report(tma::TensorView{a, {16, 16, 16}}, {4, 16, 16}, Swizzle::none, s32), "T15", Severity::warning,
          {"swizzle", "none", "32-byte swizzle", "bytes_32"});
  is_only(box_report(tma::TensorView{a, {16, 16, 16}}, {4, 16, 16}, Swizzle::none, s16), "M14", Severity::error,
          {"box[1]", "16 channels of u16 (32 bytes)", "one slice of 16 bytes", "8 channels"});
  CHECK(box_report(tma::TensorView{at<const half>(base + 16), {16, 16, 16}}, {4, 4, 16}, Swizzle::bytes_32, s32).has("T4"));
}

TEST_CASE("an inner stride of two elements is refused; that of a row of one element says nothing") {
  CHECK(box_report(tma::TensorView{at<const float>(base), {64, 64}, {256, 2}}, {8, 16}).has("M1"));
  for (int stride : {0, 1, 2, 17, -5})
    is_empty(box_report(tma::TensorView{at<const float>(base), {64, 1}, {4, stride}}, {8, 4}));
}

TEST_CASE("an empty extent is its own kind of error") {
  const tma::Report report = box_report(tma::TensorView{at<half>(0), {4, 0, 128}}, {2, 2, 8});
  INFO(report.text().c_str());
  CHECK((report::ids(report) == std::set<std::string>{"T5", "M2"}));
  names(report, "T5", Severity::error, {"extent[1]", "0", "the tensor is empty", "do not launch"});
  is_only(box_report(tma::TensorView{at<half>(base), {4, 0, 128}}, {2, 2, 8}), "T5", Severity::error,
          {"extent[1]", "0", "the tensor is empty", "do not launch"});
  is_only(box_report(tma::TensorView{at<half>(base), {4, 16, 0}}, {2, 2, 8}), "T5", Severity::error,
          {"extent[2]", "0", "the tensor is empty", "do not launch"});
  is_only(box_report(tma::TensorView{at<half>(base), {4, -2, 128}}, {2, 2, 8}), "T5", Severity::error,
          {"extent[1]", "-2", "1 to 2^32", "below zero"});
}

TEST_CASE("a stride of 0 is loaded, not stored") {
  is_empty(box_report(tma::TensorView{at<const float>(base), {8, 64}, {0, 1}}, {8, 16}));
  is_only(box_report(tma::TensorView{at<float>(base), {8, 64}, {0, 1}}, {8, 16}), "M5", Severity::error,
          {"stride[0]", "0", "repeats one row 8 times", "const elements"});
}

TEST_CASE("strides in elements and in bytes say both units") {
  const float* const a      = at<float>(base);
  const tma::Report  report = box_report(tma::TensorView{a, {64, 64}, {1, 64}}, {8, 16});
  names(report, "T7", Severity::error,
        {"stride[0]", "4 bytes (1 elements)", "multiple of 16 bytes", "16 bytes (4 elements)"});
  names(report, "M1", Severity::error, {"stride[1]", "256 bytes (64 elements)", "1 element, 4 bytes", "last"});
  // Elements where bytes are meant, and bytes where elements are.
  CHECK(box_report(tma::TensorView{a, {64, 64}, tma::byte_strides(64, 1)}, {8, 16}).has("M1"));
  CHECK(box_report(tma::TensorView{a, {64, 64}, {256, 4}}, {8, 16}).has("M1"));
  static_assert(!std::is_convertible_v<tma::ByteStrides<2>, tma::detail::Index64>);
}

TEST_CASE("dense tensors of small rows draw no warning") {
  is_empty(box_report(tma::TensorView{at<const half>(base), {8, 1, 8}}, {8, 1, 8}));
  is_empty(box_report(tma::TensorView{at<const half>(base), {8, 1, 1, 8}}, {8, 1, 1, 8}));
  is_empty(box_report(tma::TensorView{at<const float>(base), {16, 1}, {4, 1}}, {8, 4}));
}

namespace {

// Views of every kind, most of them wrong somewhere: all rules must find what the few find that are asked where a tile's type
// and no options have settled the others.
template <class T, class TileT> void bare_rules_agree() {
  constexpr int rank = TileT::rank;
  std::mt19937  random(1);
  const auto    one_of = [&](std::initializer_list<i64> all) { return all.begin()[random() % all.size()]; };
  int           broken = 0;
  for (int n = 0; n < 3000; ++n) {
    i64 extents[rank], strides[rank];
    i64 dense = 1;
    for (int d = rank - 1; d >= 0; --d) {
      extents[d] =
          random() % 8 ? one_of({1, 8, 64, 100, 1024, 4096}) : one_of({0, -1, 7, two_to_the(31) + 1, two_to_the(33)});
      strides[d] = random() % 8 ? dense : one_of({0, 1, 2, -64, 3, 24, two_to_the(41)});
      dense *= extents[d] > 0 && extents[d] < 5000 ? (extents[d] + 15) / 16 * 16 : 16;
    }
    const std::uintptr_t start = random() % 8 ? base : std::uintptr_t(one_of({0, base + 8, base + 16, base + 64}));
    const auto           view  = [&]<std::size_t... D>(std::index_sequence<D...>) {
      return tma::TensorView<T, rank>(at<T>(start), {extents[D]...}, {strides[D]...});
    }(std::make_index_sequence<rank>());
    MapRequest r          = tma::detail::tile_request<TileT>(view, {});
    r.shared_limit        = int(one_of({99 * 1024, 227 * 1024, 512}));
    r.base_kind           = random() % 4 ? PointerKind::device : PointerKind::pageable_host;
    r.reads_pageable      = random() % 2;
    r.destination         = address(base);
    const tma::Report all = tma::check(r), few = tma::detail::check_bare(r);
    REQUIRE(std::string(few.text().c_str()) == all.text().c_str());
    broken += !all.ok();
  }
  CHECK(broken > 1000);
  CHECK(broken < 3000);
}

}  // namespace

TEST_CASE("what a tile's type settles, where there are no options, breaks no rule") {
  bare_rules_agree<float, tma::Tile<float, tma::Shape<64>>>();
  bare_rules_agree<const float, tma::Tile<float, tma::Shape<32, 32>>>();
  bare_rules_agree<half, tma::Tile<half, tma::Shape<128, 64>, Swizzle::bytes_128>>();
  bare_rules_agree<half, tma::Tile<half, tma::Shape<64, 32>, Swizzle::bytes_64>>();
  bare_rules_agree<const half, tma::Tile<half, tma::Shape<256, 8>>>();
  bare_rules_agree<unsigned char, tma::Tile<unsigned char, tma::Shape<2, 16, 32>, Swizzle::bytes_32>>();
  bare_rules_agree<const double, tma::Tile<double, tma::Shape<2, 4, 4, 2>>>();
  bare_rules_agree<int, tma::Tile<int, tma::Shape<2, 2, 3, 4, 8>>>();
  // With options all are asked, and of padded elements, wide swizzles and four rows too.
  using Plain = tma::Tile<float, tma::Shape<32, 32>>;
  CHECK(&tma::detail::map_of_bare_tiles<float, Plain> == &tma::detail::bare_map);
  CHECK(&tma::detail::map_of_tiles<float, Plain> == &tma::detail::plain_map);
  CHECK(&tma::detail::map_of_bare_tiles<float, tma::Rows4<tma::Tile<float, tma::Shape<4, 32>>>> == &tma::detail::tiled_map);
}
