// stores: writing and adding tiles by the engine, beside stores and atomic sums by threads.
#include <cuda_bf16.h>

#include <random>

#include "../harness/device_array.hpp"
#include "variants.hpp"

const harness::About harness::about{
    "stores",
    "Measures bulk and tensor stores beside stores by threads and cudaMemset, and the engine's sums of f32 and bf16 beside "
    "atomic operations of 4 and 16 bytes: over memory, in L2, and all blocks into few tiles. Verifies every result first."};

namespace {

using namespace stores;
using harness::Bench;
using harness::DeviceArray;
using harness::Point;
using harness::require;

constexpr unsigned long long mib = 1 << 20, memory = 1024 * mib, largest_tile = 16 * 1024;

// A tile's worth of elements. Sums of them are whole numbers, which bf16 holds as long as they are small.
template <class T> struct Pattern {
  DeviceArray<T> data{largest_tile / sizeof(T)};

  template <class Make> Pattern(std::mt19937& random, Make make) {
    std::vector<T> host;
    for (unsigned long long i = 0; i < largest_tile / sizeof(T); ++i) host.push_back(make(random()));
    require(cudaMemcpy(data.data, host.data(), largest_tile, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
};

struct Mode {
  const char*        name;
  const char*        mode;
  unsigned long long slice, one_tile;
  int                slices, rounds;
};

constexpr Mode spread[]  = {{"over memory", "cold", 256 * mib, 0, 4, 1}, {"over 16 MiB", "l2", 16 * mib, 0, 1, 9}};
constexpr Mode crowded[] = {{"all into 1 MiB", "l2", 16 * mib, mib, 1, 65},
                            {"all into 64 KiB", "l2", 16 * mib, 64 * 1024, 1, 1025},
                            {"all into 16 KiB", "l2", 16 * mib, 16 * 1024, 1, 4097}};

using Make = std::vector<harness::Variant> (*)(const Region&);

}  // namespace

void harness::run(Bench& bench) {
  DeviceArray<unsigned char>      data(memory);
  DeviceArray<unsigned long long> wrong(1);
  std::mt19937                    random(bench.options().seed);
  const Pattern<unsigned>         words(random, [](auto bits) { return unsigned(bits); });
  const Pattern<float>            floats(random, [](auto bits) { return float(int(bits % 17) - 8); });
  const Pattern<__nv_bfloat16>    halves(random, [](auto bits) { return __nv_bfloat16(float(int(bits % 3) - 1)); });
  bench.note("GB/s of what is stored or added; a sum in memory is read and written there");
  bench.note("each block has its tile (random, and for sums the opposite) ready, and sends it to place after place");
  bench.note("the engine's: one thread of a block issues, with 8 copies that may still read their source");
  bench.note("by threads: blocks of 256, 16 bytes a thread; the limit is the data sheet's 4800 GB/s, half of it for sums");

  const auto measure = [&](const char* work, const Mode& m, Make make, const void* pattern, double limit) {
    const std::string name = std::string(work) + " " + m.name;
    if (!bench.wants(name)) return;
    const Region r{data.data, m.slice, m.slices, m.one_tile, m.rounds, pattern, wrong.data, bench.machine().multiprocessors};
    require(cudaMemset(data.data, 0, memory), "cudaMemset");
    Point p{name, m.mode, Unit::gb_per_s, double(m.one_tile ? m.one_tile : m.slice) * m.rounds, make(r)};
    if (m.slices > 1) p.limit = limit;
    bench.measure(p);
  };
  for (const Mode& m : spread) measure("store", m, stored, words.data.data, 4800);
  for (const Mode& m : spread) measure("add f32", m, added_f32, floats.data.data, 2400);
  for (const Mode& m : spread) measure("add bf16", m, added_bf16, halves.data.data, 2400);
  for (const Mode& m : crowded) measure("add f32", m, added_f32, floats.data.data, 0);
  for (const Mode& m : crowded) measure("add bf16", m, added_bf16, halves.data.data, 0);
}
