// Copies of every kind the engine has, on a device and on the machine: random legal ones, what they leave compared with the
// core's own idea of them byte for byte, and hashed.
//
//     copies --seed 1 --count 1250 --csv device.csv
//
// One line a kind. Each kind runs in a process of its own: a copy that stops the kernel costs its kind alone. On the machine
// the same hashes have to come out (compare.py).
#include <tma/host/im2col.hpp>
#include <tma/tma.hpp>

#include <cstring>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "../../bench/harness/machine.hpp"
#include "copies_kernels.hpp"
#include "differential_device.hpp"

namespace copies {

using differential::Mirrored;
using differential::region_words;
using Byte = unsigned char;

// What a copy leaves: the array, and the regions of all its blocks.
struct Outcome {
  std::vector<u64> array, regions;
  bool             bytes_ok = true;
};

class Runner {
public:
  explicit Runner(const tma::Driver& driver) : driver_(driver) {}

  const Outcome& run(const Case& c) {
    const u32 words = c.size / 8;
    for (u32 i = 0; i < words; ++i) array_.host()[i] = styled_word(c.style, c.data, i);
    array_.upload(words);
    std::memset(flags_.host(), 0, flag_count * sizeof(u32));
    flags_.upload(flag_count);
    const auto map      = map_of(c);
    const auto launched = tma::try_launch(kernel_of(c.kind),
                                          {.grid    = int(c.blocks),
                                           .block   = int(differential::threads),
                                           .shared  = region_bytes + 1024,
                                           .cluster = int(c.blocks)},
                                          map, order_of(c), out_.device(), flags_.device());
    if (launched) fail(c, launched.what());
    const cudaError_t done = gpu::wait();
    if (done != cudaSuccess) fail(c, cudaGetErrorName(done));
    array_.download(words);
    out_.download(c.blocks * region_words);
    flags_.download(flag_count);
    gpu::finish();
    outcome_.array.assign(array_.host(), array_.host() + words);
    outcome_.regions.assign(out_.host(), out_.host() + c.blocks * region_words);
    outcome_.bytes_ok = true;
    for (u32 i = 0; i < c.blocks * differential::threads; ++i)
      outcome_.bytes_ok = outcome_.bytes_ok && flags_.host()[i] == (differential::phase_done | differential::surplus_free);
    return outcome_;
  }

private:
  static constexpr u32 flag_count = 4 * differential::threads;

  // The context is lost with a kernel that fails: nothing can follow.
  [[noreturn]] static void fail(const Case& c, const char* what) {
    std::fflush(stdout);
    std::fprintf(stderr, "copies: case %llu of %s: %s\n%s", static_cast<unsigned long long>(c.index), kind_name[int(c.kind)],
                 what, c.text().c_str());
    std::fflush(stderr);
    _exit(3);
  }

  Byte* first(const Case& c) const { return reinterpret_cast<Byte*>(array_.device()) + c.offset; }

  Order order_of(const Case& c) const {
    Order o{};
    o.kind      = c.kind;
    o.operation = c.operation;
    o.type      = c.tensor.type;
    o.rank      = c.tensor.rank;
    o.policy    = c.policy;
    o.prefetch  = c.prefetch;
    o.style     = c.style;
    o.place     = c.place;
    o.bytes     = c.bytes;
    o.pattern   = c.pattern;
    o.global    = first(c);
    o.issuer    = c.issuer;
    o.target    = c.target;
    o.mask      = c.mask;
    const int n = c.where.traversal == Traversal::rows4 ? 5 : c.tensor.rank;
    for (int i = 0; i < n; ++i) o.at[i] = c.where.at[n - 1 - i];
    if (c.where.traversal == Traversal::rows4)  // the column, then the rows in their order
      for (int i = 0; i < 4; ++i) o.at[1 + i] = c.where.at[i];
    for (int i = 0; i < c.tensor.rank - 2; ++i) o.offset[i] = u16(c.where.offset[c.tensor.rank - 3 - i]);
    return o;
  }

  tma::detail::TensorMap map_of(const Case& c) const {
    tma::detail::TensorMap map{};
    if (c.bulk) return map;
    tma::MapRequest request = c.tensor;
    request.base            = first(c);
    const auto encode       = request.is_im2col() ? tma::detail::encode_im2col : tma::detail::encode_tiled;
    if (const tma::Error error = encode(map, request, driver_)) fail(c, error.what());
    return map;
  }

