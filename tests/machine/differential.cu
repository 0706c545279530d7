// The engine and the machine's model of it, compared: random legal copies, and hashes of everything they wrote.
//
//     differential --seed 1 --count 20000 --csv device.csv
//
// One source for both: nvcc compiles it for a device, the host compiler for the machine, and compare.py lays the two files
// side by side. A case is one launch: every byte around the copy is known before, and read back after.
#include <tma/tma.hpp>

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "../../bench/harness/machine.hpp"
#include "../support/gpu.hpp"
#include "differential_device.hpp"
#include "differential_reference.hpp"

namespace differential {

// What a kernel has to know of a case.
struct Order {
  u32   place, bytes;
  u64   pattern;
  void* global;  // of a one-dimensional copy
  int   at[5];   // fastest first
};

TMA_DEVICE void fill(u64* words, u64 pattern) {
  for (u32 i = tma::ptx::thread_rank(); i < region_words; i += threads) words[i] = word_of(pattern, i);
}

template <int Rank> TMA_DEVICE tma::ptx::Coordinates<Rank> coordinates(const Order& order) {
  tma::ptx::Coordinates<Rank> c;
  for (int d = 0; d < Rank; ++d) c.at[d] = order.at[d];
  return c;
}

// Rank 0 is the one-dimensional copy. The second phase is armed with nothing: bytes beyond those of the first keep it from
// completing. They may come late, so the region is read out in between.
template <int Rank>
__global__ void load(const __grid_constant__ tma::detail::TensorMap map, Order order, u64* out, u32* flags) {
  u64* const words   = region();
  const u32  rank    = tma::ptx::thread_rank();
  const u32  tile    = tma::ptx::shared_address(words) + order.place;
  const u32  barrier = tma::ptx::shared_address(&tma::ptx::static_shared<Barrier>());
  fill(words, order.pattern);
  if (rank == 0) {
    tma::ptx::mbarrier_init(barrier, 1);
    tma::ptx::fence_mbarrier_init();
  }
  tma::ptx::fence_proxy_async_shared();
  tma::ptx::sync_block();
  if (rank == 0) {
    tma::ptx::mbarrier_arrive_expect_tx(barrier, order.bytes);
    if constexpr (Rank == 0) tma::ptx::bulk_load(tile, order.global, order.bytes, barrier);
    else tma::ptx::tensor_load<Rank>(tile, &map, coordinates<Rank>(order), barrier);
  }
  u32 found = completes(barrier, 0) ? phase_done : 0;
  for (u32 i = rank; i < region_words; i += threads) out[i] = words[i];
  tma::ptx::sync_block();
  if (rank == 0 && found) tma::ptx::mbarrier_arrive_expect_tx(barrier, 0);
  if (found && completes(barrier, 1)) found |= surplus_free;
  flags[rank] = found;
}

template <int Rank>
__global__ void store(const __grid_constant__ tma::detail::TensorMap map, Order order, u64*, u32* flags) {
  u64* const words = region();
  const u32  rank  = tma::ptx::thread_rank();
  const u32  tile  = tma::ptx::shared_address(words) + order.place;
  fill(words, order.pattern);
  tma::ptx::fence_proxy_async_shared();
  tma::ptx::sync_block();
  if (rank == 0) {
    if constexpr (Rank == 0) tma::ptx::bulk_store(order.global, tile, order.bytes);
    else tma::ptx::tensor_store<Rank>(&map, coordinates<Rank>(order), tile);
    tma::ptx::bulk_commit_group();
    tma::ptx::bulk_wait_group<0>();
  }
  flags[rank] = phase_done | surplus_free;
}

using Kernel = void (*)(tma::detail::TensorMap, Order, u64*, u32*);

constexpr Kernel loads[]  = {load<0>, load<1>, load<2>, load<3>, load<4>, load<5>};
constexpr Kernel stores[] = {store<0>, store<1>, store<2>, store<3>, store<4>, store<5>};

// What a copy left: the region after a load, the array after a store.
struct Outcome {
  std::vector<u64> words;
  bool             bytes_ok;
};

class Runner {
public:
  explicit Runner(const tma::Driver& driver) : driver_(driver) {}

