// The library's ways.
#include "descriptors.cuh"

#include "graphs.cuh"

#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/edit.hpp>
#include <tma/device/prefetch.hpp>
#include <tma/host/descriptor_array.hpp>
#include <tma/host/descriptor_cache.hpp>
#include <tma/host/with_address.hpp>
#include <tma/tma.hpp>

#include <memory>

namespace descriptors {
namespace {

using Tile  = tma::Tile<unsigned, tma::Shape<tile_rows, columns>>;
using In    = tma::TmaDescriptor<const unsigned, 2, Tile>;
using Slots = tma::DescriptorSlots<In>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier barrier;
};

__device__ void sum(const Tile& tile, unsigned* sums) {
  unsigned all = 0;
  for (int i = 0; i < per_thread; ++i) all += tile[int(threadIdx.x) + i * threads];
  sums[int(blockIdx.x) * threads + int(threadIdx.x)] = all;
}
__device__ tma::Coord<2> place() { return {int(blockIdx.x) * tile_rows, 0}; }

__global__ void __launch_bounds__(threads) by_value(const __grid_constant__ In in, unsigned* sums) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block<threads>(barrier);
  if (auto issuer = block.elect()) issuer.load(in, place(), tile, arrived);
  arrived.wait();
  sum(tile, sums);
}

__global__ void __launch_bounds__(threads) in_memory(Slots slots, unsigned* sums) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block<threads>(barrier);
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, 0), place(), tile, arrived);
  arrived.wait();
  sum(tile, sums);
}

// Each block makes a descriptor of its own.
__global__ void __launch_bounds__(threads)
    edited(const __grid_constant__ In pattern, Slots slots, const unsigned* matrix, unsigned* sums) {
  struct Room {
    tma::DescriptorScratch<In> scratch;
    Shared                     shared;
  };
  auto& room            = tma::shared<Room>();
  auto& [tile, barrier] = room.shared;
  auto [block, arrived] = tma::this_block<threads>(barrier);
  if (block.rank() < 32) {
    const auto edit = tma::edit(room.scratch, pattern);
    edit.address(matrix);
    edit.publish(slots, int(blockIdx.x), tma::no_copy_uses_it());
  }
  if (auto issuer = block.elect())
    issuer.load(tma::acquire<tma::Scope::device>(slots, int(blockIdx.x)), place(), tile, arrived);
  arrived.wait();
  sum(tile, sums);
}

__device__ const In& descriptor_of(const In& in) { return in; }
__device__ const In& descriptor_of(const Slots& slots) { return tma::acquire(slots, 0); }

template <bool Prefetch, class Source>
__global__ void __launch_bounds__(threads)
    first_tile(const __grid_constant__ Source source, int prologue, long long* cycles, unsigned* sums) {
  const long long start = clock64();
  auto& [tile, barrier] = tma::shared<Shared>();
  if constexpr (Prefetch) {
    auto block = tma::this_block<threads>();
    if (auto issuer = block.elect()) issuer.prefetch_descriptor(descriptor_of(source));
  }
  auto [block, arrived] = tma::this_block<threads>(barrier);
  if (auto issuer = block.elect()) {
    work_until(start + prologue);
    issuer.load(descriptor_of(source), place(), tile, arrived);
  }
  arrived.wait();
  if (threadIdx.x == 0) *cycles = clock64() - start;
  sum(tile, sums);
}

tma::TensorView<const unsigned, 2> view(const unsigned* matrix) { return {matrix, {rows, columns}}; }
In                                 make(const unsigned* matrix) { return tma::make_descriptor<Tile>(view(matrix)); }

void launch_by_value(const In& in, unsigned* sums, cudaStream_t stream = nullptr) {
  tma::launch(by_value, {.grid = blocks, .block = threads, .stream = stream}, in, sums);
}
void launch_in_memory(const Slots& slots, unsigned* sums, cudaStream_t stream = nullptr) {
  tma::launch(in_memory, {.grid = blocks, .block = threads, .stream = stream}, slots, sums);
}

std::shared_ptr<tma::DescriptorArray<In>> slots_of(const In& in, int count) {
  auto array = std::make_shared<tma::DescriptorArray<In>>(count);
  for (int i = 0; i < count; ++i) array->set(i, in);
  array->upload();
  return array;
}