  tma::Driver   driver_;
  Mirrored<u64> array_{array_bytes / 8}, out_{4 * region_words};
  Mirrored<u32> flags_{flag_count};
  Outcome       outcome_;
};

// One chunk of a tensor copy.
struct Move {
  tma::TensorBox box;
  Kind           kind;
  Reduction      operation;
  Byte *         base, *region;

  TMA_HOST_DEVICE void operator()(const tma::Chunk& k) const {
    Byte* const shared = region + k.shared;
    Byte* const global = k.inside ? base + k.global : nullptr;
    if (is_load(kind)) tma::load_chunk(box, k, global, shared);
    else if (is_reduction(kind)) tma::reduce_chunk(operation, box.type, k, shared, global);
    else tma::store_chunk(k, shared, global);
  }
};

// Changes `array`, or the regions, as the copy does.
void apply(const Case& c, Byte* array, Byte* regions) {
  const auto region = [&](u32 block) { return regions + std::size_t(block) * region_bytes; };
  Byte*      base   = array + c.offset;
  const auto bulk   = [&](Byte* to, const Byte* from) {
    if (is_reduction(c.kind)) tma::reduce_bytes(c.operation, c.tensor.type, to, from, int(c.bytes));
    else std::memcpy(to, from, c.bytes);
  };
  switch (c.kind) {
    case Kind::bulk_load: return bulk(region(0) + c.place, base);
    case Kind::bulk_store:
    case Kind::bulk_reduce: return bulk(base, region(0) + c.place);
    case Kind::peer_copy:
    case Kind::peer_reduce: return bulk(region(c.target) + c.place, region(c.issuer) + c.place);
    case Kind::bulk_multicast:
      for (u32 b = 0; b < c.blocks; ++b)
        if (c.mask >> b & 1) bulk(region(b) + c.place, base);
      return;
    default: break;
  }
  for (u32 b = 0; b < c.blocks; ++b) {
    if (c.kind == Kind::multicast && !(c.mask >> b & 1)) continue;
    tma::for_each_chunk(c.tensor, c.where, c.place, Move{c.tensor, c.kind, c.operation, base, region(b)});
  }
}

Outcome expected(const Case& c) {
  Outcome o{std::vector<u64>(c.size / 8), std::vector<u64>(c.blocks * region_words)};
  for (u32 i = 0; i < o.array.size(); ++i) o.array[i] = styled_word(c.style, c.data, i);
  for (u32 i = 0; i < o.regions.size(); ++i)
    o.regions[i] = styled_word(c.style, c.pattern + i / region_words, i % region_words);
  apply(c, reinterpret_cast<Byte*>(o.array.data()), reinterpret_cast<Byte*>(o.regions.data()));
  return o;
}

u64 hash_of(const Case& c, const Outcome& outcome) {
  differential::Hash h;
  h.add(c.hash());
  for (const u64 word : outcome.array) h.add(word);
  for (const u64 word : outcome.regions) h.add(word);
  h.add(outcome.bytes_ok);
  return h.value();
}

void describe(std::string& text, const char* what, const std::vector<u64>& found, const std::vector<u64>& want) {
  char s[160];
  int  wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (found[i] == want[i] || ++wrong > 4) continue;
    std::snprintf(s, sizeof s, "  byte 0x%zx of the %s: %016llx, expected %016llx\n", i * 8, what,
                  static_cast<unsigned long long>(found[i]), static_cast<unsigned long long>(want[i]));
    text += s;
  }
  if (wrong > 4) text += "  and " + std::to_string(wrong - 4) + " more groups of 8 bytes\n";
}

// How an outcome differs from what is expected; empty where it does not.
std::string difference(const Case& c, const Outcome& outcome) {
  const Outcome want = expected(c);
  std::string   text;
  describe(text, "array", outcome.array, want.array);
  describe(text, "regions", outcome.regions, want.regions);
  if (!outcome.bytes_ok) text += "  a barrier did not count " + std::to_string(c.bytes) + " bytes\n";
  return text;
}

struct Options {
  u64         seed = 1, count = 1250, dump = ~u64(0);
  std::string csv, kind;
};

Options parse(int argc, char** argv) {
  using differential::number;
  using differential::refuse;
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string name  = argv[i];
    const auto        value = [&]() -> std::string {
      if (i + 1 == argc) refuse(name, "nothing", "the option has a value", "write it after the option");
      return argv[++i];
    };
    if (name == "--seed") o.seed = number(name, value(), 0);
    else if (name == "--count") o.count = number(name, value(), 1);
    else if (name == "--dump") o.dump = number(name, value(), 0);
    else if (name == "--csv") o.csv = value();
    else if (name == "--kind") o.kind = value();
    else refuse("option", name, "one of --seed, --count, --kind, --csv, --dump", "look for a letter that is wrong");
  }
  bool known = o.kind.empty();
  for (const char* name : kind_name) known = known || o.kind == name;
  if (!known) refuse("--kind", o.kind, "a kind of copies", "leave it out, and read their names");
  if (o.dump != ~u64(0) && o.kind.empty())
    refuse("--dump", std::to_string(o.dump), "a case has a kind and a number", "name the kind with --kind");
  return o;
}

