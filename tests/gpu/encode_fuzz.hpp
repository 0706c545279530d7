// The rule book and the driver, asked the same: random parameters of the functions that make tensor maps, both verdicts, and
// what may differ between them. Knows no driver: encode_fuzz.cu brings the real one, tests/host one that is made up.
#pragma once

#include <tma/machine/map.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace encode_fuzz {

using tma::Traversal;
using u64 = unsigned long long;
using i64 = long long;

enum class Function : int { tiled, im2col, im2col_wide };

inline const char* name(Function f) {
  constexpr const char* names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide"};
  return names[int(f)];
}

// All that a call is given, fastest dimension first. There is room for the rank that is one too many.
struct Parameters {
  Function function   = Function::tiled;
  int      type       = 0;
  unsigned rank       = 1;
  u64      base       = 0;
  u64      extents[6] = {1, 1, 1, 1, 1, 1};
  u64      strides[5] = {32, 32, 32, 32, 32};
  unsigned box[6]     = {1, 1, 1, 1, 1, 1};  // of im2col the first alone: channels
  unsigned pixels     = 1;
  int      lower[4] = {}, upper[4] = {};
  unsigned element_strides[6] = {1, 1, 1, 1, 1, 1};
  int      interleave = 0, mode = 0, swizzle = 0, promotion = 0, fill = 0;
  unsigned map_offset = 0;  // of the map from a multiple of 128

  std::string text() const {
    std::string s = std::string(name(function)) + ": type " + std::to_string(type) + " (" +
                    tma::element_name(tma::ElementType(type)) + "), rank " + std::to_string(rank);
    char        hex[32];
    std::snprintf(hex, sizeof hex, ", base 0x%llx", base);
    s += hex;
    const auto list = [&](const char* what, auto* values, unsigned n) {
      s += std::string(", ") + what + " {";
      for (unsigned i = 0; i < n; ++i) s += (i ? ", " : "") + std::to_string(values[i]);
      s += "}";
    };
    const unsigned n = std::min(rank, 6u);
    list("extents", extents, n);
    list("strides", strides, n ? n - 1 : 0);
    if (function == Function::tiled) {
      list("box", box, n);
    } else {
      const unsigned corners = function == Function::im2col_wide ? 1 : n > 2 ? n - 2 : 0;
      list("lower", lower, corners);
      list("upper", upper, corners);
      s += ", channels " + std::to_string(box[0]) + ", pixels " + std::to_string(pixels);
      if (function == Function::im2col_wide) s += ", mode " + std::to_string(mode);
    }
    list("element strides", element_strides, n);
    s += ", interleave " + std::to_string(interleave) + ", swizzle " + std::to_string(swizzle) + ", promotion " +
         std::to_string(promotion) + ", fill " + std::to_string(fill);
    if (map_offset) s += ", map at +" + std::to_string(map_offset);
    return s;
  }
};

// Makes the call of the parameters, at the address for the map, and returns what it returned.
using Encode = std::function<int(const Parameters&, void* map)>;

// --- drawing -------------------------------------------------------------------------------------------------------

// The same numbers for a seed everywhere.
class Random {
public:
  Random(u64 seed, u64 index) : state_(seed * 0x9e3779b97f4a7c15 + index * 0xd1b54a32d192ed03 + 1) { next(), next(); }
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15;
    z     = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z     = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  u64                  below(u64 n) { return next() % n; }
  i64                  between(i64 low, i64 high) { return low + i64(below(u64(high - low + 1))); }
  bool                 one_in(int n) { return below(u64(n)) == 0; }
  template <class T> T one_of(std::initializer_list<T> values) { return values.begin()[below(values.size())]; }

private:
  u64 state_;
};

inline bool is_16_bytes(int type) { return type == 14 || type == 15; }

// Elements of which a row is made: those of 16 bytes; of the packed types their own groups.
inline unsigned row_unit(int type) {
  if (type == 13) return 32;
  if (is_16_bytes(type)) return 128;
  const int size = tma::element_bytes(tma::ElementType(type));
  return size ? 16u / unsigned(size) : 16;
}