  const Outcome& run(const Case& c) {
    const u32 words = c.size / 8;
    for (u32 i = 0; i < words; ++i) array_.host()[i] = tensor_word(c.data, i);
    array_.upload(words);
    std::memset(flags_.host(), 0, threads * sizeof(u32));
    flags_.upload(threads);
    const Order order = order_of(c);
    const auto  map   = map_of(c);
    const int   rank  = c.bulk ? 0 : c.tensor.rank;
    const auto  launched =
        tma::try_launch((c.store ? stores : loads)[rank], {.grid = 1, .block = threads, .shared = region_bytes + 1024}, map,
                        order, out_.device(), flags_.device());
    if (launched) fail(c, launched.what());
    Mirrored<u64>&    result = c.store ? array_ : out_;
    const u32         count  = c.store ? words : region_words;
    const cudaError_t done   = gpu::wait();
    if (done != cudaSuccess) fail(c, cudaGetErrorName(done));
    result.download(count);
    flags_.download(threads);
    gpu::finish();
    outcome_.words.assign(result.host(), result.host() + count);
    outcome_.bytes_ok = true;
    for (u32 i = 0; i < threads; ++i)
      outcome_.bytes_ok = outcome_.bytes_ok && flags_.host()[i] == (phase_done | surplus_free);
    return outcome_;
  }

private:
  // The context is lost with a kernel that fails: nothing can follow.
  [[noreturn]] static void fail(const Case& c, const char* what) {
    std::fflush(stdout);
    std::fprintf(stderr, "differential: case %llu: %s\n%s", static_cast<unsigned long long>(c.index), what,
                 c.text().c_str());
    std::fflush(stderr);
    _exit(3);
  }

  unsigned char* first(const Case& c) const { return reinterpret_cast<unsigned char*>(array_.device()) + c.offset; }

  Order order_of(const Case& c) const {
    Order o{c.place, c.bytes, c.pattern, first(c), {}};
    for (int d = 0; d < c.tensor.rank; ++d) o.at[d] = c.at[c.tensor.rank - 1 - d];
    return o;
  }

  tma::detail::TensorMap map_of(const Case& c) const {
    tma::detail::TensorMap map{};
    if (c.bulk) return map;
    tma::MapRequest request = c.tensor;
    request.base            = first(c);
    if (const tma::Error error = tma::detail::make_map(map, request, &driver_, tma::detail::tiled_map))
      fail(c, error.what());
    return map;
  }

  tma::Driver   driver_;
  Mirrored<u64> array_{array_bytes / 8}, out_{region_words};
  Mirrored<u32> flags_{threads};
  Outcome       outcome_;
};

u64 hash_of(const Case& c, const Outcome& outcome) {
  Hash h;
  h.add(c.hash());
  for (const u64 word : outcome.words) h.add(word);
  h.add(outcome.bytes_ok);
  return h.value();
}

// Some cases together: a line of the results.
struct Batch {
  u64  first = 0;
  int  count = 0, loads = 0, stores = 0, bulk = 0, bytes_ok = 0;
  Hash hash;

  void add(const Case& c, const Outcome& outcome) {
    ++count;
    ++(c.bulk ? bulk : c.store ? stores : loads);
    bytes_ok += outcome.bytes_ok;
    hash.add(hash_of(c, outcome));
  }
  void add(const Batch& b) {
    count += b.count;
    loads += b.loads;
    stores += b.stores;
    bulk += b.bulk;
    bytes_ok += b.bytes_ok;
    hash.add(b.hash.value());
  }
  std::string text(const std::string& name) const {
    char s[160];
    std::snprintf(s, sizeof s, "%s,%d,%d,%d,%d,%016llx,%d", name.c_str(), count, loads, stores, bulk,
                  static_cast<unsigned long long>(hash.value()), bytes_ok);
    return s;
  }
};

std::vector<u64> expected(const Case& c) {
  std::vector<u64> array(c.size / 8), words(region_words);
  for (u32 i = 0; i < array.size(); ++i) array[i] = tensor_word(c.data, i);
  for (u32 i = 0; i < region_words; ++i) words[i] = word_of(c.pattern, i);
  reference::apply(c, reinterpret_cast<unsigned char*>(array.data()), reinterpret_cast<unsigned char*>(words.data()));
  return c.store ? array : words;
}

// What the cases that differ have in common.
class Tally {
public:
  void add(const Case& c, bool differs) {
    const auto count = [&](const std::string& property) {
      auto& [wrong, all] = counts_[property];
      wrong += differs;
      ++all;
    };
    count(c.store ? "stores" : "loads");
    if (c.bulk) return count("one-dimensional");
    const tma::MapRequest& t = c.tensor;
    count(std::string("type ") + tma::element_name(t.type) + (c.store ? ", store" : ", load"));
    count(std::string("swizzle ") + tma::swizzle_name(t.swizzle));
    count("rank " + std::to_string(t.rank));
    if (!c.store) count(std::string("fill ") + (t.fill == tma::Fill::nan ? "nan" : "zero"));
    bool skips = false;
    for (int d = 0; d < t.rank; ++d) skips = skips || t.element_stride[d] > 1;
    if (skips) count(std::string("element strides, ") + (c.store ? "store" : "load"));
  }
  void print() const {
    for (const auto& [property, count] : counts_)
      std::printf("  %s: %d of %d\n", property.c_str(), count.first, count.second);
  }

private:
  std::map<std::string, std::pair<int, int>> counts_;
};

// How an outcome differs from the reference; empty where it does not.
std::string difference(const Case& c, const Outcome& outcome) {
  const std::vector<u64> words = expected(c);
  const auto*            want  = reinterpret_cast<const unsigned char*>(words.data());
  const auto*            found = reinterpret_cast<const unsigned char*>(outcome.words.data());
  std::string            text;
  char                   s[160];
  int                    wrong = 0;
  for (u32 i = 0; i < words.size() * 8; i += 8) {
    if (std::memcmp(want + i, found + i, 8) == 0 || ++wrong > 4) continue;
    std::snprintf(s, sizeof s, "  byte 0x%x of the %s: %016llx, expected %016llx\n", i, c.store ? "array" : "region",
                  static_cast<unsigned long long>(outcome.words[i / 8]), static_cast<unsigned long long>(words[i / 8]));
    text += s;
  }
  if (wrong > 4) text += "  and " + std::to_string(wrong - 4) + " more groups of 8 bytes\n";
  if (!outcome.bytes_ok) text += "  the barrier did not count " + std::to_string(c.bytes) + " bytes\n";
  return text;
}

struct Options {
  u64         seed = 1, count = 2000, dump = ~u64(0);
  std::string csv, out;
  bool        verify = false, strided_stores = false;
};

Options parse(int argc, char** argv) {
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
    else if (name == "--out") o.out = value();
    else if (name == "--verify") o.verify = true;
    else if (name == "--strided-stores") o.strided_stores = true;
    else
      refuse("option", name, "one of --seed, --count, --csv, --verify, --dump, --out, --strided-stores",
             "look for a letter that is wrong");
  }
  if (!o.out.empty() && o.dump == ~u64(0))
    refuse("--out", o.out, "the file is for the bytes of one case", "name the case with --dump");
  return o;
}

