// Tiles that several blocks need: delivered once for all by multicasts, or to each by itself; and tiles that blocks send one
// another.
#include "sharing.cuh"

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "exchange.cuh"

#include <algorithm>
#include <stdexcept>

namespace sharing {

int resident_clusters(const void* kernel, int blocks, int threads, int shared) {
  using harness::require;
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
  cudaLaunchAttribute in_clusters{};
  in_clusters.id               = cudaLaunchAttributeClusterDimension;
  in_clusters.val.clusterDim.x = unsigned(blocks);
  in_clusters.val.clusterDim.y = in_clusters.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim          = dim3(unsigned(blocks));
  config.blockDim         = dim3(unsigned(threads));
  config.dynamicSmemBytes = std::size_t(shared);
  config.attrs            = &in_clusters;
  config.numAttrs         = 1;
  int clusters            = 0;
  require(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), "resident clusters");
  return clusters;
}

namespace {

using harness::Bench, harness::Kind, harness::require;

constexpr long long gib = 1ll << 30;

// What the kernels leave, by ordinary loads.
template <Reads R> __global__ void folds_of_tiles(const unsigned* matrix, int words, Work work, unsigned* folded) {
  Walk    walk(work);
  Fold<R> fold;
  for (int i = 0; i < work.steps; ++i, walk.next())
    fold.take(matrix + (long long)walk.index() * words, words, int(threadIdx.x), i);
  folded[int(blockIdx.x) * Fold<R>::threads + int(threadIdx.x)] = fold.value;
}
template <Reads R>
__global__ void folds_of_sends(const unsigned* matrix, int words, int blocks, int slots, int steps, unsigned* folded) {
  const int rank = int(blockIdx.x) % blocks, from = int(blockIdx.x) - rank + (rank + blocks - 1) % blocks;
  Fold<R>   fold;
  for (int i = 0; i < steps; ++i) fold.take(matrix + (from * slots + i % slots) * words, words, int(threadIdx.x), i);
  folded[int(blockIdx.x) * Fold<R>::threads + int(threadIdx.x)] = fold.value;
}

class Folds {
  static constexpr int most = 132 * 2 * 256;

public:
  unsigned* get() const { return got_.data; }
  unsigned* expected() const { return expected_.data; }

  // Of what the two arrays have; the first is cleared.
  std::string difference(int blocks, Reads reads) {
    const auto            n = std::size_t(blocks * 32 * consumer_warps(reads));
    std::vector<unsigned> got(n), expected(n);
    require(cudaMemcpy(got.data(), got_.data, n * 4, cudaMemcpyDeviceToHost), "folds");
    require(cudaMemcpy(expected.data(), expected_.data, n * 4, cudaMemcpyDeviceToHost), "folds");
    require(cudaMemset(got_.data, 0, n * 4), "folds");
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += got[i] != expected[i];
    return wrong ? std::to_string(wrong).append(" of the threads' folds are wrong") : std::string();
  }

private:
  harness::DeviceArray<unsigned> got_{most}, expected_{most};
};

struct Named {
  std::string name;
  Way         way;
};

const char* text_of(Reads reads) {
  return reads == Reads::sample ? "released" : reads == Reads::all ? "read" : "read and freed together";
}

// Of a point.
std::string point_name(Reads reads, int blocks) {
  return std::to_string(blocks)
      .append(blocks > 1 ? " blocks; " : " block; ")
      .append(std::to_string(rows_of_tile(reads)))
      .append(" KiB ")
      .append(text_of(reads));
}

class Tiles {
public:
  explicit Tiles(Bench& bench) : bench_(bench), matrix_(std::size_t(2 * most_gib * gib / 4)), ours_(ours()) {
    harness::randomise<<<1056, 256>>>(matrix_.data, std::size_t(2 * most_gib * gib / 4), bench.options().seed);
  }

  const unsigned* matrix() const { return matrix_.data; }
  Folds&          folds() { return folds_; }

