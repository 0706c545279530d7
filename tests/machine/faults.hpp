// Seeded faults: kernels with one fault each, beside the same kernel without it. What the machine has to say of the first,
// and that it says nothing of the second.
#pragma once

#include <tma/machine/machine.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

namespace ptx = tma::ptx;
using tma::detail::u32;
using tma::detail::u64;
using tma::machine::Kind;

// Four rows of 32: half a KiB. The tensors hold eight of them below one another.
using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;
using Out  = tma::TmaDescriptor<int, 2, Tile>;

inline constexpr int tiles = 8, rows = tiles * 4, columns = 32, elements = rows * columns;
inline constexpr u32 tile_bytes = Tile::payload_bytes;

// Two tensors on the device, and their descriptors.
struct Data {
  gpu::Array<int> in{gpu::random_values<int>(elements, 1)}, out{elements};
  Map             from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {rows, columns}});
  Out             to   = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {rows, columns}});
};

// What a kernel of these tests is given for a parameter of each type.
template <class P> P argument(Data& d) {
  if constexpr (std::is_same_v<P, Map>) return d.from;
  else if constexpr (std::is_same_v<P, Out>) return d.to;
  else if constexpr (std::is_same_v<P, const int*>) return d.in.get();
  else return d.out.get();
}

// Launches one of two kernels.
template <auto Wrong, auto Right, int Threads = 64, int Blocks = 1, int Cluster = 1> void run(bool faulty) {
  [faulty]<class... P>(void (*wrong)(P...), void (*right)(P...)) {
    Data d;
    tma::launch(faulty ? wrong : right, {.grid = Blocks, .block = Threads, .cluster = Cluster}, argument<P>(d)...);
  }(Wrong, Right);
}

// Tiles and bare barriers, for kernels that do without the library's types. The reports know them by the pipeline's names.
template <int Stages> struct Ring {
  Tile tile[Stages];
  u64  full[Stages], empty[Stages];

  TMA_DEVICE u32 tile_at(int stage) const { return ptx::shared_address(&tile[stage]); }
  TMA_DEVICE u32 full_at(int stage) const { return ptx::shared_address(&full[stage]); }
  TMA_DEVICE u32 empty_at(int stage) const { return ptx::shared_address(&empty[stage]); }

  TMA_DEVICE void describe() const {
    for (int s = 0; s < Stages; ++s) {
      ptx::describe(&tile[s], sizeof tile[s], "tile %d of stage %d", 0, s);
      ptx::describe(&full[s], sizeof full[s], "full[%d]", s);
      ptx::describe(&empty[s], sizeof empty[s], "empty[%d]", s);
    }
  }
};

// All threads: the ring, its barriers initialised for so many arrivals.
template <int Stages> TMA_DEVICE Ring<Stages>& ring(u32 empty_arrivals = 1, u32 full_arrivals = 1) {
  auto& r = tma::shared<Ring<Stages>>();
  r.describe();
  if (ptx::thread_rank() == 0) {
    for (int s = 0; s < Stages; ++s) {
      ptx::mbarrier_init(r.full_at(s), full_arrivals);
      ptx::mbarrier_init(r.empty_at(s), empty_arrivals);
    }
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  return r;
}

// One fault.
struct Fault {
  const char* title;
  const char* file;
  void (*run)(bool faulty);  // launches the kernel, with the fault or without
  Kind                          kind;
  std::vector<std::string_view> says  = {};  // parts of the text
  std::vector<std::string_view> lines = {};  // marks of the lines that the text names: a comment `// <mark>` at their end
  int within = 1;  // of so many schedules one must show it; of a fault that every order shows, the first
};

inline std::vector<const Fault*>& all() {
  static std::vector<const Fault*> list;
  return list;
}

struct Registered {
  explicit Registered(const Fault& f) { all().push_back(&f); }
};

// "faults.cu:41": where the mark stands.
inline std::string place_of(std::string_view mark, std::string_view file) {
  std::ifstream     source{std::string(file)};
  const std::string end    = "// <" + std::string(mark) + ">";
  int               number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.ends_with(end)) return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(number);
  }
  FAIL("no line of " << file << " ends with " << end);
  return "";
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

inline void check(const Fault& f) {
  const auto found = tma::machine::explore({.schedules = 100}, [&] { f.run(true); });
  INFO(found.text());
  const tma::machine::Report* report = found.find(f.kind);
  {
    INFO("expected: " << tma::machine::name_of(f.kind));
    REQUIRE(report);
  }
  CHECK(report->schedule < f.within);
  for (const std::string_view part : f.says) {
    INFO("expected: " << part);
    CHECK(contains(report->text, part));
  }
  for (const std::string_view mark : f.lines) {
    const std::string place = place_of(mark, f.file);
    INFO("expected: " << place << " <" << mark << ">");
    // Not the beginning of a longer number.
    bool named = false;
    for (auto at = report->text.find(place); at != std::string::npos; at = report->text.find(place, at + 1)) {
      const auto end = at + place.size();
      named |= end == report->text.size() || report->text[end] < '0' || report->text[end] > '9';
    }
    CHECK(named);
  }

  const auto right = tma::machine::explore({.schedules = 100}, [&] { f.run(false); });
  INFO("without the fault: " << right.text());
  CHECK(right.clean());
  CHECK(right.schedules == 100 * right.launches);
}

}  // namespace faults

// A fault and its test.
#define FAULT(id, name, ...)                                                                \
  static const faults::Fault      id##_fault{.title = name, .file = __FILE__, __VA_ARGS__}; \
  static const faults::Registered id##_registered(id##_fault);                              \
  TEST_CASE("fault: " name) { faults::check(id##_fault); }