int dump(Runner& runner, const Options& o) {
  const Case     c       = draw(o.seed, o.dump, o.strided_stores);
  const Outcome& outcome = runner.run(c);
  std::printf("case %llu of seed %llu, drawn %d times, hash %016llx\n%s", static_cast<unsigned long long>(o.dump),
              static_cast<unsigned long long>(o.seed), c.redraws + 1, static_cast<unsigned long long>(hash_of(c, outcome)),
              c.text().c_str());
  const std::string wrong = difference(c, outcome);
  std::printf("%s", wrong.empty() ? "as the reference has it\n" : wrong.c_str());
  if (!o.out.empty()) {
    std::FILE* const file = opened("--out", o.out);
    std::fwrite(outcome.words.data(), 8, outcome.words.size(), file);
    std::fclose(file);
  }
  return wrong.empty() ? 0 : 1;
}

int run_all(Runner& runner, const Options& o, const std::string& command) {
  std::FILE* const         file       = o.csv.empty() ? nullptr : opened("--csv", o.csv);
  constexpr u64            batch_size = 500;
  constexpr int            most_told = 10, most_hung = 16;
  std::vector<std::string> lines;
  Batch                    total;
  Tally                    tally;
  int                      wrong = 0, redraws = 0;
  for (u64 first = 0; first < o.count; first += batch_size) {
    Batch batch;
    for (u64 i = first; i < std::min(o.count, first + batch_size); ++i) {
      const Case     c       = draw(o.seed, i, o.strided_stores);
      const Outcome& outcome = runner.run(c);
      batch.add(c, outcome);
      redraws += c.redraws;
      const std::string different = o.verify ? difference(c, outcome) : "";
      tally.add(c, !different.empty());
      if (!different.empty() && ++wrong <= most_told)
        std::printf("case %llu: %s%s", static_cast<unsigned long long>(i), c.text().c_str(), different.c_str());
      if (total.count - total.bytes_ok + batch.count - batch.bytes_ok >= most_hung)
        refuse("barriers", std::to_string(most_hung), "copies whose bytes were not counted as expected end the run",
               "look at one with --dump, or at all of the first with --verify");
    }
    lines.push_back(batch.text(std::to_string(first)));
    total.add(batch);
  }
  lines.push_back(total.text("total"));
  const char* const columns = "first,count,loads,stores,bulk,hash_h,bytes_ok";
  if (file) {
    harness::write_header(file, harness::machine(0), command);
    std::fprintf(file, "# seed: %llu\n# redraws: %d\n%s\n", static_cast<unsigned long long>(o.seed), redraws, columns);
    for (const std::string& line : lines) std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
  std::printf("%s\n%s\n%d redraws\n", columns, lines.back().c_str(), redraws);
  if (o.verify) std::printf("%d of %d cases differ from the reference\n", wrong, total.count);
  if (wrong > 0) tally.print();
  return wrong == 0 && total.bytes_ok == total.count ? 0 : 1;
}

}  // namespace differential

int main(int argc, char** argv) {
  const auto  options = differential::parse(argc, argv);
  std::string command = "differential";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--csv") ++i;
    else command += std::string(" ") + argv[i];
  tma::Driver driver;
  if (const tma::Error error = tma::system_driver(driver)) {
    std::printf("SKIPPED: %s", error.what());
    return 77;
  }
  try {
    differential::Runner runner(driver);
    return options.dump == ~differential::u64(0) ? differential::run_all(runner, options, command)
                                                 : differential::dump(runner, options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s", e.what());
    return 1;
  }
}