  void measure(Reads reads, int blocks) {
    for (const bool l2 : {false, true}) measure(reads, blocks, l2);
  }

private:
  // Delivered to each block: 1 GiB a launch. Blocks that read tiles of their own read as much each; two such parts are read in
  // turns.
  static constexpr int most_gib = 8;

  std::vector<Named> ways(Reads reads, int blocks) const {
    const Way          each = ours_each(reads, blocks), each_by_hand = hand(Form::each, reads, blocks);
    std::vector<Named> all;
    if (blocks == 1) return {{"no multicast", each}, {"hand: no multicast", each_by_hand}};
    for (const Way& way : ours_)
      if (way.reads == reads && way.blocks == blocks) all.push_back({"slices", way});
    all.push_back({"hand: slices", hand(Form::slices, reads, blocks)});
    if (reads == Reads::all) all.push_back({"one loads", ours_one(blocks)});
    all.push_back({"hand: one loads", hand(Form::one, reads, blocks)});
    all.push_back({"hand: they take turns", hand(Form::turns, reads, blocks)});
    all.push_back({"no multicast", each});
    all.push_back({"hand: no multicast", each_by_hand});
    all.push_back({"no multicast: other tiles", each});
    all.back().way.own = true;
    return all;
  }

  void measure(Reads reads, int blocks, bool l2) {
    const auto all      = ways(reads, blocks);
    int        clusters = 1 << 20;
    for (const Named& v : all)
      clusters = std::min(clusters, resident_clusters(v.way.kernel, blocks, threads(reads), v.way.shared));
    const int tile = all[0].way.tile_bytes(), steps = int(gib / tile / clusters), at_a_time = clusters * blocks;
    std::vector<harness::Variant> variants;
    for (const Named& v : all) {
      const bool own = v.way.own;
      const Work work{own ? at_a_time : clusters, steps, int(l2 ? (16 << 20) / tile : (own ? blocks : 1) * (gib / tile)),
                      own ? 1 : blocks};
      variants.push_back({v.name,
                          v.way.by_hand              ? Kind::hand
                          : v.way.form == Form::each ? Kind::peer
                                                     : Kind::ours,
                          [=, this, way = v.way](int round) { way.launch(source(work, tile, l2 ? 0 : round % 2)); },
                          [=, this] { return check(work, reads, tile); },
                          double(at_a_time * v.way.stages * tile) / bench_.machine().multiprocessors});
    }
    bench_.measure({.name     = point_name(reads, blocks),
                    .mode     = std::string(l2 ? "l2" : "cold"),
                    .unit     = harness::Unit::gb_per_s,
                    .work     = double(steps) * at_a_time * tile,
                    .variants = std::move(variants),
                    .launches = l2 ? 2 : 1,
                    .limit    = l2 ? 0 : 4800. * blocks});
  }

  Source source(const Work& work, int tile, int part) const {
    return {matrix_.data + part * most_gib * (gib / 4), (long long)work.tiles * (tile / row_bytes), work, folds_.get()};
  }

  std::string check(const Work& work, Reads reads, int tile) {
    const int blocks = work.clusters * work.sharing, words = tile / 4;
    if (reads == Reads::sample) folds_of_tiles<Reads::sample><<<blocks, 32>>>(matrix_.data, words, work, folds_.expected());
    else folds_of_tiles<Reads::all><<<blocks, 256>>>(matrix_.data, words, work, folds_.expected());
    return folds_.difference(blocks, reads);
  }

