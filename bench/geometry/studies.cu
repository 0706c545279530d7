#include "studies.hpp"

#include <string>

#include "../harness/require.hpp"
#include "readers.hpp"

namespace geometry {

namespace {

using harness::Kind;
using harness::Point;
using harness::require;
using harness::Variant;

int log2_of(unsigned long long n) {
  int shift = 0;
  while (2ull << shift <= n) ++shift;
  return shift;
}

// Boxes side by side along each dimension, as many as the slice holds.
Spec finish(Spec s, const Source& from, std::initializer_list<long> counts) {
  s.stride[s.rank - 1] = s.element_size;
  int d                = 0;
  for (const long n : counts) {
    s.boxes.shift[d] = log2_of(static_cast<unsigned long long>(n));
    s.boxes.step[d]  = s.box[d] * s.skip[d];
    s.boxes.count <<= s.boxes.shift[d++];
  }
  s.boxes.total = s.boxes.count * from.passes;
  return s;
}

constexpr int pitch = 16 * 1024;

// A matrix with rows of 16 KiB in boxes of `rows` rows of `row_bytes`.
Spec matrix(const Source& from, int rows, int row_bytes, int element_size = 4) {
  Spec       s;
  const long all = long(from.slice_bytes / pitch);
  s.element_size = element_size;
  s.extent[0]    = all;
  s.extent[1]    = pitch / element_size;
  s.stride[0]    = pitch;
  s.box[0]       = rows;
  s.box[1]       = row_bytes / element_size;
  return finish(s, from, {all / rows, pitch / row_bytes});
}

// A matrix that is no wider than its boxes.
Spec dense(const Source& from, int rows, int row_bytes, int skip = 1) {
  Spec       s;
  const long all = long(from.slice_bytes) / row_bytes;
  s.extent[0]    = all;
  s.extent[1]    = row_bytes / 4;
  s.stride[0]    = row_bytes;
  s.box[0]       = rows;
  s.box[1]       = row_bytes / 4;
  s.skip[0]      = skip;
  return finish(s, from, {all / rows / skip, 1});
}

// The same memory as a tensor of that rank, in boxes of `rows` rows of 1 KiB that are one piece of memory.
Spec ranked(const Source& from, int rank, int rows) {
  Spec s;
  s.rank           = rank;
  const long boxes = long(from.slice_bytes) / (rows * 1024);
  // Rows stand in the dimension before the last; of rank 2 and 1 boxes and rows, or all, are one dimension.
  long stride = 4;
  for (int d = rank - 1, from_last = 0; d >= 0; --d, ++from_last) {
    const bool last = d == 0;
    long       n    = from_last == 0 ? 256 : from_last == 1 ? rows : 1;
    s.box[d]        = int(n);
    if (last) n *= boxes;
    s.extent[d] = n;
    s.stride[d] = stride;
    stride *= n;
  }
  return finish(s, from, {boxes, 1, 1, 1, 1});
}

// Boxes of 32 rows of 128 bytes, of which so many are outside the tensor, along rows or within them; in quarters. A box is
// one piece of memory, and what is outside is not read from it.
Spec outside(const Source& from, int quarters, bool of_rows) {
  Spec s;
  s.rank           = 3;
  const long boxes = long(from.slice_bytes) / 4096;
  s.extent[0]      = boxes;
  s.extent[1] = s.extent[2] = s.box[1] = s.box[2] = 32;
  s.stride[0]                                     = 4096;
  s.stride[1]                                     = 128;
  const int d                                     = of_rows ? 1 : 2;
  if (quarters == 4) s.boxes.origin[d] = 32;
  else s.extent[d] = 32 - 8 * quarters;
  return finish(s, from, {boxes, 1, 1});
}

class Study {
public:
  Study(harness::Bench& bench, const char* mode, const Source& from, const std::string& name) : bench_(bench), from_(from) {
    point_.name = name;
    point_.mode = mode;
    point_.unit = harness::Unit::gb_per_s;
    if (from.slices > 1) point_.limit = 4800;
  }

  void add(const std::string& name, Kind kind, const Spec& s, Launch (*reader)(const Spec&, const Source&)) {
    if (!bench_.wants(point_.name)) return;
    point_.work          = double(s.box_bytes()) * s.boxes.total;
    const unsigned right = expected(s, from_);
    Variant        v{name, kind, reader(s, from_), [right, from = from_] { return compare(right, from); }};
    if (kind != Kind::plain) v.in_flight = 4. * 32 * 1024;
    point_.variants.push_back(std::move(v));
  }
  void measure() {
    if (!point_.variants.empty()) bench_.measure(point_);
  }

private:
  static std::string compare(unsigned right, const Source& from) {
    return take_result(from) == right ? "" : "it read something else than the boxes";
  }

  harness::Bench& bench_;
  Source          from_;
  Point           point_;
};

std::string bytes_text(int bytes) {
  return bytes < 1024 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1024) + " KiB";
}

}  // namespace