// All cases of a kind; its line of the results.
std::string run_kind(Kind kind, const Options& o) {
  tma::Driver driver;
  if (const tma::Error error = tma::system_driver(driver)) {
    std::fprintf(stderr, "%s", error.what());
    _exit(77);
  }
  Runner             runner(driver);
  differential::Hash hash;
  int                wrong = 0;
  for (u64 i = 0; i < o.count; ++i) {
    const Case        c       = draw(kind, o.seed, i);
    const Outcome&    outcome = runner.run(c);
    const std::string differs = difference(c, outcome);
    hash.add(hash_of(c, outcome));
    if (!differs.empty() && ++wrong <= 3)
      std::printf("case %llu: %s%s", static_cast<unsigned long long>(i), c.text().c_str(), differs.c_str());
  }
  char line[160];
  std::snprintf(line, sizeof line, "%s,%llu,%llu,%016llx,%d", kind_name[int(kind)], static_cast<unsigned long long>(o.seed),
                static_cast<unsigned long long>(o.count), static_cast<unsigned long long>(hash.value()), wrong);
  return line;
}

int dump(Kind kind, const Options& o) {
  tma::Driver driver;
  if (const tma::Error error = tma::system_driver(driver)) {
    std::fprintf(stderr, "%s", error.what());
    return 77;
  }
  Runner            runner(driver);
  const Case        c       = draw(kind, o.seed, o.dump);
  const Outcome&    outcome = runner.run(c);
  const std::string wrong   = difference(c, outcome);
  std::printf("case %llu of seed %llu, drawn %d times, hash %016llx\n%s%s", static_cast<unsigned long long>(o.dump),
              static_cast<unsigned long long>(o.seed), c.redraws + 1, static_cast<unsigned long long>(hash_of(c, outcome)),
              c.text().c_str(), wrong.empty() ? "as expected\n" : wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

// The line of a kind from a process of its own; empty where that did not end well.
std::string in_a_process(Kind kind, const Options& o, int& status) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string line = run_kind(kind, o);
    std::fflush(nullptr);
    const bool written = write(ends[1], line.data(), line.size()) == ssize_t(line.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string line;
  char        some[256];
  for (ssize_t n; (n = read(ends[0], some, sizeof some)) > 0;) line.append(some, std::size_t(n));
  close(ends[0]);
  int how = 0;
  waitpid(child, &how, 0);
  status = WIFEXITED(how) ? WEXITSTATUS(how) : 128;
  return status == 0 ? line : "";
}

// The kinds of compute capability 10 are run where they are named.
bool is_asked_for(Kind kind, const Options& o) {
  return o.kind.empty() ? !needs_capability_100(kind) : o.kind == kind_name[int(kind)];
}

int run_all(const Options& o, const std::string& command) {
  std::FILE* const         file    = o.csv.empty() ? nullptr : differential::opened("--csv", o.csv);
  const char* const        columns = "kind,seed,count,hash,mismatches";
  std::vector<std::string> lines;
  int                      result = 0;
  std::printf("%s\n", columns);
  for (int k = 0; k < kinds; ++k) {
    if (!is_asked_for(Kind(k), o)) continue;
    int               status = 0;
    const std::string line   = in_a_process(Kind(k), o, status);
    if (status == 77) return 77;
    if (line.empty()) std::printf("%s: stopped (exit code %d)\n", kind_name[k], status);
    else std::printf("%s\n", line.c_str()), lines.push_back(line);
    if (line.empty() || !line.ends_with(",0")) result = 1;
  }
  if (file) {
    harness::write_header(file, harness::machine(0), command);
    std::fprintf(file, "%s\n", columns);
    for (const std::string& line : lines) std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
  return result;
}

}  // namespace copies

int main(int argc, char** argv) {
  const auto  options = copies::parse(argc, argv);
  std::string command = "copies";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--csv") ++i;
    else command += std::string(" ") + argv[i];
  if (options.dump == ~copies::u64(0)) return copies::run_all(options, command);
  for (int k = 0; k < copies::kinds; ++k)
    if (options.kind == copies::kind_name[k]) return copies::dump(copies::Kind(k), options);
  return 2;
}