inline int corner_limit(const Parameters& p) {
  return p.function == Function::im2col_wide || p.rank <= 3 ? 32768 : p.rank == 4 ? 128 : 16;
}

// The dimension that a corner belongs to.
inline unsigned cornered(const Parameters& p, unsigned corner) { return p.interleave ? corner : corner + 1; }

inline u64 legal_extent(Random& r) {
  switch (r.below(8)) {
    case 0: return r.one_of<u64>({1, 2, 255, 256, 257});
    case 1: return r.one_of<u64>({(1ull << 31) - 1, 1ull << 31, (1ull << 32) - 1, 1ull << 32});
    default: return u64(r.between(1, 5000));
  }
}

inline u64 legal_stride(Random& r, u64 unit) {
  switch (r.below(8)) {
    case 0: return r.one_of<u64>({0, unit, (1ull << 40) - unit, (1ull << 36), (1ull << 36) - unit});
    case 1: return r.below((1ull << 40) / unit) * unit;
    default: return u64(r.between(1, 1 << 16)) * unit;
  }
}

// Most boxes are brought below what a block has room for: T20 and T24 have enough of the others.
inline void keep_small(Parameters& p) {
  const auto elements = [&] {
    u64 n = 1;
    for (unsigned d = 0; d < p.rank; ++d) n *= p.box[d];
    return n;
  };
  for (unsigned d = p.rank; d-- > 1 && elements() > 1 << 15;)
    if (p.interleave == 0 || d != p.rank - 2) p.box[d] = std::min(p.box[d], 3u);
}