  Bench&                         bench_;
  harness::DeviceArray<unsigned> matrix_;
  Folds                          folds_;
  std::vector<Way>               ours_;
};

void measure_exchange(Bench& bench, Tiles& tiles, int blocks, Reads reads, int count, int bytes) {
  constexpr int steps   = 1200;  // a multiple of every count
  const char*   names[] = {"send", "hand: send", "threads store into the next block", "threads load from the block before"};
  std::vector<Exchange> all;
  if (count == slots && bytes == slot_bytes)
    for (const Exchange& e : exchanges())
      if (e.blocks == blocks && (e.reads == reads || e.by_threads())) all.push_back(e);
  all.push_back(exchange_by_hand(reads, blocks, count, bytes));
  int clusters = 1 << 20;
  for (const Exchange& e : all) clusters = std::min(clusters, resident_clusters(e.kernel, blocks, e.threads(), e.shared));
  const int                     n = clusters * blocks, words = bytes / 4;
  std::vector<harness::Variant> variants;
  for (const Exchange& e : all)
    variants.push_back(
        {names[int(e.sender)],
         e.by_threads()               ? Kind::plain
         : e.sender == Sender::engine ? Kind::ours
                                      : Kind::hand,
         [=, &tiles](int) { e.launch(tiles.matrix(), clusters, steps, tiles.folds().get()); },
         [=, &tiles] {
           const int of = e.by_threads() ? count : steps;  // threads leave what came last
           if (e.reads == Reads::sample)
             folds_of_sends<Reads::sample><<<n, 32>>>(tiles.matrix(), words, blocks, count, of, tiles.folds().expected());
           else folds_of_sends<Reads::all><<<n, 256>>>(tiles.matrix(), words, blocks, count, of, tiles.folds().expected());
           return tiles.folds().difference(n, e.reads);
         },
         e.by_threads() ? 0. : double(n * count * bytes) / bench.machine().multiprocessors});
  bench.measure({.name     = std::to_string(blocks)
                                 .append(" blocks send ")
                                 .append(std::to_string(bytes >> 10))
                                 .append(" KiB x ")
                                 .append(std::to_string(count))
                                 .append(" ")
                                 .append(text_of(reads)),
                 .mode     = "-",
                 .unit     = harness::Unit::gb_per_s,
                 .work     = double(steps) * n * bytes,
                 .variants = std::move(variants)});
}

}  // namespace
}  // namespace sharing

const harness::About harness::about{
    "sharing",
    "Measures bytes that arrive in shared memory: tiles multicast to 2, 4 and 8 blocks, or loaded by each; tiles sent "
    "from block to block."};

void harness::run(Bench& bench) {
  using namespace sharing;
  Tiles tiles(bench);
  bench.note("GB/s are those that arrive in shared memory, of all blocks; a block gets 1 GiB of them a launch");
  bench.note("released: a warp looks at one word a thread of each tile and frees it; read: 8 warps read every word");
  bench.note("limit: 4800 GB/s of the memory by its data sheet, times the blocks that share");
  for (const Reads reads : {Reads::sample, Reads::all, Reads::all_then_meet})
    for (const int blocks : {1, 2, 4, 8}) tiles.measure(reads, blocks);
  for (const Reads reads : {Reads::sample, Reads::all})
    for (const int blocks : {2, 4}) measure_exchange(bench, tiles, blocks, reads, slots, slot_bytes);
  for (const auto& [count, bytes] : {std::pair{12, 4 << 10}, {12, 8 << 10}, {6, 16 << 10}})
    measure_exchange(bench, tiles, 2, Reads::sample, count, bytes);

  const auto rate = [&](int blocks, const char* mode, const char* variant) {
    for (const Result& r : bench.results())
      if (r.point == point_name(Reads::sample, blocks) && r.mode == mode && r.variant == variant) return r.median;
    return 0.;
  };
  const double other2 = rate(2, "cold", "no multicast: other tiles"), other4 = rate(4, "cold", "no multicast: other tiles");
  bench.goal("multicast2", "GB/s", rate(2, "cold", "slices"), other2, "no multicast: a tile for each block", 1.9);
  bench.goal("multicast4", "GB/s", rate(4, "cold", "slices"), other4, "no multicast: a tile for each block", 11600 / other4);
  bench.goal("multicast4_l2", "GB/s", rate(4, "l2", "slices"), rate(4, "l2", "no multicast"),
             "no multicast: each loads the same tile", 1);
}