template <bool Prefetch, class Source>
FirstTile first(const char* name, const Source& source, int prologue, unsigned* sums) {
  return {name, false, Prefetch, prologue, [=](long long* cycles) {
            tma::launch(first_tile<Prefetch, Source>, {.grid = 1, .block = threads}, source, prologue, cycles, sums);
          }};
}

}  // namespace

std::vector<Way> ours(const Problem& p) {
  std::vector<Way> ways;
  const In         kept = make(p.matrix[0]);
  const auto       own  = slots_of(kept, 1);
  const Slots      slots(reinterpret_cast<In*>(p.map), 1), edits(reinterpret_cast<In*>(p.edits), blocks);
  const auto       cache  = std::make_shared<tma::DescriptorCache>(16);
  const auto       sums   = p.sums;
  const auto       moving = [&](const char* name, auto descriptor) {
    ways.push_back({name, false, true, [=](int round) { launch_by_value(descriptor(p.matrix[round % 2]), sums); }});
  };
  ways.push_back({"by value", false, false, [=](int) { launch_by_value(kept, sums); }});
  ways.push_back({"in memory", false, false, [=](int) { launch_in_memory(slots, sums); }});
  moving("made for each launch", [](const unsigned* m) { return make(m); });
  moving("with_address for each launch", [=](const unsigned* m) { return tma::with_address(kept, m); });
  moving("from the cache for each launch", [=](const unsigned* m) { return cache->get<Tile>(view(m)); });
  ways.push_back({"uploaded for each launch", false, true, [=](int round) {
                    own->set(0, make(p.matrix[round % 2]));
                    own->upload(0, 1);
                    launch_in_memory(own->slots(), sums);
                  }});
  ways.push_back({"edited by the kernel", false, true, [=](int round) {
                    tma::launch(edited, {.grid = blocks, .block = threads}, kept, edits, p.matrix[round % 2], sums);
                  }});

  const auto graph = std::make_shared<Graph>([=](cudaStream_t stream) { launch_by_value(kept, sums, stream); });
  ways.push_back({"a graph", false, false, [=](int) { graph->replay(); }});
  const auto updated = std::make_shared<Graph>([=](cudaStream_t stream) { launch_by_value(kept, sums, stream); });
  ways.push_back({"a graph updated for each launch", false, true, [=](int round) {
                    const In  in          = make(p.matrix[round % 2]);
                    unsigned* to          = sums;
                    void*     arguments[] = {const_cast<In*>(&in), &to};
                    updated->update(arguments);
                    updated->replay();
                  }});
  const auto read  = slots_of(kept, 1);
  const auto reads = std::make_shared<Graph>([=](cudaStream_t stream) { launch_in_memory(read->slots(), sums, stream); });
  ways.push_back({"a graph whose slot is uploaded", false, true, [=](int round) {
                    read->set(0, make(p.matrix[round % 2]));
                    read->upload();
                    reads->replay();
                  }});
  return ways;
}

std::vector<Call> our_calls(const Problem& p) {
  const In   kept  = make(p.matrix[0]);
  const auto cache = std::make_shared<tma::DescriptorCache>(16);
  const auto none  = std::make_shared<tma::DescriptorCache>(1);
  const auto keep  = [](const In& in) { asm volatile("" ::"r"(&in) : "memory"); };
  return {{"make_descriptor", false, [=] { keep(make(p.matrix[0])); }},
          {"with_address", false, [=] { keep(tma::with_address(kept, p.matrix[1])); }},
          {"cache: hit", false, [=] { keep(cache->get<Tile>(view(p.matrix[0]))); }},
          {"cache: miss", false, [=, i = 0]() mutable { keep(none->get<Tile>(view(p.matrix[i ^= 1]))); }}};
}

std::vector<FirstTile> our_first_tiles(const Problem& p) {
  std::vector<FirstTile> all;
  const In               in = make(p.matrix[0]);
  const Slots            slots(reinterpret_cast<In*>(p.map), 1);
  for (const int prologue : prologues) {
    all.push_back(first<false>("by value", in, prologue, p.sums));
    all.push_back(first<true>("by value", in, prologue, p.sums));
    all.push_back(first<false>("in memory", slots, prologue, p.sums));
    all.push_back(first<true>("in memory", slots, prologue, p.sums));
  }
  return all;
}

}  // namespace descriptors