void measure_studies(harness::Bench& bench, const char* mode, const Source& from) {
  const auto study = [&](const std::string& name) { return Study(bench, mode, from, name); };
  {
    Study s = study("row length: matrix");
    for (const int row : {1024, 512, 256, 128, 64, 32, 16}) {
      const Spec spec = matrix(from, 4096 / row, row);
      s.add(bytes_text(row) + ": ours", Kind::ours, spec, read_4k);
      s.add(bytes_text(row) + ": hand", Kind::hand, spec, read_by_hand);
      s.add(bytes_text(row) + ": ld 8 blocks an SM", Kind::plain, spec, read_by_threads);
      s.add(bytes_text(row) + ": ld a block for 4 boxes", Kind::plain, spec, read_by_many_blocks);
    }
    s.measure();
  }
  {
    Study s = study("row length: dense");
    for (const int row : {1024, 512, 256, 128, 64, 32, 16}) {
      const Spec spec = dense(from, 4096 / row, row);
      s.add(bytes_text(row) + ": ours", Kind::ours, spec, read_4k);
      s.add(bytes_text(row) + ": ld 8 blocks an SM", Kind::plain, spec, read_by_threads);
      s.add(bytes_text(row) + ": ld a block for 4 boxes", Kind::plain, spec, read_by_many_blocks);
    }
    s.measure();
  }
  {
    Study s = study("rank: dense boxes of 1 KiB");
    for (const int rank : {1, 2, 3, 4, 5}) s.add(std::to_string(rank), Kind::ours, ranked(from, rank, 1), read_1k);
    s.measure();
  }
  {
    Study s = study("rank: dense boxes of 4 KiB");
    for (const int rank : {2, 3, 4, 5}) s.add(std::to_string(rank), Kind::ours, ranked(from, rank, 4), read_4k);
    s.measure();
  }
  {
    Study s = study("bytes of a box: rows of 128 B: matrix");
    for (const int kib : {1, 2, 4, 8, 16, 32}) {
      const Spec spec = matrix(from, 8 * kib, 128);
      s.add(std::to_string(kib) + " KiB: ours", Kind::ours, spec, read_sized);
      if (kib <= 4) s.add(std::to_string(kib) + " KiB: hand", Kind::hand, spec, read_by_hand);
    }
    s.measure();
  }
  {
    Study s = study("element: rows of 256 B: matrix");
    s.add("1 byte", Kind::ours, matrix(from, 16, 256, 1), read_typed);
    s.add("2 bytes", Kind::ours, matrix(from, 16, 256, 2), read_typed);
    s.add("4 bytes", Kind::ours, matrix(from, 16, 256, 4), read_4k);
    s.measure();
  }
  {
    Study s = study("swizzle: matrix");
    for (const int row : {128, 64, 32}) {
      Spec spec = matrix(from, 4096 / row, row, 2);
      s.add("rows of " + bytes_text(row) + ": none", Kind::ours, spec, read_typed);
      spec.swizzle = row == 128 ? tma::Swizzle::bytes_128 : row == 64 ? tma::Swizzle::bytes_64 : tma::Swizzle::bytes_32;
      s.add("rows of " + bytes_text(row) + ": " + std::to_string(row), Kind::ours, spec, read_typed);
    }
    s.measure();
  }
  {
    Study s = study("promotion: matrix");
    for (const int row : {1024, 128, 32})
      for (int p = 0; p < 4; ++p) {
        Spec spec      = matrix(from, 4096 / row, row);
        spec.promotion = tma::Promotion(p);
        s.add("rows of " + bytes_text(row) + ": " + (p ? bytes_text(32 << p) : "none"), Kind::ours, spec, read_4k);
      }
    s.measure();
  }
  {
    Study             s       = study("hint: rows of 128 B: matrix");
    const char* const names[] = {"none", "evict_first", "evict_last", "evict_unchanged"};
    for (int h = 0; h < 4; ++h) {
      Spec spec = matrix(from, 32, 128);
      spec.hint = Hint(h);
      s.add(names[h], Kind::ours, spec, read_4k);
    }
    s.measure();
  }
  for (const bool of_rows : {true, false}) {
    Study s = study(of_rows ? "outside: whole rows of the box" : "outside: the ends of its rows");
    for (int quarters = 0; quarters <= 4; ++quarters)
      s.add(std::to_string(25 * quarters) + " %", Kind::ours, outside(from, quarters, of_rows), read_4k);
    s.measure();
  }
  for (const int skip : {1, 2, 4, 8}) {
    // Points of their own: with larger strides a slice has fewer boxes.
    Study s = study("element stride: rows of 128 B: " + std::to_string(skip));
    s.add("ours", Kind::ours, dense(from, 32, 128, skip), read_4k);
    s.measure();
  }
}

}  // namespace geometry