// Parameters that break no rule that we know of, but that most boxes of interleaved layouts are of many slices.
inline Parameters draw_legal(Random& r, Function function) {
  Parameters p;
  p.function       = function;
  const bool tiled = function == Function::tiled, wide = function == Function::im2col_wide;
  p.type = r.one_in(8) ? int(r.between(13, 15)) : int(r.below(13));
  p.rank = unsigned(tiled ? r.between(1, 5) : r.between(3, 5));
  if (p.rank >= 3 && p.type != 15 && !wide && r.one_in(4)) p.interleave = int(r.between(1, 2));
  p.swizzle = r.one_in(8) ? int(r.between(4, 6)) : int(r.below(4));
  if (p.interleave == 2) p.swizzle = r.one_of({0, 1, 1, 2, 3});
  if (is_16_bytes(p.type)) {
    p.swizzle = r.one_of({0, 3, 4});
    if (p.interleave == 2) p.interleave = 1;
  }
  if (wide) p.swizzle = is_16_bytes(p.type) ? r.one_of({3, 4}) : r.one_of({2, 3, 4});
  const u64 unit = p.interleave == 2 || is_16_bytes(p.type) ? 32 : 16;
  p.base         = 0x7f0000000000 + r.below(1 << 20) * unit;

  const unsigned row  = row_unit(p.type);
  const int      span = tma::swizzle_span(tma::Swizzle(p.swizzle));
  // Pieces of 16 bytes in a row of the box.
  unsigned pieces = std::min(256u / row, span && p.interleave == 0 ? unsigned(span) / 16 : 1024u);
  pieces          = r.one_in(3) ? pieces : unsigned(r.between(1, std::max(1u, pieces)));
  p.box[0]        = row * std::max(1u, pieces);
  for (unsigned d = 0; d < 6; ++d) {
    p.extents[d]         = legal_extent(r);
    p.element_strides[d] = r.one_in(d == 0 && p.interleave == 0 ? 20 : 3) ? unsigned(r.between(1, 8)) : 1;
    if (d > 0) p.box[d] = r.one_in(8) ? r.one_of({1u, 255u, 256u}) : unsigned(r.between(1, 9));
    if (d < 5) p.strides[d] = legal_stride(r, unit);
  }
  if (p.interleave && !is_16_bytes(p.type) && !r.one_in(4)) {  // one slice
    const unsigned channels = row_unit(p.type) * unsigned(p.interleave);
    unsigned&      box      = p.box[tiled ? p.rank - 2 : 0];
    if (channels <= 256) box = tiled ? (channels - 1) * p.element_strides[p.rank - 2] + 1 : channels;
    if (box > 256) box = channels, p.element_strides[p.rank - 2] = 1;
  }
  if (!r.one_in(8)) keep_small(p);
  unsigned  pixels = r.one_in(4) ? r.one_of({1u, 128u, 1023u, 1024u}) : unsigned(r.between(1, 1024));
  const int size   = tma::element_bytes(tma::ElementType(p.type));
  if (size && r.one_in(16)) {  // at the driver's limit for boxes
    u64 rest = u64(size);
    for (unsigned d = 0; d < (tiled ? p.rank : 1); ++d)
      if (d != 1) rest *= tiled ? p.box[d] / p.element_strides[d] : p.box[d];
    const unsigned most = unsigned(std::min<u64>(1u << 20, 228 * 1024 / std::max<u64>(1, rest))) + unsigned(r.below(3));
    if (!tiled) pixels = std::clamp(most - 1, 1u, 1024u);
    else if (p.rank > 1)
      p.box[1] =
          std::clamp(most * p.element_strides[1] + unsigned(r.below(p.element_strides[1])) - p.element_strides[1], 1u, 256u);
  }
  const u64 group = is_16_bytes(p.type) ? 128 : p.type == 13 ? 2 : 1;
  p.extents[0]    = std::max<u64>(group, p.extents[0] / group * group);

  const int limit = corner_limit(p);
  p.pixels        = pixels;
  p.mode          = int(r.below(2));
  for (int d = 0; d < 4; ++d) {
    const int near      = std::min(limit, 4);
    p.lower[d]          = r.one_in(6) ? r.one_of({-limit, limit - 1, 0}) : int(r.between(-near, near - 1));
    p.upper[d]          = r.one_in(6) ? r.one_of({-limit, limit - 1, 0}) : int(r.between(-near, near - 1));
    u64&      extent    = p.extents[cornered(p, unsigned(d))];
    const i64 too_small = 1 - (i64(extent) + p.upper[d] - p.lower[d]);
    if (too_small > 0) extent += u64(too_small);
  }
  p.promotion = int(r.below(4));
  p.fill      = tma::is_floating(tma::ElementType(p.type)) ? int(r.below(2)) : 0;
  if (r.one_in(4)) p.map_offset = 64;
  return p;
}

// Puts one field at a limit, just below it or just above; whether that breaks a rule is not looked at. Returns its name.
inline std::string disturb(Random& r, Parameters& p, bool misaligned_maps) {
  const unsigned dims = std::clamp(p.rank, 1u, 5u), d = unsigned(r.below(dims));
  const auto     at    = [](const char* field, unsigned i) { return std::string(field) + "[" + std::to_string(i) + "]"; };
  const bool     tiled = p.function == Function::tiled;
  switch (r.below(16)) {
    case 0: return p.type = r.one_of({-1, 0, 12, 13, 14, 15, 16, int(r.below(16))}), "type";
    case 1: return p.rank = r.one_of({0u, 1u, 2u, 3u, 4u, 5u, 6u}), "rank";
    case 2: return p.base = r.one_in(4) ? 0 : p.base / 64 * 64 + r.one_of<u64>({1, 8, 15, 16, 17, 24, 31, 32, 48}), "base";
    case 3:
      p.extents[d] = r.one_of<u64>({0, 1, 2, 3, 127, 128, 129, (1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1, 1ull << 33,
                                    1ull << 63, ~0ull, p.extents[d] + 1});
      return at("extent", d);
    case 4:
    case 5:
      if (dims < 2) return p.base += 8, "base";
      p.strides[d % (dims - 1)] =
          r.one_of<u64>({0, 1, 8, 15, 16, 17, 24, 31, 32, 48, (1ull << 36) + 16, (1ull << 40) - 32, (1ull << 40) - 16,
                         (1ull << 40) - 8, 1ull << 40, (1ull << 40) + 16, (1ull << 40) + 32, 1ull << 63, ~0ull - 15});
      return at("stride", d % (dims - 1));
    case 6:
    case 7: {
      const unsigned i = tiled ? d : 0, row = row_unit(p.type);
      p.box[i] =
          r.one_of({0u,  1u,  2u,   p.box[i] - 1, p.box[i] + 1, p.box[i] + row, 2 * p.box[i], row,  row / 2, 8u,       16u,
                    32u, 64u, 127u, 128u,         129u,         255u,           256u,         257u, 512u,    1u << 31, ~0u});
      return at(tiled ? "box" : "channels", i);
    }
    case 8: return p.element_strides[d] = r.one_of({0u, 1u, 2u, 7u, 8u, 9u, 16u, 1u << 31, ~0u}), at("element_stride", d);
    case 9: return p.interleave = r.one_of({-1, 0, 1, 2, 3}), "interleave";
    case 10: return p.swizzle = int(r.between(-1, 7)), "swizzle";
    case 11: return p.promotion = r.one_of({-1, 0, 3, 4}), "promotion";
    case 12: return p.fill = r.one_of({-1, 0, 1, 1, 2}), "fill";
    case 13:
      if (misaligned_maps) return p.map_offset = r.one_of({0u, 8u, 16u, 32u, 48u, 64u, 96u}), "map";
      return p.swizzle = int(r.between(0, 6)), "swizzle";
    case 14:
      if (tiled) return p.box[0] = row_unit(p.type) * unsigned(r.between(1, 16)), "box[0]";
      if (p.function == Function::im2col_wide && r.one_in(2)) return p.mode = r.one_of({-1, 0, 1, 2}), "mode";
      return p.pixels = r.one_of({0u, 1u, 127u, 128u, 129u, 1023u, 1024u, 1025u, 2048u, 1u << 31, ~0u}), "pixels";
    default: {
      if (tiled) return p.extents[d] = 1, at("extent", d);
      const unsigned corners = p.function == Function::im2col_wide ? 1 : std::clamp(dims, 3u, 5u) - 2,
                     i       = unsigned(r.below(corners));
      const int      limit = corner_limit(p), lower = r.one_in(2);
      int&           corner = lower ? p.lower[i] : p.upper[i];
      if (r.one_in(2)) {
        corner = r.one_of({-limit - 1, -limit, -limit + 1, limit - 2, limit - 1, limit, -32769, -32768, 32767, 32768});
      } else {  // the bounding box at nothing, one pixel, or less than nothing
        const i64 wanted = r.between(-1, 2);
        u64&      extent = p.extents[cornered(p, i)];
        extent           = r.one_in(4) ? r.one_of<u64>({1ull << 31, 1ull << 32}) + u64(wanted) : u64(r.between(1, limit));
        corner           = int(lower ? i64(extent) + p.upper[i] - wanted : wanted - i64(extent) + p.lower[i]);
      }
      return at(lower ? "lower" : "upper", i);
    }
  }
}

struct Case {
  Parameters  parameters;
  std::string disturbed;  // the fields, for the reader
};

inline Case draw(u64 seed, u64 index, bool misaligned_maps = true) {
  Random         r(seed, index);
  const u64      way      = r.below(8);
  const Function function = way < 4 ? Function::tiled : way < 7 ? Function::im2col : Function::im2col_wide;
  Case           c{draw_legal(r, function), ""};
  for (u64 n = r.below(3); n > 0; --n)
    c.disturbed += (c.disturbed.empty() ? "" : ", ") + disturb(r, c.parameters, misaligned_maps);
  return c;
}

// --- our verdict ---------------------------------------------------------------------------------------------------

inline tma::machine::EncodeCall call_of(const Parameters& p) {
  tma::machine::EncodeCall c;
  c.type            = p.type;
  c.rank            = p.rank;
  c.base            = reinterpret_cast<void*>(static_cast<std::uintptr_t>(p.base));
  c.extents         = p.extents;
  c.strides         = p.strides;
  c.element_strides = p.element_strides;
  c.interleave      = p.interleave;
  c.swizzle         = p.swizzle;
  c.promotion       = p.promotion;
  c.fill            = p.fill;
  if (p.function == Function::tiled) {
    c.box = p.box;
    return c;
  }
  c.traversal = p.function == Function::im2col ? Traversal::im2col
                : p.mode == 1                  ? Traversal::im2col_w128
                                               : Traversal::im2col_w;
  c.lower     = p.lower;
  c.upper     = p.upper;
  c.channels  = p.box[0];
  c.pixels    = p.pixels;
  return c;
}

// The rules that the parameters break on a device of this capability, each once, warnings left out. The mode of the wide
// function is an enumeration here and a type in the library: one that does not exist breaks no rule, and "mode" stands for it.
inline std::vector<std::string> broken_rules(const Parameters& p, int capability) {
  const tma::machine::EncodeCall call = call_of(p);
  tma::MapRequest r    = tma::machine::request_of(call, reinterpret_cast<void*>(std::uintptr_t(1 << 20) + p.map_offset));
  r.compute_capability = capability;
  std::vector<std::string> ids;
  const auto               add = [&](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const tma::Violation& v : p.function == Function::tiled ? check(r) : check_im2col(r))
    if (v.severity == tma::Severity::error) add(v.id);
  if (r.footprint_bytes() > tma::MapRequest().shared_limit) add("T20");
  if (p.function == Function::im2col_wide && p.mode != 0 && p.mode != 1) add("mode");
  return ids;
}

inline bool has(const std::vector<std::string>& broken, const char* id) {
  return std::find(broken.begin(), broken.end(), id) != broken.end();
}

// The rules among those broken for which the driver is expected to refuse. Of others it does not know.
inline std::vector<std::string> of_the_driver(const std::vector<std::string>& broken) {
  std::vector<std::string> ids;
  std::copy_if(broken.begin(), broken.end(), std::back_inserter(ids), [&](const std::string& id) {
    if (id == "M7" || id == "mode") return true;
    if (has(broken, "W1") && (id == "W2" || id == "W3"))
      return false;  // it looks at no W rule for a device that has no such modes
    tma::Violation v{};
    std::snprintf(v.id, sizeof v.id, "%s", id.c_str());
    v.severity = tma::Severity::error;
    return tma::machine::detail::is_refused(v);
  });
  return ids;
}

// --- what may differ -----------------------------------------------------------------------------------------------

struct Known {
  const char* id;
  const char* text;
};

// Rules of which the driver knows nothing. Of several that are broken the first names the row.
inline constexpr Known not_the_drivers[] = {
    {"W1", "driver accepts, hardware of capability 9 walks as im2col does: im2col along w"},
    {"T1", "driver accepts, hardware faults: a map at no multiple of 64"},
    {"M2", "driver accepts, hardware faults: a null base"},
    {"M6", "driver accepts, hardware faults: a tensor beyond the address space"},
    {"M14", "driver accepts, a load never completes: an interleaved tile of more or less than one slice"},
    {"T20", "driver accepts, no block has room: a tile larger than shared memory"},
    {"M13", "driver accepts, copies take no notice: an innermost element stride"},
    {"W2", "driver accepts: im2col along w with another swizzle"},
    {"W3", "driver accepts: im2col along w, interleaved"},
    {"W4", "driver accepts, and brings 128 pixels: im2col_w128 with another number"},
    {"M5", "driver accepts, as a map does not say what it is for: a stride of 0 and a type for stores"},
    {"I10", "driver accepts, as a map does not say what it is for: corners outside the tensor and a type for stores"},
};

// What explains that the driver accepts what breaks these rules; null where something is left.
inline const Known* known_accepted(const std::vector<std::string>& broken) {
  if (broken.empty() || !of_the_driver(broken).empty()) return nullptr;
  const auto known = [](const std::string& id) {
    return std::any_of(std::begin(not_the_drivers), std::end(not_the_drivers), [&](const Known& k) { return id == k.id; });
  };
  if (!std::all_of(broken.begin(), broken.end(), known)) return nullptr;
  return std::find_if(std::begin(not_the_drivers), std::end(not_the_drivers),
                      [&](const Known& k) { return has(broken, k.id); });
}

// For a device without im2col along w a driver judges it as im2col, with corners of 0 where w has none.
inline constexpr Known corners_of_w = {
    "I2-w", "driver refuses, harmless: corners along w beyond those of im2col, for a device without im2col along w (W1)"};
inline constexpr Known extents_beside_w = {
    "I3-w", "driver refuses, harmless: h or d of 2^31 and more, for a device without im2col along w (W1)"};

// The same of what it refuses and no rule of its own forbids.
inline const Known* known_refused(const Parameters& p, const std::vector<std::string>& broken) {
  if (!has(broken, "W1") || p.rank < 4 || p.rank > 5) return nullptr;
  const int limit = p.rank == 4 ? 128 : 16;
  for (int corner : {p.lower[0], p.upper[0]})
    if (corner < -limit || corner >= limit) return &corners_of_w;
  for (unsigned i = 1; i < p.rank - 2; ++i)
    if (p.extents[cornered(p, i)] >= 1ull << 31) return &extents_beside_w;
  return nullptr;
}

// --- comparing -----------------------------------------------------------------------------------------------------

struct Disagreement {
  u64         count     = 0;
  bool        explained = false;
  u64         index     = ~0ull;  // of the example: the first
  std::string text, example;
};

struct Tally {
  u64                                 count = 0, agree_accept = 0, agree_refuse = 0;
  std::map<std::string, Disagreement> disagreements;
  std::map<std::string, u64>          alone;  // refused by the driver where of its rules this alone was broken

  void add(const Tally& other) {
    count += other.count;
    agree_accept += other.agree_accept;
    agree_refuse += other.agree_refuse;
    for (const auto& [id, n] : other.alone) alone[id] += n;
    for (const auto& [id, d] : other.disagreements) {
      Disagreement& mine = disagreements[id];
      const u64     sum  = mine.count + d.count;
      if (d.index < mine.index) mine = d;
      mine.count = sum;
    }
  }
  u64 unexplained() const {
    u64 n = 0;
    for (const auto& [id, d] : disagreements) n += d.explained ? 0 : d.count;
    return n;
  }
};

using Tallies = std::array<Tally, 3>;  // by function

inline std::string joined(const std::vector<std::string>& ids) {
  std::string s;
  for (const std::string& id : ids) s += (s.empty() ? "" : "+") + id;
  return s;
}

// Whether, and under which name, the verdicts differ. Empty where they agree.
inline std::string disagreement(const Parameters& p, int capability, int status, bool& explained, std::string& text) {
  const std::vector<std::string> broken  = broken_rules(p, capability);
  const bool                     accepts = status == 0;
  explained                              = false;
  if (accepts ? broken.empty() : !of_the_driver(broken).empty()) return "";
  if (const Known* k = accepts ? known_accepted(broken) : known_refused(p, broken)) {
    explained = true;
    text      = k->text;
    return k->id;
  }
  if (!accepts) {
    text = "driver refuses (status " + std::to_string(status) + ") what breaks no rule of its own" +
           (broken.empty() ? "" : " but " + joined(broken));
    return "refuses-" + std::to_string(status);
  }
  text = "driver accepts what breaks " + joined(broken);
  return "accepts-" + joined(broken);
}

// A room for maps, at any offset from a multiple of 128.
struct MapRoom {
  alignas(128) unsigned char bytes[384];
};

inline int call(const Encode& encode, const Parameters& p) {
  MapRoom room;
  return encode(p, room.bytes + p.map_offset);
}

// Fields put back to plain values for as long as the verdicts differ under the same name: what is left matters.
inline Parameters simplified(Parameters p, int capability, const Encode& encode, const std::string& id) {
  const auto differs = [&](const Parameters& q) {
    bool        explained;
    std::string text;
    return disagreement(q, capability, call(encode, q), explained, text) == id;
  };
  const auto attempt = [&](auto&& change) {
    Parameters q = p;
    change(q);
    if (differs(q)) p = q;
  };
  attempt([](auto& q) { q.map_offset = 0; });
  attempt([](auto& q) { q.base = 0x7f0000000000; });
  attempt([](auto& q) { q.promotion = 0; });
  attempt([](auto& q) { q.fill = 0; });
  attempt([](auto& q) { q.swizzle = 0; });
  attempt([](auto& q) { q.interleave = 0; });
  attempt([](auto& q) { q.pixels = 64; });
  for (int type : {0, 7}) attempt([&](auto& q) { q.type = type; });
  for (unsigned d = 0; d < 6; ++d) {
    attempt([&](auto& q) { q.element_strides[d] = 1; });
    attempt([&](auto& q) { q.extents[d] = 1024; });
    attempt([&](auto& q) { q.box[d] = d == 0 ? 16 : 1; });
    if (d < 5) attempt([&](auto& q) { q.strides[d] = 1024; });
    if (d < 4) attempt([&](auto& q) { q.lower[d] = 0; });
    if (d < 4) attempt([&](auto& q) { q.upper[d] = 0; });
  }
  while (p.rank > 1) {
    Parameters q = p;
    --q.rank;
    if (!differs(q)) break;
    p = q;
  }
  return p;
}

// What is left in parameters that were simplified, as one word: "swizzle=3 box[0]". Differences of one cause have one name.
inline std::string culprits(const Parameters& p) {
  std::string s;
  const auto  add  = [&](const std::string& field) { s += (s.empty() ? "" : " ") + field; };
  const auto  mode = [&](const char* field, int value, int plain) {
    if (value != plain) add(std::string(field) + "=" + std::to_string(value));
  };
  const auto at = [&](const char* field, unsigned d) { add(std::string(field) + "[" + std::to_string(d) + "]"); };
  if (p.type != 0) mode("type", p.type, 7);
  if (p.rank != 3) mode("rank", int(p.rank), 1);
  mode("interleave", p.interleave, 0);
  mode("swizzle", p.swizzle, 0);
  mode("promotion", p.promotion, 0);
  mode("fill", p.fill, 0);
  if (p.function == Function::im2col_wide) mode("mode", p.mode, 0);
  if (p.map_offset) add("map");
  if (p.base != 0x7f0000000000) add("base");
  if (p.function != Function::tiled && p.pixels != 64) add("pixels");
  for (unsigned d = 0; d < std::min(p.rank, 6u); ++d) {
    if (p.extents[d] != 1024) at("extents", d);
    if (d + 1 < p.rank && p.strides[d] != 1024) at("strides", d);
    if ((d == 0 || p.function == Function::tiled) && p.box[d] != (d == 0 ? 16 : 1)) at("box", d);
    if (p.element_strides[d] != 1) at("element_strides", d);
    if (p.function != Function::tiled && d < 4 && p.lower[d]) at("lower", d);
    if (p.function != Function::tiled && d < 4 && p.upper[d]) at("upper", d);
  }
  return s.empty() ? "nothing" : s;
}

// Cases first to first + count - 1, by a driver for a device of `capability`.
inline Tallies run(u64 seed, u64 first, u64 count, int capability, const Encode& encode, bool misaligned_maps = true) {
  constexpr int most_simplified = 2000;  // each takes tens of calls
  Tallies       all;
  int           simplifications = 0;
  for (u64 i = first; i < first + count; ++i) {
    const Case        c = draw(seed, i, misaligned_maps);
    const Parameters& p = c.parameters;
    Tally&            t = all[std::size_t(p.function)];
    bool              explained;
    std::string       text;
    const int         status = call(encode, p);
    std::string       id     = disagreement(p, capability, status, explained, text);
    ++t.count;
    if (id.empty()) {
      ++(status == 0 ? t.agree_accept : t.agree_refuse);
      if (status == 0) continue;
      const std::vector<std::string> reasons = of_the_driver(broken_rules(p, capability));
      if (reasons.size() == 1) ++t.alone[reasons[0]];
      continue;
    }
    Parameters plain = p;
    if (!explained) {
      const bool looked_at = simplifications++ < most_simplified;
      if (looked_at) plain = simplified(p, capability, encode, id);
      id += looked_at ? " by " + culprits(plain) : " by others";
    }
    Disagreement& d = t.disagreements[id];
    if (d.count++ == 0) {
      d.explained = explained;
      d.text      = text;
      d.index     = i;
      d.example   = explained ? simplified(p, capability, encode, id).text()
                              : plain.text() + "\n    drawn as " + p.text() + "\n    changed: " + c.disturbed;
    }
  }
  return all;
}

// --- telling -------------------------------------------------------------------------------------------------------

// Differences of one name: of every function, and of every group of fields that was found to matter.
struct Row {
  u64         count = 0, groups = 0, most = 0;
  std::string text, example;  // of the largest group
};

// A screen, or with `verbose` all there is: an example of each group, as it was drawn.
inline void print(std::FILE* to, const Tallies& all, bool verbose = false) {
  constexpr std::size_t      most_rows = 12;
  std::map<std::string, Row> rows[2];  // explained last
  for (int f = 0; f < 3; ++f) {
    const Tally& t = all[std::size_t(f)];
    std::fprintf(to, "%-28s %10llu calls %10llu accepted by both %10llu refused by both\n", name(Function(f)), t.count,
                 t.agree_accept, t.agree_refuse);
    std::fprintf(to, "  refused where one of its rules alone was broken:");
    for (const auto& [id, n] : t.alone) std::fprintf(to, " %s %llu", id.c_str(), n);
    std::fprintf(to, "\n");
    for (const auto& [id, d] : t.disagreements) {
      Row& row = rows[d.explained][id.substr(0, id.find(" by "))];
      row.count += d.count;
      ++row.groups;
      if (d.count > row.most) {
        row.most    = d.count;
        row.text    = d.text;
        row.example = d.example.substr(0, d.example.find('\n'));
      }
      if (verbose && !d.explained)
        std::fprintf(to, "  UNEXPLAINED %10llu  %s: %s\n    case %llu: %s\n", d.count, id.c_str(), d.text.c_str(), d.index,
                     d.example.c_str());
    }
  }
  for (int explained = 0; explained < 2; ++explained) {
    std::vector<const std::pair<const std::string, Row>*> order;
    for (const auto& row : rows[explained]) order.push_back(&row);
    std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->second.count > b->second.count; });
    for (std::size_t i = 0; i < order.size() && (verbose || i < most_rows); ++i) {
      const Row& row = order[i]->second;
      std::fprintf(to, "%s%10llu  %s: %s\n", explained ? "" : "UNEXPLAINED ", row.count, order[i]->first.c_str(),
                   row.text.c_str());
      if (row.groups > 1 && !explained) std::fprintf(to, "    in %llu groups, the largest like\n", row.groups);
      std::fprintf(to, "    %s\n", row.example.c_str());
    }
    if (!verbose && order.size() > most_rows) std::fprintf(to, "and %zu rows more: --verbose\n", order.size() - most_rows);
  }
}

inline void write_rows(std::FILE* to, const Tallies& all, u64 seed) {
  std::fprintf(to, "function,seed,count,agree_accept,agree_refuse,disagreement id,count\n");
  for (int f = 0; f < 3; ++f) {
    const Tally& t   = all[std::size_t(f)];
    const auto   row = [&](const char* id, u64 n) {
      std::fprintf(to, "%s,%llu,%llu,%llu,%llu,%s,%llu\n", name(Function(f)), seed, t.count, t.agree_accept, t.agree_refuse,
                   id, n);
    };
    if (t.disagreements.empty()) row("none", 0);
    for (const auto& [id, d] : t.disagreements) row(id.c_str(), d.count);
  }
}

}  // namespace encode_fuzz
